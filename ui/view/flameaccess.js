// SPDX-License-Identifier: MIT
// A flame graph without a mouse, and for those who can not see it: arrow keys
// walk from box to box, and what takes most is said in words.

import {boxBelow, boxBeside, boxOfPath} from './boxes.js';
import {shareText} from './text.js';

/** @typedef {import('./boxes.js').Boxes} Boxes */
/** @typedef {import('./client.js').Profile} Profile */
/** @typedef {import('./flame.js').FlameCanvas} FlameCanvas */

const TOLD = 5; // functions, in words

/**
 * What is drawn, in words.
 * @param {Boxes} b
 * @param {Profile} profile
 */
export function boxesInWords(b, profile) {
	/** @type {Map<number, number>} boxes of one function are one */
	const self = new Map();
	for (let i = 0; i < b.count; i++)
		if (b.id[i] >= 0 && b.self[i] > 0)
			self.set(b.id[i], (self.get(b.id[i]) || 0) + b.self[i]);
	const heavy = [...self].sort((x, y) => y[1] - x[1]).slice(0, TOLD);
	return heavy.length
		? `${b.count} boxes. What takes most itself: ` + heavy.map(
			([id, w]) => `${profile.name(id).slice(0, 200)} ${
				shareText(w, b.all)}`).join(', ') + '.'
		: 'There is nothing in this selection.';
}

/**
 * Goes to another box, or zooms to the one that the keyboard is at: the root
 * at first.
 * @param {FlameCanvas} canvas
 * @param {KeyboardEvent} e
 */
export function walkBoxes(canvas, e) {
	const b = canvas.boxes;
	if (!b || e.ctrlKey || e.metaKey || e.altKey)
		return;
	const at = Math.max(0, boxOfPath(b, canvas.cursor));
	const down = canvas.upsideDown ? 'ArrowUp' : 'ArrowDown';
	let to = -1;
	if (e.key === 'Enter')
		canvas.zoomTo(at);
	else if (e.key === 'ArrowLeft' || e.key === 'ArrowRight')
		to = boxBeside(b, at, e.key === 'ArrowLeft' ? -1 : 1);
	else if (e.key === down)
		to = boxBelow(b, at);
	else if (e.key === 'ArrowUp' || e.key === 'ArrowDown')
		to = b.parent[at] >= b.top ? b.parent[at] : -1;
	else
		return;
	e.preventDefault();
	e.stopPropagation();
	if (to >= 0)
		canvas.moveTo(to);
}
