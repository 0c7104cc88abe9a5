// SPDX-License-Identifier: MIT
// Questions about functions: the table of all, one of them with its callers and
// callees, and which a search is about.

import {CallWalk} from './callwalk.js';
import {covered} from './calltree.js';
import {matching} from './marks.js';
import {planOf} from './plan.js';
import {everything} from './query.js';
import {sumsOf, weigh} from './sums.js';
import {tableOf} from './tables.js';

/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./query.js').Query} Query */
/** @typedef {import('./query.js').Sums} Sums */

/**
 * The table of functions.
 * @param {Engine} e
 * @param {Query} query
 */
export function rows(e, query) {
	const w = weigh(e, query);
	const now = tableOf(e, query, w.now);
	const before = w.compare ? tableOf(e, query, w.before) : null;
	/** @type {number[]} */
	const ids = [];
	for (let id = 0; id < e.ids; id++)
		if (now.total[id] || now.self[id] ||
		    (before && (before.total[id] || before.self[id])))
			ids.push(id);
	/** @param {Float64Array} from */
	const pick = (from) => new Float64Array(ids.map((id) => from[id]));
	return {
		ids: new Uint32Array(ids),
		self: pick(now.self),
		total: pick(now.total),
		beforeSelf: before ? pick(before.self) : null,
		beforeTotal: before ? pick(before.total) : null,
		sum: w.now.sum,
		sumBefore: w.compare ? w.before.sum : 0,
		all: sumsOf(e, everything(query), query.type).sum,
	};
}

/**
 * How much the selection weighs, and how much everything.
 * @param {Engine} e
 * @param {Query} query
 */
export function sumOfAll(e, query) {
	const {sum} = sumsOf(e, query, query.type);
	const all = sumsOf(e, everything(query), query.type);
	return {sum, all: all.sum};
}

/**
 * @param {Engine} e
 * @param {Query} query
 * @param {number} id
 * @param {Sums} sums
 */
function selfOf(e, query, id, sums) {
	if (planOf(e, query).shapes || id >= e.functions)
		return tableOf(e, query, sums).self[id];
	const {start, segments} = e.index();
	let self = 0;
	let last = -1;
	for (let i = start[id]; i < start[id + 1]; i++) {
		const s = segments[i];
		if (s !== last && e.fn[e.first[s + 1] - 1] === id)
			self += sums.own[s];
		last = s;
	}
	return self;
}

/**
 * One function: what it spends, who calls it and what it calls.
 * @param {Engine} e
 * @param {Query} query
 * @param {{id: number}} wish
 */
export function details(e, query, wish) {
	const walk = new CallWalk(e, query);
	const w = walk.weighed;
	const how = {reverse: false, byName: false, least: 0};
	const places = walk.begin({...how, at: wish.id}).groups;
	let total = 0;
	let totalBefore = 0;
	/** @type {{id: number, w: number}[]} */
	let callees = [];
	/** @type {{id: number, w: number}[]} */
	let callers = [];
	for (const g of places) {
		total += g.w;
		totalBefore += g.b;
		const down = walk.next(g, how);
		callees = down.groups.map(({id, w: v}) => ({id, w: v}));
		callers = walk.next(g, {...how, reverse: true}).groups
			.map(({id, w: v}) => ({id, w: v}));
	}
	return {id: wish.id, total, self: selfOf(e, query, wish.id, w.now),
		sum: w.now.sum, totalBefore,
		selfBefore: w.compare ? selfOf(e, query, wish.id, w.before) : 0,
		sumBefore: w.compare ? w.before.sum : 0,
		callers: callers.slice(0, 50), callees: callees.slice(0, 50)};
}

/**
 * What a search is about: the functions, and the share of samples.
 * @param {Engine} e
 * @param {Query} query
 * @param {{text: string}} wish
 */
export function search(e, query, wish) {
	const marks = matching(e, wish.text, false);
	const {now} = weigh(e, query);
	const seen = covered(e, marks);
	let matched = 0;
	for (let s = 0; s < seen.length; s++)
		if (seen[s])
			matched += now.own[s];
	let functions = 0;
	for (let f = 0; f < marks.length; f++)
		functions += marks[f];
	return {marks: marks.slice(), matched, functions, sum: now.sum};
}
