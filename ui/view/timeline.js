// SPDX-License-Identifier: MIT
// A track for each thread or process: what it spent when, and how much of that
// is in focus.  Dragging chooses a range of time, clicking a name a thread,
// clicking a phase its range.

import {inks} from './colour.js';
import {PhaseTracks} from './phasetrack.js';
import {el, shareText, valueText} from './text.js';

/** @typedef {import('./main.js').App} App */
/**
 * @typedef {{name: string, threads: number[], spent: number,
 *   sum: number}} Track
 */

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

	/**
	 * The tracks: threads, or the threads of each process; those that spent
	 * most first.
	 * @returns {Track[]}
	 */
	groups() {
		const {all, buckets, sum} = this.answer;
		const p = this.app.profile;
		const {byProcess} = this.app.state;
		/** @type {Map<string, Track>} */
		const groups = new Map();
		p.meta.threads.forEach((about, t) => {
			const name = byProcess ? p.processName(t) : p.threadName(t);
			const key = byProcess ? about.slice(2).join() : String(t);
			const group = groups.get(key) || {name, threads: [], spent: 0,
				sum: 0};
			groups.set(key, group);
			group.threads.push(t);
			group.sum += sum[t];
			for (let i = 0; i < buckets; i++)
				group.spent += all[t * buckets + i];
		});
		return [...groups.values()].sort((a, b) => b.spent - a.spent ||
			b.sum - a.sum || a.threads[0] - b.threads[0])
			.slice(0, MOST_TRACKS);
	}

	/** Whether threads are of several processes. */
	hasProcesses() {
		return new Set(this.app.profile.meta.threads.map((about) =>
			about.slice(2).join())).size > 1;
	}

	/**
	 * What the threads of a track spent in each bucket.
	 * @param {Float64Array} of
	 * @param {Track} group
	 */
	barsOf(of, group) {
		const {buckets} = this.answer;
		const bars = new Float64Array(buckets);
		for (const t of group.threads)
			for (let i = 0; i < buckets; i++)
				bars[i] += of[t * buckets + i];
		return bars;
	}

	draw() {
		const {app, answer} = this;
		const chosen = app.state.threads;
		const groups = this.groups();
		const nodes = [];
		if (answer.timed || this.hasProcesses())
			nodes.push(this.corner(), answer.timed ? this.ruler()
				: el('div', {class: 'ruler'}));
		nodes.push(...this.phases.cells(this.width()));
		const bars = groups.map((g) => this.barsOf(answer.all, g));
		const most = Math.max(0, ...bars.map((b) => Math.max(...b)));
		groups.forEach((group, i) => {
			const {name} = group;
			const is = !!chosen && group.threads.every((t) =>
				chosen.includes(t));
			nodes.push(el('button', {
				class: 'track-name', type: 'button', title: name,
				'aria-pressed': is, 'data-thread': group.threads[0],
				onclick: (/** @type {MouseEvent} */ e) =>
					this.chooseTrack(group, e.shiftKey || e.ctrlKey),
			}, name), this.track(group, bars[i], most, !chosen || is));
		});
		this.tracks.replaceChildren(...nodes);
		if (answer.timed)
			this.tracks.append(this.pad);
		this.showBrush(app.state.range);
	}

	/** What stands left of the ruler. */
	corner() {
		const {app} = this;
		const by = app.state.byProcess;
		return el('div', {class: 'ruler-name'}, this.answer.timed ? 'time' : '',
			this.hasProcesses() ? el('button', {type: 'button',
				class: 'by-process', 'aria-pressed': by,
				title: 'a track for each process, not for each thread (P)',
				onclick: () => app.change({byProcess: !by})}, 'processes')
				: null);
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
	 * @param {Track} group
	 * @param {Float64Array} bars
	 * @param {number} most
	 * @param {boolean} on
	 */
	track(group, bars, most, on) {
		const {buckets, timed} = this.answer;
		const lit = this.barsOf(this.answer.lit, group);
		const width = this.width();
		const ratio = window.devicePixelRatio || 1;
		const canvas = /** @type {HTMLCanvasElement} */ (el('canvas', {
			role: 'img', 'aria-label': `${group.name}: ${
				valueText(group.sum, this.app.unit())}`}));
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
			const a = bars[i] / most;
			const l = lit[i] / most;
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
				ctx.fillText(shareText(group.sum, this.app.all),
					10 + a * (width - 90), 17);
			}
		}
		return track;
	}

	/**
	 * @param {Track} group
	 * @param {boolean} more
	 */
	chooseTrack(group, more) {
		const now = this.app.state.threads;
		const {threads} = group;
		let next;
		if (now && threads.every((t) => now.includes(t)))
			next = now.filter((t) => !threads.includes(t));
		else
			next = [...new Set(more && now ? [...now, ...threads] : threads)];
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
	 * The track beside the chosen one.
	 * @param {number} by
	 */
	step(by) {
		if (!this.answer)
			return;
		const groups = this.groups();
		const now = this.app.state.threads;
		const at = now ? groups.findIndex((g) => g.threads.includes(now[0]))
			: by > 0 ? -1 : groups.length;
		this.app.change({threads: groups[at + by]?.threads || null});
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
