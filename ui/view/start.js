// SPDX-License-Identifier: MIT
// Where the page begins: it finds its data, in itself or on the server, and
// starts the app.

import {setWorkerSource} from './client.js';
import {App} from './main.js';
import {pprofState} from './pprofaddress.js';
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
