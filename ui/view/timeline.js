// SPDX-License-Identifier: MIT
// A track for each thread: what it spent when, and how much of that is in focus.
// Dragging chooses a range of time, clicking a name a thread, clicking a phase
// its range.

import {inks} from './colour.js';
import {PhaseTracks} from './phasetrack.js';
import {el, shareText, valueText} from './text.js';

/** @typedef {import('./main.js').App} App */

const TRACK = 26;
const MOST_TRACKS = 40;
const LEAST_DRAG = 4;

// Steps of a ruler above some seconds, in nanoseconds.
const CLOCK = [5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600,
	43200, 86400].map((s) => s * 1e9);

/**
 * A time on the ruler: 1.5s, 2:30, 1:00:00.
 * @param {number} nanos
 */
function clockText(nanos) {
	const s = Math.round(nanos / 1e9);
	if (s < 60)
		return nanos ? valueText(nanos, 'ns') : '0';
	/** @param {number} n */
	const two = (n) => String(n).padStart(2, '0');
	const minutes = Math.floor(s / 60);
	return minutes < 60 ? `${minutes}:${two(s % 60)}`
		: `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(s % 60)}`;
}

export class Timeline {
	/**
	 * @param {App} app
	 * @param {HTMLElement} home
	 */
	constructor(app, home) {
		this.app = app;
		this.home = home;
		/** @type {any} */
		this.answer = null;
		this.phases = new PhaseTracks(app);
		this.tracks = el('div', {class: 'tracks'});
		this.brush = el('div', {class: 'brush', hidden: true});
		this.pad = el('div', {class: 'brush-home', 'aria-hidden': 'true'},
			this.brush);
		home.replaceChildren(this.tracks);
		this.listen();
	}

	/** Whether there is anything to tell. */
	useful() {
		const p = this.app.profile;
		return !this.app.compares() &&
			(p.extent > 0 || p.meta.threads.length > 1 || p.phases);
	}

	width() {
		return Math.max(60, this.home.clientWidth -
			(window.innerWidth <= 760 ? 92 : 148) - 1);
	}

	async render() {
		const {app} = this;
		this.home.hidden = !this.useful();
		if (this.home.hidden)
			return;
		// Some samples in each, or they say nothing of how busy it was.
		const each = app.profile.meta.samples /
			Math.max(1, app.profile.meta.threads.length) / 4;
		const buckets = app.profile.extent ? Math.floor(Math.min(600,
			this.width() / 2, Math.max(60, each))) : 1;
		const [answer] = await Promise.all([
			app.client.latest('timeline', 'timeline', app.query(),
				{buckets, fn: app.state.fn}),
			this.phases.ask(this.width())]);
		if (!answer)
			return;
		this.answer = answer;
		this.draw();
	}

	/** Threads, those that spent most first. */
	order() {
		const {all, buckets, sum} = this.answer;
		const threads = this.app.profile.meta.threads.map((_, i) => i);
		const weight = threads.map((t) => {
			let w = 0;
			for (let i = 0; i < buckets; i++)
				w += all[t * buckets + i];
			return w;
		});
		return threads.sort((a, b) => weight[b] - weight[a] ||
			sum[b] - sum[a] || a - b).slice(0, MOST_TRACKS);
	}

	draw() {
		const {app, answer} = this;
		const chosen = app.state.threads;
		const order = this.order();
		const nodes = [];
		if (answer.timed)
			nodes.push(el('div', {class: 'ruler-name'}, 'time'), this.ruler());
		nodes.push(...this.phases.cells(this.width()));
		let most = 0;
		for (const v of answer.all)
			most = Math.max(most, v);
		for (const t of order) {
			const name = app.profile.threadName(t);
			const is = !!chosen && chosen.includes(t);
			nodes.push(el('button', {
				class: 'track-name', type: 'button', title: name,
				'aria-pressed': is, 'data-thread': t,
				onclick: (/** @type {MouseEvent} */ e) =>
					this.chooseThread(t, e.shiftKey || e.ctrlKey),
			}, name), this.track(t, most, !chosen || is));
		}
		this.tracks.replaceChildren(...nodes);
		if (answer.timed)
			this.tracks.append(this.pad);
		this.showBrush(app.state.range);
	}

	ruler() {
		const {extent, tick} = this.answer;
		const nanos = extent * tick;
		const width = this.width();
		const room = Math.max(2, Math.floor(width / 110));
		const raw = nanos / room;
		const ten = 10 ** Math.floor(Math.log10(raw));
		const step = (raw >= 5e9 ? CLOCK : [1, 2, 5, 10].map((n) => n * ten))
			.find((n) => n >= raw) || raw;
		const ruler = el('div', {class: 'ruler'});
		for (let at = 0; at < nanos; at += step) {
			const mark = el('span', null, clockText(at));
			mark.style.left = at / nanos * width + 'px';
			ruler.append(mark);
		}
		return ruler;
	}

