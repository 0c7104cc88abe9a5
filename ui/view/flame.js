// SPDX-License-Identifier: MIT
// A flame graph on a canvas.  Only what is in the window is drawn, so depth and
// size cost nothing; hovering draws on a second canvas, so it repaints nothing.

import {BOX_ROOT, BOX_SMALL, boxAt, boxOfPath, boxPath, boxRow}
	from './boxes.js';
import {BOX_GAP, BOX_ROW, boxName, drawRow, letterWidth} from './boxpaint.js';
import {inks, isDark} from './colour.js';
import {boxesInWords, walkBoxes} from './flameaccess.js';
import {el} from './text.js';

/** @typedef {import('./boxes.js').Boxes} Boxes */
/** @typedef {import('./client.js').Profile} Profile */

const TELL_AFTER = 150; // ms

/**
 * What a canvas tells the page.
 * @typedef {object} FlameEvents
 * @property {(box: number) => void} hover
 * @property {(id: number, path: number[]) => void} select
 * @property {(path: number[]) => void} zoom
 * @property {(id: number, path: number[], x: number, y: number) => void} menu
 * @property {(text: string) => void} say
 * @property {(box: number) => string} describe
 */

export class FlameCanvas {
	/**
	 * @param {HTMLElement} home
	 * @param {string} label
	 * @param {FlameEvents} events
	 */
	constructor(home, label, events) {
		this.home = home;
		this.events = events;
		/** @type {Boxes|null} */
		this.boxes = null;
		/** @type {Profile|null} */
		this.profile = null;
		/** @type {Uint8Array|null} */
		this.marks = null;
		this.upsideDown = false; // the root is at the bottom
		this.compare = false;
		this.selected = -1;
		this.hovered = -1;
		this.timer = 0;
		/** @type {number[]} path of the box that the keyboard is at */
		this.cursor = [];
		this.painted = 0; // how often, and when last: for measurements
		this.paintedAt = 0;
		/** @type {Map<number, string>} */
		this.fills = new Map();
		this.spacer = el('div', {class: 'flame-room'});
		const textId = 'in-words-' + label.replace(/\W/g, '');
		this.canvas = /** @type {HTMLCanvasElement} */ (el('canvas',
			{class: 'flame-boxes', tabindex: '0', role: 'application',
				'aria-label': label + '. Arrow keys walk, Enter zooms, ' +
				'Escape zooms out. The table of functions has the same ' +
				'numbers as text.', 'aria-describedby': textId}));
		this.words = el('p', {id: textId, class: 'unseen'});
		this.over = /** @type {HTMLCanvasElement} */ (el('canvas',
			{class: 'flame-over', 'aria-hidden': 'true'}));
		this.scroller = el('div', {class: 'flame-scroll'},
			el('div', {class: 'flame-stage'}, this.canvas, this.over),
			this.spacer);
		home.append(this.scroller, this.words);
		this.listen();
	}

	listen() {
		const c = this.canvas;
		c.addEventListener('mousemove', (e) => this.hover(this.hit(e)));
		c.addEventListener('mouseleave', () => this.hover(-1));
		c.addEventListener('click', (e) => this.pick(this.hit(e)));
		c.addEventListener('dblclick', (e) => this.zoomTo(this.hit(e)));
		c.addEventListener('contextmenu', (e) => {
			e.preventDefault();
			this.openMenu(this.hit(e), e.clientX, e.clientY);
		});
		c.addEventListener('keydown', (e) => walkBoxes(this, e));
		c.addEventListener('focus', () => this.drawOver());
		c.addEventListener('blur', () => this.drawOver());
		this.scroller.addEventListener('scroll', () => this.draw());
	}

