// SPDX-License-Identifier: MIT
// A flame graph on a canvas.  Only what is in the window is drawn, so depth and
// size cost nothing; hovering draws on a second canvas, so it repaints nothing.

import {BOX_ROOT, BOX_SMALL, boxAt, boxOfPath, boxPath, boxRow}
	from './boxes.js';
import {isChance} from './change.js';
import {changeColour, inks, isDark, kindColour} from './colour.js';
import {el, shareText} from './text.js';

/** @typedef {import('./boxes.js').Boxes} Boxes */
/** @typedef {import('./client.js').Profile} Profile */

const BOX_ROW = 18;
const GAP = 1;
const TOLD = 5; // functions, in words
const TELL_AFTER = 150; // ms
const FONT = '12px ui-monospace, "DejaVu Sans Mono", Menlo, monospace';
const LEAST_TEXT = 26;

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
		this.columnWidth = 7.2;
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
		c.addEventListener('keydown', (e) => this.onKey(e));
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
		this.timer = setTimeout(() => this.tell(), TELL_AFTER);
	}

	/** Says what is drawn, for those who can not see it. */
	tell() {
		const b = this.boxes;
		if (!b)
			return;
		/** @type {Map<number, number>} boxes of one function are one */
		const self = new Map();
		for (let i = 0; i < b.count; i++)
			if (b.id[i] >= 0 && b.self[i] > 0)
				self.set(b.id[i], (self.get(b.id[i]) || 0) + b.self[i]);
		const heavy = [...self].sort((x, y) => y[1] - x[1]).slice(0, TOLD);
		this.words.textContent = heavy.length
			? `${b.count} boxes. What takes most itself: ` + heavy.map(
				([id, w]) => `${this.profile?.name(id).slice(0, 200)} ${
					shareText(w, b.all)}`).join(', ') + '.'
			: 'There is nothing in this selection.';
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
		ctx.font = FONT;
		ctx.textBaseline = 'middle';
		this.columnWidth = ctx.measureText('MMMMMMMMMM').width / 10;
		const ink = inks();
		const dark = isDark();
		const height = this.scroller.clientHeight;
		if (!(b.total > 0)) {
			ctx.fillStyle = ink.dim;
			ctx.fillText('There is nothing in this selection.', 24, 32);
		}
		for (let row = b.total > 0 ? b.top : b.rowStart.length; row < b.rowStart.length - 1; row++) {
			const top = this.rowTop(row);
			if (top > height || top + BOX_ROW < 0)
				continue;
			this.drawRow(ctx, row, top, ink, dark);
		}
		this.painted++;
		this.paintedAt = performance.now();
		this.drawOver();
	}

	/**
	 * @param {CanvasRenderingContext2D} ctx
	 * @param {number} row
	 * @param {number} top
	 * @param {ReturnType<typeof inks>} ink
	 * @param {boolean} dark
	 */
	drawRow(ctx, row, top, ink, dark) {
		const b = /** @type {Boxes} */ (this.boxes);
		const scale = this.width() / b.total;
		const end = b.rowStart[row + 1];
		const faded = row < b.zoomed;
		for (let i = b.rowStart[row]; i < end; i++) {
			const x = b.x[i] * scale;
			const w = b.w[i] * scale;
			ctx.fillStyle = this.fill(i, ink, dark);
			ctx.globalAlpha = faded ? 0.7 : 1;
			ctx.fillRect(x, top, Math.max(0.5, w - (w > 3 ? GAP : 0)),
				BOX_ROW - GAP);
			if (b.id[i] === BOX_SMALL && w > 4)
				this.hatch(ctx, x, top, w, ink);
			else if (b.inlined[i] && w > 6)
				this.dash(ctx, x, top, ink);
			if (this.isMatch(b.id[i]))
				this.outline(ctx, x, top, w, ink);
			if (w >= LEAST_TEXT)
				this.label(ctx, i, x, top, w, ink);
		}
		ctx.globalAlpha = 1;
	}

	/** @param {number} id */
	isMatch(id) {
		return !!(this.marks && id >= 0 && this.marks[id]);
	}

	/**
	 * What a box is a part of, now and before.
	 * @param {number} box
	 */
	pair(box) {
		const b = /** @type {Boxes} */ (this.boxes);
		return {now: b.value[box], was: b.before[box], sum: b.all,
			sumBefore: b.allBefore};
	}

	/**
	 * @param {number} box
	 * @param {boolean} dark
	 */
	changeFill(box, dark) {
		const p = this.pair(box);
		return changeColour(p.sumBefore ? p.was / p.sumBefore : 0,
			p.sum ? p.now / p.sum : 0,
			isChance(/** @type {Profile} */ (this.profile), p), dark);
	}

	/**
	 * @param {number} box
	 * @param {ReturnType<typeof inks>} ink
	 * @param {boolean} dark
	 */
	fill(box, ink, dark) {
		const b = /** @type {Boxes} */ (this.boxes);
		const p = /** @type {Profile} */ (this.profile);
		const id = b.id[box];
		if (id === BOX_ROOT || id === BOX_SMALL)
			return ink.root;
		if (this.compare)
			return this.marks && !this.isMatch(id) ? ink.fade
				: this.changeFill(box, dark);
		const key = 2 * id + b.inlined[box];
		let fill = this.fills.get(key);
		if (fill === undefined) {
			fill = kindColour(p.kind(id), !!b.inlined[box], id, dark);
			if (this.marks && !this.isMatch(id))
				fill = ink.fade;
			this.fills.set(key, fill);
		}
		return fill;
	}

	/**
	 * @param {CanvasRenderingContext2D} ctx
	 * @param {number} x
	 * @param {number} top
	 * @param {number} w
	 * @param {ReturnType<typeof inks>} ink
	 */
	hatch(ctx, x, top, w, ink) {
		ctx.strokeStyle = ink.line;
		ctx.lineWidth = 1;
		ctx.beginPath();
		for (let at = x + 3; at < x + w - 2; at += 4) {
			ctx.moveTo(at, top + BOX_ROW - GAP);
			ctx.lineTo(Math.min(at + 4, x + w), top);
		}
		ctx.stroke();
	}

	/**
	 * @param {CanvasRenderingContext2D} ctx
	 * @param {number} x
	 * @param {number} top
	 * @param {ReturnType<typeof inks>} ink
	 */
	dash(ctx, x, top, ink) {
		ctx.fillStyle = ink.text;
		ctx.globalAlpha *= 0.35;
		for (let y = top + 1; y < top + BOX_ROW - 3; y += 4)
			ctx.fillRect(x, y, 1.5, 2);
		ctx.globalAlpha = 1;
	}

	/**
	 * @param {CanvasRenderingContext2D} ctx
	 * @param {number} x
	 * @param {number} top
	 * @param {number} w
	 * @param {ReturnType<typeof inks>} ink
	 */
	outline(ctx, x, top, w, ink) {
		ctx.strokeStyle = ink.accent;
		ctx.lineWidth = 2;
		if (w > 5) {
			ctx.strokeRect(x + 1, top + 1, w - 3, BOX_ROW - GAP - 2);
		} else {
			ctx.fillStyle = ink.accent;
			ctx.fillRect(x, top, Math.max(1, w - 0.5), BOX_ROW - GAP);
		}
	}

	/**
	 * @param {number} box
	 */
	nameOf(box) {
		const b = /** @type {Boxes} */ (this.boxes);
		const p = /** @type {Profile} */ (this.profile);
		if (b.id[box] === BOX_SMALL)
			return `${b.small[box]} smaller`;
		return p.name(b.id[box]);
	}

	/**
	 * @param {CanvasRenderingContext2D} ctx
	 * @param {number} box
	 * @param {number} x
	 * @param {number} top
	 * @param {number} w
	 * @param {ReturnType<typeof inks>} ink
	 */
	label(ctx, box, x, top, w, ink) {
		const b = /** @type {Boxes} */ (this.boxes);
		const bold = this.isMatch(b.id[box]);
		const room = w - 8;
		let text = this.nameOf(box);
		const columns = Math.floor(room / this.columnWidth);
		if (text.length > columns)
			text = text.slice(0, Math.max(1, columns - 1)) + '…';
		// Letters of other scripts are wider than a column.
		while (text.length > 1 && /[^\x20-\x7e…]/.test(text) &&
		       ctx.measureText(text).width > room)
			text = text.slice(0, -2) + '…';
		if (bold)
			ctx.font = 'bold ' + FONT;
		ctx.fillStyle = ink.text;
		ctx.fillText(text, x + 4, top + BOX_ROW / 2);
		if (bold)
			ctx.font = FONT;
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
			Math.max(1, b.w[box] * scale - 2), BOX_ROW - GAP - 1.5);
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
		return boxAt(b, row + b.top, (e.clientX - at.left) / this.width() * b.total);
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

	/** The box that the keyboard is at; the root at first. */
	current() {
		const at = this.boxes ? boxOfPath(this.boxes, this.cursor) : -1;
		return at < 0 ? 0 : at;
	}

	/** @param {KeyboardEvent} e */
	onKey(e) {
		const b = this.boxes;
		if (!b || e.ctrlKey || e.metaKey || e.altKey)
			return;
		const at = this.current();
		const down = this.upsideDown ? 'ArrowUp' : 'ArrowDown';
		let to = -1;
		if (e.key === 'Enter')
			this.zoomTo(at);
		else if (e.key === 'ArrowLeft' || e.key === 'ArrowRight')
			to = this.sibling(at, e.key === 'ArrowLeft' ? -1 : 1);
		else if (e.key === down)
			to = this.child(at);
		else if (e.key === 'ArrowUp' || e.key === 'ArrowDown')
			to = b.parent[at] >= b.top ? b.parent[at] : -1;
		else
			return;
		e.preventDefault();
		e.stopPropagation();
		if (to >= 0)
			this.moveTo(to);
	}

	/** @param {number} box */
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

	/**
	 * @param {number} box
	 * @param {number} by
	 */
	sibling(box, by) {
		const b = /** @type {Boxes} */ (this.boxes);
		const row = boxRow(b, box);
		const to = box + by;
		return to >= b.rowStart[row] && to < b.rowStart[row + 1] ? to : -1;
	}

	/**
	 * The widest box that a box calls.
	 * @param {number} box
	 */
	child(box) {
		const b = /** @type {Boxes} */ (this.boxes);
		const row = boxRow(b, box) + 1;
		let best = -1;
		if (row >= b.rowStart.length - 1)
			return -1;
		for (let i = b.rowStart[row]; i < b.rowStart[row + 1]; i++)
			if (b.parent[i] === box && b.id[i] >= 0 &&
			    (best < 0 || b.w[i] > b.w[best]))
				best = i;
		return best;
	}
}
