// SPDX-License-Identifier: MIT
// The call graph: functions in layers, callers above callees.  Made of SVG,
// since it has some dozens of nodes, which the keyboard can then reach.

import {changeText, isChance} from './change.js';
import {changeColour, isDark} from './colour.js';
import {functionMenu} from './functionmenu.js';
import {GAP_Y, NODE_HEIGHT, NODE_WIDTH, placeNodes} from './graphplace.js';
import {drawStatus} from './statusline.js';
import {byId, el, shareText, valueText} from './text.js';

/** @typedef {import('./graphplace.js').Edge2} Edge2 */
/** @typedef {import('./graphplace.js').Node2} Node2 */
/** @typedef {import('./main.js').App} App */

const GRAPH_MOST = 48;
const SVG_NS = 'http://www.w3.org/2000/svg';

/**
 * @param {string} tag
 * @param {Record<string, any>} props
 * @param {...(Node|string)} children
 */
function svg(tag, props, ...children) {
	const node = document.createElementNS(SVG_NS, tag);
	for (const [key, value] of Object.entries(props))
		if (key.startsWith('on'))
			node.addEventListener(key.slice(2), value);
		else if (value !== null)
			node.setAttribute(key, String(value));
	node.append(...children);
	return node;
}

export class GraphView {
	/**
	 * @param {App} app
	 * @param {HTMLElement} home
	 */
	constructor(app, home) {
		this.app = app;
		this.home = el('div', {class: 'graph-home'});
		this.note = el('div', {class: 'pane-title'});
		home.append(this.note, this.home);
		/** @type {Node2[]} */
		this.nodes = [];
		this.box = {x: 0, y: 0, w: 1, h: 1};
		/** @type {Element|null} */
		this.picture = null;
		this.sumBefore = 0;
	}

	async render() {
		const {app} = this;
		const answer = await app.client.latest('graph', 'graph', app.query(),
			{most: GRAPH_MOST, fn: app.state.fn});
		if (!answer)
			return;
		const sum = answer.sum;
		this.nodes = answer.nodes.map((/** @type {any} */ n) =>
			({...n, rank: 0, x: 0, y: 0}));
		/** @type {Edge2[]} */
		const edges = answer.edges.filter((/** @type {Edge2} */ e) =>
			e.weight > sum / 1000);
		if (!this.nodes.length) {
			this.home.replaceChildren(el('div', {class: 'empty'},
				'There is nothing in this selection.'));
			return;
		}
		placeNodes(this.nodes, edges);
		this.note.textContent = `${this.nodes.length} functions` +
			(answer.left ? `, ${answer.left} lighter ones left out` : '') +
			'; drag to move, wheel or + and − to zoom';
		this.sumBefore = answer.sumBefore;
		this.draw(edges, sum);
	}

	/**
	 * @param {Edge2[]} edges
	 * @param {number} sum
	 */
	draw(edges, sum) {
		const right = Math.max(...this.nodes.map((n) => n.x)) + NODE_WIDTH;
		const low = Math.max(...this.nodes.map((n) => n.y)) + NODE_HEIGHT;
		const left = Math.min(...this.nodes.map((n) => n.x));
		this.whole = {x: left - 30, y: -24, w: right - left + 60, h: low + 48};
		this.picture = svg('svg', {role: 'group',
			'aria-label': 'Call graph'},
		...edges.flatMap((e) => this.edge(e, sum)),
		...this.nodes.map((n, i) => this.node(n, i, sum)));
		this.home.replaceChildren(this.picture);
		this.listen(this.picture);
		this.fit();
	}

	/** Shows the top at a size that can be read. */
	fit() {
		const {clientWidth: w, clientHeight: h} = this.home;
		const all = /** @type {{x: number, y: number, w: number, h: number}} */
			(this.whole);
		const scale = Math.min(1, Math.max(0.8, Math.min(w / all.w,
			h / all.h)));
		const width = w / scale;
		const heavy = this.nodes.reduce((a, b) => b.total > a.total ||
			(b.total === a.total && b.rank < a.rank) ? b : a);
		const x = width >= all.w ? all.x - (width - all.w) / 2
			: Math.max(all.x, Math.min(all.x + all.w - width,
				heavy.x + NODE_WIDTH / 2 - width / 2));
		this.setBox({x, y: all.y, w: width, h: h / scale});
	}

