// SPDX-License-Identifier: MIT
// Where the page begins: it finds its data, in itself or on the server, and
// starts the app.

import {setWorkerSource} from './client.js';
import {App} from './main.js';
import {byId, el} from './text.js';

/**
 * Blocks of one kind, by the profile that they are of.
 * @param {string} kind
 */
function savedBlocks(kind) {
	/** @type {Map<string, {blocks: string[], key: string, name: string}>} */
	const all = new Map();
	for (const block of document.querySelectorAll(`script[data-${kind}]`)) {
		const key = block.getAttribute('data-' + kind) || '';
		const one = all.get(key) ||
			{blocks: [], key, name: block.getAttribute('data-name') || ''};
		one.blocks.push(block.textContent || '');
		all.set(key, one);
	}
	return [...all.values()];
}

/** The profiles that a saved page carries. */
function savedSources() {
	return savedBlocks('profile').map(({blocks, key, name}) => ({
		blocks, name,
		placeBlocks: savedBlocks('places').find((b) => b.key === key)?.blocks,
		sourceBlocks: savedBlocks('source').find((b) => b.key === key)?.blocks,
	}));
}

/** @type {Record<string, string>} */
const PPROF_VIEWS = {top: 'top', flamegraph: 'flame', graph: 'graph',
	peek: 'sandwich', source: 'source', disasm: 'source'};

/**
 * What an address of pprof's asks for: its path is a view, and f, i, h, s, sf
 * and si are filters and the sample type.
 */
function pprofState() {
	const params = new URLSearchParams(location.search);
	/** @type {import('./query.js').Transform[]} */
	const transforms = [];
	for (const [key, op] of [['f', 'focus'], ['i', 'ignore'], ['h', 'hide'],
		['s', 'only'], ['sf', 'root'], ['p', 'below']]) {
		const text = params.get(key);
		if (text)
			transforms.push({op, text});
	}
	const last = location.pathname.replace(/^.*\//, '');
	return {view: PPROF_VIEWS[last] || 'flame', transforms,
		type: params.get('si') || '', code: last === 'disasm',
		name: params.get('f') || ''};
}

async function start() {
	const program = byId('worker-program');
	let sources;
	if (program) {
		setWorkerSource({text: program.textContent || ''});
		sources = savedSources();
	} else {
		setWorkerSource({url: 'worker.js'});
		const response = await fetch('profiles.json');
		sources = (await response.json()).map(
			(/** @type {{name: string}} */ p, /** @type {number} */ i) =>
				({url: `data/${i}`, places: `places/${i}`,
					source: `source/${i}`, name: p.name}));
	}
	const app = new App(sources);
	if (!location.hash)
		app.asked = pprofState();
	/** @type {any} */ (window).wick = app;
	await app.start();
}

start().catch((error) => {
	byId('stage').replaceChildren(el('div', {class: 'empty', role: 'alert'},
		`This profile can not be shown: ${error}`));
});
