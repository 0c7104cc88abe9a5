// SPDX-License-Identifier: MIT
// The table of functions: what each spends itself, and with all it calls.

import {changeOf, fillChange} from './change.js';
import {inks} from './colour.js';
import {functionMenu} from './functionmenu.js';
import {drawStatus} from './statusline.js';
import {baseName, el, shareText, valueText} from './text.js';
import {Grid} from './table.js';

/** @typedef {import('./main.js').App} App */

const BUCKETS = 48;

/** @type {import('./table.js').GridColumn[]} */
const COLUMNS = [
	{key: 'self', title: 'Self', width: 84, sorts: true,
		say: 'spent in the function itself'},
	{key: 'selfShare', title: '%', width: 64, kind: 'share'},
	{key: 'total', title: 'Total', width: 84, sorts: true,
		say: 'spent in the function and in all it calls'},
	{key: 'totalShare', title: '%', width: 64, kind: 'share'},
	{key: 'bar', title: 'share', width: 110, kind: 'bar left'},
	{key: 'spark', title: 'over time', width: 112, kind: 'spark'},
	{key: 'name', title: 'Function', kind: 'name left', sorts: true},
	{key: 'where', title: 'Where', width: 230, kind: 'where left'},
];

/** @type {import('./table.js').GridColumn[]} */
const CHANGES = [
	{key: 'before', title: 'Before', width: 84, sorts: true},
	{key: 'self', title: 'After', width: 84, sorts: true},
	{key: 'change', title: 'Self Δ', width: 92, sorts: true,
		say: 'change of the share spent in the function itself'},
	{key: 'totalChange', title: 'Total Δ', width: 92, sorts: true,
		say: 'change of the share spent with all it calls'},
	{key: 'total', title: 'Total after', width: 96, sorts: true},
	{key: 'name', title: 'Function', kind: 'name left', sorts: true},
	{key: 'where', title: 'Where', width: 230, kind: 'where left'},
];

export class TopView {
	/**
	 * @param {App} app
	 * @param {HTMLElement} home
	 */
	constructor(app, home) {
		this.app = app;
		/** @type {any} */
		this.answer = null;
		/** @type {number[]} rows of the answer in the order shown */
		this.order = [];
		/** @type {Map<number, Float64Array>} */
		this.sparks = new Map();
		this.timed = !!app.profile.extent;
		const columns = app.compares() ? CHANGES
			: COLUMNS.filter((c) => c.key !== 'spark' || this.timed);
		this.columns = columns;
		this.grid = new Grid(home, 'Functions', columns, {
			fill: (row, cells, line) => this.fill(row, cells, line),
			select: (row) => app.select(this.idAt(row)),
			enter: (row) => app.change({fn: this.idAt(row),
				view: 'sandwich'}),
			menu: (row, x, y) => functionMenu(app, this.idAt(row), null, x, y),
			sort: (key) => this.sortBy(key),
			shown: () => this.askSparks(),
			hover: (row) => this.hover(row),
		});
	}

	/** @param {number} row */
	idAt(row) {
		return this.answer.ids[this.order[row]];
	}

	/** @param {string} key */
	sortBy(key) {
		const {sort} = this.app.state;
		this.app.change({sort: sort === key ? '-' + key : key});
	}

	async render() {
		const {app} = this;
		const answer = await app.client.latest('rows', 'rows', app.query(), {});
		if (!answer)
			return;
		this.answer = answer;
		this.sparks.clear();
		this.sort();
		this.grid.setCount(this.order.length);
		this.selected();
	}

	/**
	 * What a function spent, now and before.
	 * @param {number} i
	 * @param {boolean} total
	 */
	pair(i, total) {
		const a = this.answer;
		return {now: total ? a.total[i] : a.self[i],
			was: total ? a.beforeTotal[i] : a.beforeSelf[i],
			sum: a.sum, sumBefore: a.sumBefore};
	}

	sort() {
		const a = this.answer;
		const {app} = this;
		let key = app.state.sort.replace(/^-/, '');
		const up = app.state.sort.startsWith('-');
		if (app.compares() && key === 'self' && !up)
			key = 'change';
		/** @type {Record<string, (i: number) => number>} */
		const by = {
			self: (i) => a.self[i], total: (i) => a.total[i],
			before: (i) => a.beforeSelf ? a.beforeSelf[i] : 0,
			name: (i) => -a.ids[i],
			change: (i) => Math.abs(changeOf(this.pair(i, false))),
			totalChange: (i) => Math.abs(changeOf(this.pair(i, true))),
		};
		const value = by[key] || by.self;
		const values = Float64Array.from(a.ids, (_, i) => value(i));
		this.order = Array.from(a.ids, (_, i) => i).sort((x, y) =>
			values[y] - values[x] || a.total[y] - a.total[x] || x - y);
		if (up)
			this.order.reverse();
		this.grid.setHead(key, up !== (key === 'name'));
	}