	/** @param {{x: number, y: number, w: number, h: number}} box */
	setBox(box) {
		this.box = box;
		this.picture?.setAttribute('viewBox',
			`${box.x} ${box.y} ${box.w} ${box.h}`);
	}

	/**
	 * @param {Edge2} e
	 * @param {number} sum
	 */
	edge(e, sum) {
		const a = this.nodes[e.from];
		const b = this.nodes[e.to];
		const share = e.weight / sum;
		const width = 0.8 + 7 * Math.sqrt(Math.min(1, share));
		let path;
		let at;
		if (e.from === e.to) {
			path = `M${a.x + NODE_WIDTH},${a.y + 10}c26,-6 26,26 0,20`;
			at = [a.x + NODE_WIDTH + 22, a.y + 24];
		} else {
			const x1 = a.x + NODE_WIDTH / 2;
			const y1 = a.y + (e.back ? 0 : NODE_HEIGHT);
			const x2 = b.x + NODE_WIDTH / 2;
			const y2 = b.y + (e.back ? NODE_HEIGHT : 0) - (e.back ? -5 : 5);
			const bend = e.back ? -GAP_Y : Math.max(24, (y2 - y1) / 2);
			path = `M${x1},${y1}C${x1},${y1 + bend} ${x2},${y2 - bend} ${
				x2},${y2}`;
			at = [(x1 + x2) / 2 + 4, (y1 + y2) / 2];
		}
		const title = svg('title', {}, `${this.app.profile.name(a.id)} → ${
			this.app.profile.name(b.id)}: ${shareText(e.weight, sum)}`);
		const out = [svg('path', {class: 'edge', d: path,
			'stroke-width': width.toFixed(2)}, title)];
		if (e.from !== e.to)
			out.push(svg('path', {class: 'tip', d: e.back
				? `M${b.x + NODE_WIDTH / 2 - 5},${b.y + NODE_HEIGHT + 7}h10l-5,-7z`
				: `M${b.x + NODE_WIDTH / 2 - 5},${b.y - 7}h10l-5,7z`}));
		if (share > 0.01)
			out.push(svg('text', {class: 'weight', x: at[0], y: at[1]},
				shareText(e.weight, sum)));
		return out;
	}

	/**
	 * @param {Node2} n
	 * @param {number} i
	 * @param {number} sum
	 */
	node(n, i, sum) {
		const {app} = this;
		const name = app.profile.name(n.id);
		const letters = Math.floor((NODE_WIDTH - 16) / 7.3);
		const cut = name.length > letters
			? name.slice(0, letters - 1) + '…' : name;
		const pair = {now: n.total, was: n.before, sum,
			sumBefore: this.sumBefore};
		const facts = `${valueText(n.total, app.unit())} ${
			shareText(n.total, sum)} · ${app.compares()
			? changeText(app.profile, pair)
			: 'self ' + shareText(n.self, sum)}`;
		const heat = Math.min(1, n.self / sum * 3);
		const bar = svg('rect', {x: 0, y: NODE_HEIGHT - 4,
			width: Math.max(0, NODE_WIDTH * n.total / sum), height: 4, rx: 2});
		/** @type {any} */ (bar).style.fill = 'var(--bar)';
		const self = svg('rect', {x: 0, y: NODE_HEIGHT - 4,
			width: NODE_WIDTH * n.self / sum, height: 4, rx: 2});
		/** @type {any} */ (self).style.fill = 'var(--bar-self)';
		const back = svg('rect', {width: NODE_WIDTH, height: NODE_HEIGHT, rx: 4});
		if (app.compares())
			/** @type {any} */ (back).style.fill = changeColour(
				n.before / (this.sumBefore || 1), n.total / sum,
				isChance(app.profile, pair), isDark());
		else if (heat > 0.01)
			/** @type {any} */ (back).style.fill = `color-mix(in srgb, ` +
				`var(--bar) ${Math.round(heat * 70)}%, var(--panel))`;
		const node = svg('g', {class: 'node', tabindex: '0', role: 'button',
			transform: `translate(${n.x},${n.y})`,
			'data-id': n.id,
			onclick: () => app.select(n.id),
			ondblclick: () => app.change({fn: n.id, view: 'sandwich'}),
			onmouseenter: () => drawStatus(app, n.id, name, facts),
			oncontextmenu: (/** @type {MouseEvent} */ e) => {
				e.preventDefault();
				functionMenu(app, n.id, null, e.clientX, e.clientY);
			},
			onkeydown: (/** @type {KeyboardEvent} */ e) => {
				if (e.key === 'Enter')
					app.select(n.id);
			}},
		svg('title', {}, `${name} ${facts}`), back,
		svg('text', {x: 8, y: 16, 'aria-hidden': 'true'}, cut),
		svg('text', {x: 8, y: 30, class: 'facts', 'aria-hidden': 'true'},
			facts), bar, self);
		node.classList.toggle('selected', n.id === app.state.fn);
		node.classList.toggle('changed', app.compares());
		return node;
	}

