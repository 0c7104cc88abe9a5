// SPDX-License-Identifier: MIT
// How boxes of a flame graph look: their colours, marks and names.  It draws on
// any canvas, and knows nothing of who looks.

import {BOX_ROOT, BOX_SMALL, boxPair} from './boxes.js';
import {isChance} from './change.js';
import {changeColour, inks, kindColour} from './colour.js';

/** @typedef {import('./boxes.js').Boxes} Boxes */
/** @typedef {import('./client.js').Profile} Profile */

export const BOX_ROW = 18;
export const BOX_GAP = 1;
const BOX_FONT = '12px ui-monospace, "DejaVu Sans Mono", Menlo, monospace';
const LEAST_TEXT = 26;

/**
 * What boxes are drawn with.
 * @typedef {object} Look
 * @property {Boxes} boxes
 * @property {Profile} profile
 * @property {boolean} compare
 * @property {Uint8Array|null} marks functions that are searched for
 * @property {Map<number, string>} fills colours that are known already
 * @property {ReturnType<typeof inks>} ink
 * @property {boolean} dark
 * @property {number} width in pixels
 * @property {number} columnWidth of a letter, in pixels
 */

/**
 * How wide a letter is.  Sets the font as well.
 * @param {CanvasRenderingContext2D} ctx
 */
export function letterWidth(ctx) {
	ctx.font = BOX_FONT;
	ctx.textBaseline = 'middle';
	return ctx.measureText('MMMMMMMMMM').width / 10;
}

/**
 * @param {Uint8Array|null} marks
 * @param {number} id
 */
function isMatch(marks, id) {
	return !!(marks && id >= 0 && marks[id]);
}

/**
 * @param {Boxes} b
 * @param {Profile} p
 * @param {number} box
 */
export function boxName(b, p, box) {
	if (b.id[box] === BOX_SMALL)
		return `${b.small[box]} smaller`;
	return p.name(b.id[box]);
}

/**
 * The colour of a box in a comparison.
 * @param {Boxes} b
 * @param {Profile} profile
 * @param {number} box
 * @param {boolean} dark
 */
export function changeFill(b, profile, box, dark) {
	const p = boxPair(b, box);
	return changeColour(p.sumBefore ? p.was / p.sumBefore : 0,
		p.sum ? p.now / p.sum : 0, isChance(profile, p), dark);
}

/**
 * @param {Look} look
 * @param {number} box
 */
function boxFill(look, box) {
	const {boxes: b, profile, marks, fills, ink, dark} = look;
	const id = b.id[box];
	if (id === BOX_ROOT || id === BOX_SMALL)
		return ink.root;
	if (look.compare)
		return marks && !isMatch(marks, id) ? ink.fade
			: changeFill(b, profile, box, dark);
	const key = 2 * id + b.inlined[box];
	let fill = fills.get(key);
	if (fill === undefined) {
		fill = kindColour(profile.kind(id), !!b.inlined[box], id, dark);
		if (marks && !isMatch(marks, id))
			fill = ink.fade;
		fills.set(key, fill);
	}
	return fill;
}

/**
 * Lines over what is many functions.
 * @param {CanvasRenderingContext2D} ctx
 * @param {number} x
 * @param {number} top
 * @param {number} w
 * @param {ReturnType<typeof inks>} ink
 */
function hatch(ctx, x, top, w, ink) {
	ctx.strokeStyle = ink.line;
	ctx.lineWidth = 1;
	ctx.beginPath();
	for (let at = x + 3; at < x + w - 2; at += 4) {
		ctx.moveTo(at, top + BOX_ROW - BOX_GAP);
		ctx.lineTo(Math.min(at + 4, x + w), top);
	}
	ctx.stroke();
}

/**
 * A dashed edge: the function was inlined.
 * @param {CanvasRenderingContext2D} ctx
 * @param {number} x
 * @param {number} top
 * @param {ReturnType<typeof inks>} ink
 * @param {number} alpha of the row
 */