	/**
	 * @param {number} row
	 * @param {HTMLElement[]} cells
	 * @param {HTMLElement} line
	 */
	fill(row, cells, line) {
		const i = this.order[row];
		const a = this.answer;
		const id = a.ids[i];
		const {app} = this;
		const unit = app.unit();
		const p = app.profile;
		if (app.marks && id < app.marks.length && app.marks[id])
			line.classList.add('match');
		this.columns.forEach((column, at) => {
			const cell = cells[at];
			switch (column.key) {
			case 'self':
				cell.textContent = valueText(a.self[i], unit);
				break;
			case 'total':
				cell.textContent = valueText(a.total[i], unit);
				break;
			case 'before':
				cell.textContent = valueText(a.beforeSelf[i], unit);
				break;
			case 'selfShare':
				cell.textContent = shareText(a.self[i], a.sum);
				break;
			case 'totalShare':
				cell.textContent = shareText(a.total[i], a.sum);
				break;
			case 'change':
				fillChange(cell, p, this.pair(i, false));
				break;
			case 'totalChange':
				fillChange(cell, p, this.pair(i, true));
				break;
			case 'bar':
				fillBar(cell, a.total[i] / a.sum, a.self[i] / a.sum);
				break;
			case 'spark':
				this.fillSpark(cell, id);
				break;
			case 'name':
				cell.textContent = p.name(id);
				cell.title = p.name(id).slice(0, 500);
				break;
			default:
				cell.textContent = baseName(p.module(id)) +
					(p.file(id) ? '  ' + baseName(p.file(id)) : '');
				cell.title = [p.module(id), p.file(id)].join('  ').trim();
			}
		});
	}

	/**
	 * @param {HTMLElement} cell
	 * @param {number} id
	 */
	fillSpark(cell, id) {
		const values = this.sparks.get(id);
		cell.replaceChildren();
		if (!values)
			return;
		const canvas = /** @type {HTMLCanvasElement} */ (el('canvas',
			{width: 96, height: 15, 'aria-hidden': 'true'}));
		const ctx = canvas.getContext('2d');
		const most = Math.max(...values);
		if (!ctx || !(most > 0))
			return;
		ctx.fillStyle = inks().lit;
		values.forEach((v, x) => {
			const h = 14 * v / most;
			ctx.fillRect(x * 2, 15 - h, 1.6, h);
		});
		cell.append(canvas);
	}

	/** Asks for the lines of those rows that are in the window. */
	async askSparks() {
		if (!this.timed || this.app.compares() || !this.answer)
			return;
		const ids = [...this.grid.live.keys()].map((row) => this.idAt(row))
			.filter((id) => !this.sparks.has(id));
		if (!ids.length)
			return;
		const answer = await this.app.client.latest('sparks', 'sparks',
			this.app.query(), {ids, buckets: BUCKETS});
		if (!answer)
			return;
		ids.forEach((id, i) => this.sparks.set(id, answer.values.subarray(
			i * BUCKETS, (i + 1) * BUCKETS)));
		this.grid.refresh();
	}

	/** @param {number} row */
	hover(row) {
		const a = this.answer;
		const i = this.order[row];
		const unit = this.app.unit();
		drawStatus(this.app, a.ids[i], this.app.profile.name(a.ids[i]),
			`total ${valueText(a.total[i], unit)} (${
				shareText(a.total[i], a.sum)}) · self ${
				valueText(a.self[i], unit)} (${
				shareText(a.self[i], a.sum)})`);
	}

	searched() {
		this.grid.refresh();
	}

	selected() {
		const {fn} = this.app.state;
		const row = fn < 0 || !this.answer ? -1
			: this.order.findIndex((i) => this.answer.ids[i] === fn);
		this.grid.select(row);
	}

	focus() {
		this.grid.root.focus();
	}
}

/**
 * @param {HTMLElement} cell
 * @param {number} total share
 * @param {number} self share
 */
export function fillBar(cell, total, self) {
	const long = el('i');
	const short = el('i', {class: 'self'});
	long.style.width = Math.max(0, Math.min(1, total)) * 100 + 'px';
	short.style.width = Math.max(0, Math.min(1, self)) * 100 + 'px';
	cell.replaceChildren(long, short);
}