	/**
	 * @param {{boxes: Boxes, profile: Profile, compare: boolean,
	 *   upsideDown: boolean, marks: Uint8Array|null, selected: number}} what
	 */
	show(what) {
		const atEnd = this.upsideDown !== what.upsideDown ||
			(this.boxes === null && what.upsideDown);
		this.boxes = what.boxes;
		this.profile = what.profile;
		this.compare = what.compare;
		this.upsideDown = what.upsideDown;
		this.marks = what.marks;
		this.selected = what.selected;
		this.hovered = -1;
		this.fills.clear();
		this.resize();
		if (atEnd)
			this.scroller.scrollTop = what.upsideDown
				? this.scroller.scrollHeight : 0;
		this.draw();
		clearTimeout(this.timer);
		this.timer = setTimeout(() => {
			this.words.textContent = boxesInWords(what.boxes, what.profile);
		}, TELL_AFTER);
	}

	/** @param {Uint8Array|null} marks */
	setMarks(marks) {
		this.marks = marks;
		this.draw();
	}

	/** @param {number} id */
	setSelected(id) {
		this.selected = id;
		this.drawOver();
	}

	rows() {
		return this.boxes ? this.boxes.rowStart.length - 1 - this.boxes.top
			: 0;
	}

	/** The width that boxes may take, in pixels. */
	width() {
		return Math.max(50, this.scroller.clientWidth);
	}

	resize() {
		const width = this.width();
		const height = Math.max(BOX_ROW, this.scroller.clientHeight);
		const ratio = window.devicePixelRatio || 1;
		for (const c of [this.canvas, this.over]) {
			const w = Math.round(width * ratio);
			const h = Math.round(height * ratio);
			if (c.width !== w || c.height !== h) {
				c.width = w;
				c.height = h;
				c.style.width = width + 'px';
				c.style.height = height + 'px';
			}
		}
		const all = Math.max(this.rows() * BOX_ROW + 4, 0);
		this.spacer.style.height = Math.max(0, all - height) + 'px';
	}

	/**
	 * Where a row is on the canvas.
	 * @param {number} row
	 */
	rowTop(row) {
		row -= this.boxes ? this.boxes.top : 0;
		const height = this.scroller.clientHeight;
		const all = this.rows() * BOX_ROW;
		const top = this.upsideDown
			? Math.max(all, height) - (row + 1) * BOX_ROW : row * BOX_ROW;
		return top - this.scroller.scrollTop;
	}

	/** @param {CanvasRenderingContext2D} ctx */
	begin(ctx) {
		const ratio = window.devicePixelRatio || 1;
		ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
		ctx.clearRect(0, 0, this.canvas.width, this.canvas.height);
	}

	draw() {
		const ctx = this.canvas.getContext('2d');
		const b = this.boxes;
		if (!ctx || !b || !this.profile)
			return;
		this.begin(ctx);
		const ink = inks();
		const look = {boxes: b, profile: this.profile, compare: this.compare,
			marks: this.marks, fills: this.fills, ink, dark: isDark(),
			width: this.width(), columnWidth: letterWidth(ctx)};
		const height = this.scroller.clientHeight;
		if (!(b.total > 0)) {
			ctx.fillStyle = ink.dim;
			ctx.fillText('There is nothing in this selection.', 24, 32);
		}
		for (let row = b.total > 0 ? b.top : b.rowStart.length;
		     row < b.rowStart.length - 1; row++) {
			const top = this.rowTop(row);
			if (top > height || top + BOX_ROW < 0)
				continue;
			drawRow(ctx, look, row, top);
		}
		this.painted++;
		this.paintedAt = performance.now();
		this.drawOver();
	}

	/** @param {number} box */
	nameOf(box) {
		return boxName(/** @type {Boxes} */ (this.boxes),
			/** @type {Profile} */ (this.profile), box);
	}

	/** Hovering, the selected function, and where the keyboard is. */
	drawOver() {
		const ctx = this.over.getContext('2d');
		const b = this.boxes;
		if (!ctx || !b)
			return;
		this.begin(ctx);
		const ink = inks();
		const lit = this.hovered >= 0 ? b.id[this.hovered] : BOX_ROOT;
		ctx.lineWidth = 1.5;
		if (this.selected >= 0)
			this.frameAll(ctx, this.selected, ink.accent);
		if (lit >= 0)
			this.frameAll(ctx, lit, ink.ink);
		const at = document.activeElement === this.canvas
			? boxOfPath(b, this.cursor) : -1;
		if (at >= 0)
			this.frame(ctx, at, ink.accent, 3);
	}