function dash(ctx, x, top, ink, alpha) {
	ctx.fillStyle = ink.text;
	ctx.globalAlpha = alpha * 0.35;
	for (let y = top + 1; y < top + BOX_ROW - 3; y += 4)
		ctx.fillRect(x, y, 1.5, 2);
	ctx.globalAlpha = alpha;
}

/**
 * Around what is searched for.
 * @param {CanvasRenderingContext2D} ctx
 * @param {number} x
 * @param {number} top
 * @param {number} w
 * @param {ReturnType<typeof inks>} ink
 */
function outline(ctx, x, top, w, ink) {
	ctx.strokeStyle = ink.accent;
	ctx.lineWidth = 2;
	if (w > 5) {
		ctx.strokeRect(x + 1, top + 1, w - 3, BOX_ROW - BOX_GAP - 2);
	} else {
		ctx.fillStyle = ink.accent;
		ctx.fillRect(x, top, Math.max(1, w - 0.5), BOX_ROW - BOX_GAP);
	}
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {Look} look
 * @param {number} box
 * @param {number} x
 * @param {number} top
 * @param {number} w
 */
function label(ctx, look, box, x, top, w) {
	const {boxes: b} = look;
	const bold = isMatch(look.marks, b.id[box]);
	const room = w - 8;
	let text = boxName(b, look.profile, box);
	const columns = Math.floor(room / look.columnWidth);
	if (text.length > columns)
		text = text.slice(0, Math.max(1, columns - 1)) + '…';
	// Letters of other scripts are wider than a column.
	while (text.length > 1 && /[^\x20-\x7e…]/.test(text) &&
	       ctx.measureText(text).width > room)
		text = text.slice(0, -2) + '…';
	if (bold)
		ctx.font = 'bold ' + BOX_FONT;
	ctx.fillStyle = look.ink.text;
	ctx.fillText(text, x + 4, top + BOX_ROW / 2);
	if (bold)
		ctx.font = BOX_FONT;
}

/**
 * Fills the boxes of a row, one colour after the other: changing it costs more
 * than a box.
 * @param {CanvasRenderingContext2D} ctx
 * @param {Look} look
 * @param {number} row
 * @param {number} top
 */
function fillRow(ctx, look, row, top) {
	const {boxes: b} = look;
	const scale = look.width / b.total;
	/** @type {Map<string, number[]>} */
	const byFill = new Map();
	for (let i = b.rowStart[row]; i < b.rowStart[row + 1]; i++) {
		const fill = boxFill(look, i);
		const same = byFill.get(fill);
		if (same)
			same.push(i);
		else
			byFill.set(fill, [i]);
	}
	for (const [fill, same] of byFill) {
		ctx.fillStyle = fill;
		for (const i of same) {
			const w = b.w[i] * scale;
			ctx.fillRect(b.x[i] * scale, top,
				Math.max(0.5, w - (w > 3 ? BOX_GAP : 0)),
				BOX_ROW - BOX_GAP);
		}
	}
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {Look} look
 * @param {number} row
 * @param {number} top
 */
export function drawRow(ctx, look, row, top) {
	const {boxes: b, ink} = look;
	const scale = look.width / b.total;
	const end = b.rowStart[row + 1];
	const alpha = row < b.zoomed ? 0.7 : 1;
	ctx.globalAlpha = alpha;
	fillRow(ctx, look, row, top);
	for (let i = b.rowStart[row]; i < end; i++) {
		const x = b.x[i] * scale;
		const w = b.w[i] * scale;
		if (b.id[i] === BOX_SMALL && w > 4)
			hatch(ctx, x, top, w, ink);
		else if (b.inlined[i] && w > 6)
			dash(ctx, x, top, ink, alpha);
		if (isMatch(look.marks, b.id[i]))
			outline(ctx, x, top, w, ink);
		if (w >= LEAST_TEXT)
			label(ctx, look, i, x, top, w);
	}
	ctx.globalAlpha = 1;
}
