// SPDX-License-Identifier: MIT
// The Worker: it holds a profile and answers one question after the other.

import {graph} from './callgraph.js';
import {readPageFile} from './columns.js';
import {Engine} from './engine.js';
import {details, rows, search, sumOfAll} from './functions.js';
import {labels} from './labelsums.js';
import {layout} from './layout.js';
import {sparks, timeline} from './overtime.js';
import {phaseKey, phases} from './phases.js';
import {Places, linesOf, withBefore} from './places.js';
import {folded, pprof} from './stacks.js';
import {sumsOf} from './sums.js';
import {heavyPath, pathTo, tree} from './treerows.js';
import {warm} from './warm.js';

/** @type {Record<string, (e: Engine, query: any, wish: any) => any>} */
const QUESTIONS = {details, folded, graph, heavyPath, labels, layout, pathTo,
	phases, pprof, rows, search, sparks, sumOfAll, timeline, tree, warm};

/**
 * Where a profile is: addresses, or what a saved page carries.
 * @typedef {{url?: string, places?: string, source?: string,
 *   blocks?: string[], placeBlocks?: string[], sourceBlocks?: string[]}} Source
 */

/** @type {Engine|null} */
let engine = null;
/** @type {Promise<Places>|null} */
let places = null;
/** @type {Source} */
let opened = {};
/** @type {Promise<Map<string, any>>|null} what a saved page carries */
let savedSources = null;

/** @param {string} url */
async function fetchBytes(url) {
	const response = await fetch(url);
	if (!response.ok)
		throw new Error(`the server says ${response.status}`);
	return response.arrayBuffer();
}

/**
 * Base64 text into bytes.
 * @param {string} text
 */
function fromBase64(text) {
	const modern = /** @type {any} */ (Uint8Array).fromBase64;
	if (modern)
		return modern.call(Uint8Array, text);
	const raw = atob(text);
	const bytes = new Uint8Array(raw.length);
	for (let i = 0; i < raw.length; i++)
		bytes[i] = raw.charCodeAt(i);
	return bytes;
}

/**
 * Blocks that were compressed one by one, joined.
 * @param {string[]} blocks
 */
async function expand(blocks) {
	const parts = await Promise.all(blocks.map(async (block) => {
		const stream = new Blob([fromBase64(block)]).stream()
			.pipeThrough(new /** @type {any} */ (self).DecompressionStream('gzip'));
		return new Uint8Array(await new Response(stream).arrayBuffer());
	}));
	const all = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
	let at = 0;
	for (const part of parts) {
		all.set(part, at);
		at += part.length;
	}
	return all.buffer;
}

/**
 * What a sample weighs on average, before and after.
 * @param {Engine} e
 */
function eachSample(e) {
	const all = {type: 0, range: null, threads: null, labels: [],
		transforms: []};
	return e.meta.compare ? e.meta.counts.map((n, type) =>
		sumsOf(e, {...all, type}, type).sum / (n || 1) || 1) : [1, 1];
}

/** @param {Source} source */
async function open(source) {
	const file = readPageFile(source.url ? await fetchBytes(source.url)
		: await expand(source.blocks || []));
	opened = source;
	engine = new Engine(file);
	const {columns, ...meta} = file.meta;
	const times = engine.time;
	return {
		meta,
		stringEnd: engine.stringEnd.slice(),
		stringBytes: engine.stringBytes.slice(),
		functionName: engine.functionName.slice(),
		functionFile: engine.functionFile.slice(),
		functionModule: engine.functionModule.slice(),
		functionLine: file.column('functionLine').slice(),
		functionKind: file.column('functionKind').slice(),
		stacks: engine.stacks,
		each: eachSample(engine),
		phases: phaseKey(engine) > 0,
		extent: times && times.length ? times[times.length - 1] + 1 : 0,
	};
}

/**
 * @param {{ask: string, query: any, wish: any}} message
 * @returns {any}
 */
function answer({ask, query, wish}) {
	if (!engine)
		throw new Error('there is no profile yet');
	if (ask === 'lines')
		return lines(engine, query, wish.fn);
	if (ask === 'source')
		return sourceOf(wish.name);
	return QUESTIONS[ask](engine, query, wish);
}

/**
 * What a function spends line by line.
 * @param {Engine} e
 * @param {any} query
 * @param {number} fn
 */
async function lines(e, query, fn) {
	places = places || (opened.places ? fetchBytes(opened.places)
		: expand(opened.placeBlocks || [])).then((bytes) =>
		new Places(readPageFile(bytes)));
	const now = linesOf(e, await places, query, fn);
	const sums = {sum: sumsOf(e, query, query.type).sum, sumBefore: 0};
	if (!e.meta.compare)
		return {...now, ...sums};
	sums.sumBefore = sumsOf(e, query, 0).sum;
	return {...withBefore(now, linesOf(e, await places,
		{...query, type: 0}, fn)), ...sums};
}

/** The sources of a saved page: a line of JSON for each function. */
async function readSaved() {
	const bytes = await expand(opened.sourceBlocks || []);
	const lines = new TextDecoder().decode(bytes).split('\n');
	return new Map(lines.filter(Boolean).map((line) => {
		const one = JSON.parse(line);
		return [one.name, one];
	}));
}

/**
 * The text of a function, by its lines and with their machine code.
 * @param {string} name
 * @returns {Promise<{groups: any[], note?: string}>}
 */
async function sourceOf(name) {
	if (opened.source) {
		const response = await fetch(`${opened.source}?f=${
			encodeURIComponent(name)}`);
		return response.ok ? response.json()
			: {groups: [], note: await response.text()};
	}
	savedSources = savedSources || readSaved();
	return (await savedSources).get(name) || {groups: [], note:
		'A saved page has the sources of what took most, as far as they ' +
		'were found and fit. "wick view FILE" shows all, from where they are.'};
}

self.onmessage = async (event) => {
	const {id, ask, query, wish} = event.data;
	const began = performance.now();
	try {
		const result = ask === 'open' ? await open(wish)
			: await answer({ask, query, wish});
		const spent = performance.now() - began;
		// What is large and nobody else's is handed over, not copied.
		const given = ask === 'layout' ? Object.values(result)
			.filter((v) => ArrayBuffer.isView(v)).map((v) => v.buffer) : [];
		self.postMessage({id, result, spent}, {transfer: given});
	} catch (error) {
		self.postMessage({id, error: String(error)});
	}
};