	/**
	 * @param {number} t
	 * @param {number} most
	 * @param {boolean} on
	 */
	track(t, most, on) {
		const {all, lit, buckets, sum, timed} = this.answer;
		const width = this.width();
		const ratio = window.devicePixelRatio || 1;
		const canvas = /** @type {HTMLCanvasElement} */ (el('canvas', {
			role: 'img', 'aria-label': `${this.app.profile.threadName(t)}: ${
				valueText(sum[t], this.app.unit())}`}));
		canvas.width = width * ratio;
		canvas.height = TRACK * ratio;
		canvas.style.width = width + 'px';
		canvas.style.height = TRACK + 'px';
		const ctx = canvas.getContext('2d');
		const track = el('div', {class: 'track'}, canvas);
		if (!ctx || !(most > 0))
			return track;
		const ink = inks();
		ctx.scale(ratio, ratio);
		const w = width / buckets;
		for (let i = 0; i < buckets; i++) {
			const left = Math.round(i * w);
			const right = Math.max(left + 1, Math.round((i + 1) * w));
			const a = all[t * buckets + i] / most;
			const l = lit[t * buckets + i] / most;
			if (timed) {
				ctx.fillStyle = ink.unlit;
				ctx.fillRect(left, TRACK - 1 - a * 23, right - left, a * 23);
				ctx.fillStyle = on ? ink.lit : ink.dim;
				ctx.fillRect(left, TRACK - 1 - l * 23, right - left, l * 23);
			} else {
				ctx.fillStyle = ink.unlit;
				ctx.fillRect(4, 5, a * (width - 90), 15);
				ctx.fillStyle = on ? ink.lit : ink.dim;
				ctx.fillRect(4, 5, l * (width - 90), 15);
				ctx.fillStyle = ink.dim;
				ctx.font = '11px system-ui, sans-serif';
				ctx.fillText(shareText(sum[t], this.app.all),
					10 + a * (width - 90), 17);
			}
		}
		return track;
	}

	/**
	 * @param {number} t
	 * @param {boolean} more
	 */
	chooseThread(t, more) {
		const now = this.app.state.threads;
		let next;
		if (now && now.includes(t))
			next = now.filter((one) => one !== t);
		else
			next = more && now ? [...now, t] : [t];
		this.app.change({threads: next.length ? next : null});
	}

	/** @param {[number, number]|null} range in ticks */
	showBrush(range) {
		this.brush.hidden = !range;
		if (!range || !this.answer)
			return;
		const scale = this.width() / this.answer.extent;
		this.brush.style.left = range[0] * scale + 'px';
		this.brush.style.width = Math.max(1, (range[1] - range[0]) * scale) +
			'px';
	}

	listen() {
		/** @type {number|null} */
		let from = null;
		const {pad} = this;
		/** @param {PointerEvent} e */
		const at = (e) => Math.max(0, Math.min(this.width(),
			e.clientX - pad.getBoundingClientRect().left));
		/**
		 * @param {number} a
		 * @param {number} b
		 * @returns {[number, number]}
		 */
		const ticks = (a, b) => {
			const scale = this.answer.extent / this.width();
			return [Math.floor(Math.min(a, b) * scale),
				Math.ceil(Math.max(a, b) * scale)];
		};
		pad.addEventListener('pointerdown', (e) => {
			if (e.button)
				return;
			from = at(e);
			pad.setPointerCapture(e.pointerId);
		});
		pad.addEventListener('pointermove', (e) => {
			if (from !== null)
				this.showBrush(ticks(from, at(e)));
		});
		pad.addEventListener('pointerup', (e) => {
			if (from === null)
				return;
			const to = at(e);
			const drag = Math.abs(to - from) >= LEAST_DRAG;
			const range = drag ? ticks(from, to) : null;
			from = null;
			this.app.change({range});
		});
	}

	/**
	 * The thread beside the chosen one.
	 * @param {number} by
	 */
	step(by) {
		if (!this.answer)
			return;
		const order = this.order();
		const now = this.app.state.threads;
		const at = now ? order.indexOf(now[0]) : by > 0 ? -1 : order.length;
		const to = at + by;
		this.app.change({threads: to >= 0 && to < order.length
			? [order[to]] : null});
	}

	/**
	 * Moves or makes a range by keyboard: an eighth of what is shown.
	 * @param {number} by
	 */
	shift(by) {
		const {extent} = this.app.profile;
		if (!extent)
			return;
		const [a, b] = this.app.state.range || [0, Math.ceil(extent / 8)];
		const width = b - a;
		const start = this.app.state.range
			? Math.max(0, Math.min(extent - width, a + by * width)) : 0;
		this.app.change({range: [start, start + width]});
	}
}
