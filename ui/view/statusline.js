// SPDX-License-Identifier: MIT
// What the pointer or the keyboard is at, in words: the line at the bottom, and
// what screen readers say.

import {baseName, byId} from './text.js';

/** @typedef {import('./main.js').App} App */

const HINT = 'click selects · double click zooms · right click has more · ' +
	'? shows keys';

/**
 * The line at the bottom: what the pointer is at.
 * @param {App} app
 * @param {number} id
 * @param {string} name
 * @param {string} facts
 */
export function drawStatus(app, id, name, facts) {
	const p = app.profile;
	const line = id >= 0 && id < p.functions ? p.functionLine[id] : 0;
	const where = id >= 0 ? [baseName(p.module(id)),
		p.file(id) ? baseName(p.file(id)) + (line ? ':' + line : '') : '']
		.filter(Boolean).join(' · ') : '';
	byId('status-name').textContent = name;
	byId('status-facts').textContent = id === -1 && !name ? HINT
		: [facts, where].filter(Boolean).join(' · ');
}

/** @param {string} text */
export function say(text) {
	byId('voice').textContent = text;
}
