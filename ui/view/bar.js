// SPDX-License-Identifier: MIT
// What stands around the views whatever they show: the profile's name and its
// types, and the tabs.

import {baseName, byId, el, valueText} from './text.js';
import {VIEWS} from './views.js';

/** @typedef {import('./main.js').App} App */

/** @param {App} app */
export function drawBar(app) {
	const {meta} = app.profile;
	const name = app.sources[app.file].name || meta.name || '';
	document.title = `${baseName(name) || 'profile'} – wick`;
	const samples = meta.compare ? meta.counts : [meta.samples];
	byId('what').textContent = [baseName(meta.program || ''),
		meta.duration > 0 ? valueText(meta.duration, 'ns') : '',
		`${samples.map((n) => valueText(n, '')).join(' → ')} samples`]
		.filter(Boolean).join(' · ');
	byId('what').title = name;
	const files = byId('files');
	files.replaceChildren(...(app.sources.length < 2 ? []
		: app.sources.map((s, i) => el('button', {type: 'button',
			'aria-current': i === app.file ? 'true' : null,
			onclick: () => app.change({file: i, zoom: [], fn: -1,
				transforms: [], threads: null, range: null, labels: [],
				open: [], type: -1})}, baseName(s.name)))));
	const type = byId('type');
	type.replaceChildren(...meta.types.map((t, i) =>
		el('option', {value: i}, `${t.type} (${t.unit})`)));
	type.parentElement.hidden = meta.types.length < 2 || meta.compare;
}

/** @param {App} app */
export function drawTabs(app) {
	const {state} = app;
	byId('type').value = String(state.type);
	const tabs = VIEWS.map(([name, title], i) => el('button', {
		type: 'button', role: 'tab', id: 'tab-' + name,
		'aria-selected': name === state.view,
		'aria-controls': 'stage', title: `${title} (${i + 1})`,
		onclick: () => app.change({view: name}),
	}, title));
	byId('views').replaceChildren(...tabs);
	tabs.find((t) => t.getAttribute('aria-selected') === 'true')
		?.scrollIntoView({block: 'nearest', inline: 'nearest'});
	byId('stage').setAttribute('aria-label',
		VIEWS.find(([n]) => n === state.view)?.[1] || '');
}
