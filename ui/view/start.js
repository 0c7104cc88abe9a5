// SPDX-License-Identifier: MIT
// Where the page begins: it finds its data, in itself or on the server, and
// starts the app.

import {setWorkerSource} from './client.js';
import {App} from './main.js';
import {byId, el} from './text.js';

/** The profiles that a saved page carries. */
function savedSources() {
	const blocks = [...document.querySelectorAll('script[data-profile]')];
	/** @type {Map<string, {blocks: string[], name: string}>} */
	const all = new Map();
	for (const block of blocks) {
		const key = block.getAttribute('data-profile') || '';
		const one = all.get(key) ||
			{blocks: [], name: block.getAttribute('data-name') || ''};
		one.blocks.push(block.textContent || '');
		all.set(key, one);
	}
	return [...all.values()];
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
				({url: `data/${i}`, name: p.name}));
	}
	const app = new App(sources);
	/** @type {any} */ (window).wick = app;
	await app.start();
}

start().catch((error) => {
	byId('stage').replaceChildren(el('div', {class: 'empty', role: 'alert'},
		`This profile can not be shown: ${error}`));
});