	/**
	 * @param {number} factor
	 * @param {number} [px] part of the width that stays
	 * @param {number} [py]
	 */
	zoomBy(factor, px = 0.5, py = 0.5) {
		const {x, y, w, h} = this.box;
		this.setBox({x: x + w * px * (1 - factor),
			y: y + h * py * (1 - factor), w: w * factor, h: h * factor});
	}

	/** @param {Element} picture */
	listen(picture) {
		/** @type {{x: number, y: number}|null} */
		let from = null;
		const scale = () => this.box.w / Math.max(1, this.home.clientWidth);
		picture.addEventListener('wheel', (event) => {
			const e = /** @type {WheelEvent} */ (event);
			e.preventDefault();
			const at = this.home.getBoundingClientRect();
			this.zoomBy(Math.exp(e.deltaY * 0.0015),
				(e.clientX - at.left) / at.width,
				(e.clientY - at.top) / at.height);
		}, {passive: false});
		picture.addEventListener('pointerdown', (event) => {
			const e = /** @type {PointerEvent} */ (event);
			if (!/** @type {Element} */ (e.target).closest('.node'))
				from = {x: e.clientX, y: e.clientY};
		});
		picture.addEventListener('pointermove', (event) => {
			const e = /** @type {PointerEvent} */ (event);
			if (!from)
				return;
			this.setBox({...this.box,
				x: this.box.x - (e.clientX - from.x) * scale(),
				y: this.box.y - (e.clientY - from.y) * scale()});
			from = {x: e.clientX, y: e.clientY};
		});
		for (const kind of ['pointerup', 'pointerleave'])
			picture.addEventListener(kind, () => { from = null; });
	}

	/** @param {string} key */
	key(key) {
		/** @type {Record<string, () => void>} */
		const keys = {
			'+': () => this.zoomBy(0.8), '-': () => this.zoomBy(1.25),
			0: () => this.fit(),
		};
		if (!keys[key])
			return false;
		keys[key]();
		return true;
	}

	searched() {
		for (const node of this.home.querySelectorAll('.node')) {
			const id = Number(node.getAttribute('data-id'));
			node.classList.toggle('match', !!this.app.marks?.[id]);
		}
	}

	selected() {
		for (const node of this.home.querySelectorAll('.node'))
			node.classList.toggle('selected',
				Number(node.getAttribute('data-id')) === this.app.state.fn);
	}

	/** What an export is made of. */
	shown() {
		return {picture: this.picture, whole: this.whole};
	}

	focus() {
		/** @type {any} */ (this.home.querySelector('.node') ||
			byId('main')).focus();
	}
}