	/**
	 * @param {CanvasRenderingContext2D} ctx
	 * @param {number} id
	 * @param {string} colour
	 */
	frameAll(ctx, id, colour) {
		const b = /** @type {Boxes} */ (this.boxes);
		for (let i = 0; i < b.count; i++)
			if (b.id[i] === id)
				this.frame(ctx, i, colour, 1.5);
	}

	/**
	 * @param {CanvasRenderingContext2D} ctx
	 * @param {number} box
	 * @param {string} colour
	 * @param {number} width
	 */
	frame(ctx, box, colour, width) {
		const b = /** @type {Boxes} */ (this.boxes);
		const scale = this.width() / b.total;
		const top = this.rowTop(boxRow(b, box));
		ctx.strokeStyle = colour;
		ctx.lineWidth = width;
		ctx.strokeRect(b.x[box] * scale + 0.75, top + 0.75,
			Math.max(1, b.w[box] * scale - 2), BOX_ROW - BOX_GAP - 1.5);
	}

	/** @param {MouseEvent} e */
	hit(e) {
		const b = this.boxes;
		if (!b || !(b.total > 0))
			return -1;
		const at = this.canvas.getBoundingClientRect();
		const y = e.clientY - at.top + this.scroller.scrollTop;
		const all = Math.max(this.rows() * BOX_ROW, this.scroller.clientHeight);
		const row = Math.floor((this.upsideDown ? all - y : y) / BOX_ROW);
		return boxAt(b, row + b.top,
			(e.clientX - at.left) / this.width() * b.total);
	}

	/**
	 * The middle of a box in the window, for menus and tests.
	 * @param {number} box
	 */
	middle(box) {
		const b = /** @type {Boxes} */ (this.boxes);
		const at = this.canvas.getBoundingClientRect();
		const scale = this.width() / b.total;
		return {
			x: at.left + (b.x[box] + b.w[box] / 2) * scale,
			y: at.top + this.rowTop(boxRow(b, box)) + BOX_ROW / 2,
		};
	}

	/** @param {number} box */
	hover(box) {
		if (box === this.hovered)
			return;
		this.hovered = box;
		this.canvas.style.cursor = box >= 0 ? 'pointer' : 'default';
		this.drawOver();
		this.events.hover(box);
	}

	/** @param {number} box */
	pick(box) {
		const b = this.boxes;
		if (!b || box < 0)
			return;
		this.cursor = boxPath(b, box);
		this.events.select(b.id[box] >= 0 ? b.id[box] : -1, this.cursor);
		this.drawOver();
	}

	/** @param {number} box */
	zoomTo(box) {
		const b = this.boxes;
		if (b && box >= 0 && b.id[box] !== BOX_SMALL)
			this.events.zoom(boxPath(b, box));
	}

	/**
	 * @param {number} box
	 * @param {number} x
	 * @param {number} y
	 */
	openMenu(box, x, y) {
		const b = this.boxes;
		if (!b || box < 0 || b.id[box] < 0)
			return;
		this.pick(box);
		this.events.menu(b.id[box], boxPath(b, box), x, y);
	}

	/**
	 * Takes the keyboard to a box.
	 * @param {number} box
	 */
	moveTo(box) {
		const b = /** @type {Boxes} */ (this.boxes);
		this.cursor = boxPath(b, box);
		const top = this.rowTop(boxRow(b, box));
		const height = this.scroller.clientHeight;
		if (top < 0)
			this.scroller.scrollTop += top;
		else if (top + BOX_ROW > height)
			this.scroller.scrollTop += top + BOX_ROW - height;
		this.events.select(b.id[box] >= 0 ? b.id[box] : -1, this.cursor);
		this.events.hover(box);
		this.events.say(this.events.describe(box));
		this.drawOver();
	}
}
