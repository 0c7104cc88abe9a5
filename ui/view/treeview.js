// SPDX-License-Identifier: MIT
// The call tree as a table, from the root or from what ran.

import {changeText, fillChange} from './change.js';
import {functionMenu} from './functionmenu.js';
import {drawStatus} from './statusline.js';
import {baseName, el, shareText, valueText} from './text.js';
import {Grid} from './table.js';
import {fillBar} from './topview.js';

/** @typedef {import('./main.js').App} App */

const INDENT = 14;

export class TreeView {
	/**
	 * @param {App} app
	 * @param {HTMLElement} home
	 */
	constructor(app, home) {
		this.app = app;
		/** @type {any[]} */
		this.rows = [];
		this.sum = 0;
		this.opened = false;
		this.looked = -1; // the function that was looked for last
		this.sumBefore = 0;
		/** @type {import('./table.js').GridColumn[]} */
		const numbers = app.compares() ? [
			{key: 'before', title: 'Before', width: 84, kind: 'share'},
			{key: 'total', title: 'After', width: 84},
			{key: 'change', title: 'Δ', width: 92,
				say: 'change of the share of everything'},
		] : [
			{key: 'total', title: 'Total', width: 84},
			{key: 'share', title: '%', width: 64},
			{key: 'self', title: 'Self', width: 84, kind: 'share'},
		];
		this.columns = [...numbers,
			{key: 'bar', title: 'share', width: 110, kind: 'bar left'},
			{key: 'name', title: 'Call', kind: 'name left'},
			{key: 'where', title: 'Where', width: 180, kind: 'where left'}];
		this.grid = new Grid(home, 'Call tree', this.columns, {
			fill: (row, cells, line) => this.fill(row, cells, line),
			select: (row) => app.select(this.rows[row].id, this.stackOf(row)),
			enter: (row) => this.toggle(row),
			menu: (row, x, y) => {
				app.select(this.rows[row].id, this.stackOf(row));
				functionMenu(app, this.rows[row].id, this.pathOf(row), x, y);
			},
			key: (row, key) => this.onKey(row, key),
			hover: (row) => this.hover(row),
		});
		this.grid.root.setAttribute('role', 'treegrid');
	}

	/** @param {number} row */
	pathOf(row) {
		return this.rows[row].path.split('.').map(Number);
	}

	/** @param {number} row */
	stackOf(row) {
		const path = this.pathOf(row);
		return this.app.state.reverse ? path.reverse() : path;
	}

	async render() {
		const {app} = this;
		const s = app.state;
		if (!this.opened && !s.open.length) {
			this.opened = true;
			const open = await app.client.send('heavyPath', app.query(),
				{reverse: s.reverse, from: ''}, 0);
			app.change({open: open.slice(0, 60)}, true);
			return;
		}
		if (this.looked !== s.fn && await this.lookFor(s.fn))
			return;
		const answer = await app.client.latest('tree', 'tree', app.query(),
			{open: s.open, reverse: s.reverse});
		if (!answer)
			return;
		this.rows = answer.rows;
		this.sum = answer.sum;
		this.sumBefore = answer.sumBefore;
		const at = this.grid.at;
		this.grid.setCount(this.rows.length);
		this.grid.select(Math.min(at, this.rows.length - 1));
	}

	/**
	 * @param {number} row
	 * @param {HTMLElement[]} cells
	 * @param {HTMLElement} line
	 */
	fill(row, cells, line) {
		const r = this.rows[row];
		const {app} = this;
		const unit = app.unit();
		/** @type {Record<string, HTMLElement>} */
		const cell = Object.fromEntries(this.columns.map((c, at) =>
			[c.key, cells[at]]));
		const {total, bar, name, where} = cell;
		if (app.marks && app.marks[r.id])
			line.classList.add('match');
		line.setAttribute('aria-level', String(r.depth + 1));
		if (r.kids)
			line.setAttribute('aria-expanded', String(r.open));
		total.textContent = valueText(r.total, unit);
		if (app.compares()) {
			cell.before.textContent = valueText(r.before, unit);
			fillChange(cell.change, app.profile, this.pair(r));
		} else {
			cell.share.textContent = shareText(r.total, this.sum);
			cell.self.textContent = r.self ? valueText(r.self, unit) : '·';
		}
		fillBar(bar, r.total / this.sum, r.self / this.sum);
		const twist = el('span', {class: 'twist', 'aria-hidden': 'true',
			onclick: (/** @type {Event} */ e) => {
				e.stopPropagation();
				this.toggle(row);
			}}, r.kids ? (r.open ? '▾' : '▸') : '\u00a0');
		name.replaceChildren(twist, app.profile.name(r.id));
		name.style.paddingLeft = 4 + r.depth * INDENT + 'px';
		name.title = app.profile.name(r.id).slice(0, 500);
		where.textContent = baseName(app.profile.module(r.id));
	}

	/** @param {{total: number, before: number}} r */
	pair(r) {
		return {now: r.total, was: r.before, sum: this.sum,
			sumBefore: this.sumBefore};
	}

	/** @param {number} row */
	async toggle(row) {
		const r = this.rows[row];
		const {app} = this;
		if (!r.kids)
			return;
		if (r.open) {
			app.change({open: app.state.open.filter((p) => p !== r.path)},
				true);
			return;
		}
		app.change({open: [...app.state.open, r.path]}, true);
	}

	/** @param {number} row */
	async openAll(row) {
		const {app} = this;
		const more = await app.client.send('heavyPath', app.query(),
			{reverse: app.state.reverse, from: this.rows[row].path}, 0);
		app.change({open: [...new Set([...app.state.open, ...more])]}, true);
	}

	/**
	 * @param {number} row
	 * @param {string} key
	 */
	onKey(row, key) {
		const r = this.rows[row];
		if (key === 'ArrowRight') {
			if (r.kids && !r.open)
				this.toggle(row);
			else if (r.kids)
				this.go(row + 1);
		} else if (key === 'ArrowLeft') {
			if (r.open)
				this.toggle(row);
			else
				this.go(this.parentOf(row));
		} else if (key === '*') {
			this.openAll(row);
		} else {
			return false;
		}
		return true;
	}

	/** @param {number} row */
	parentOf(row) {
		let at = row;
		while (at > 0 && this.rows[at].depth >= this.rows[row].depth)
			at--;
		return at;
	}

	/** @param {number} row */
	go(row) {
		if (row >= this.rows.length)
			return;
		this.grid.select(row);
		this.grid.reveal(row);
		this.app.select(this.rows[row].id, this.stackOf(row));
	}

	/** @param {number} row */
	hover(row) {
		const r = this.rows[row];
		const unit = this.app.unit();
		drawStatus(this.app, r.id, this.app.profile.name(r.id),
			`total ${valueText(r.total, unit)} (${
				shareText(r.total, this.sum)}) · ${this.app.compares()
				? changeText(this.app.profile, this.pair(r))
				: 'self ' + valueText(r.self, unit)}`);
	}

	searched() {
		this.grid.refresh();
	}

	/**
	 * Opens the heaviest path to a function, unless one is open.
	 * @param {number} fn
	 */
	async lookFor(fn) {
		const {app} = this;
		this.looked = fn;
		if (fn < 0 || app.state.reverse ||
		    this.rows.some((r) => r.id === fn))
			return false;
		const more = await app.client.send('pathTo', app.query(), {fn}, 0);
		if (!more.length || app.state.fn !== fn)
			return false;
		await app.change({open: [...new Set([...app.state.open, ...more])]},
			true);
		this.selected();
		return true;
	}

	selected() {
		const {fn} = this.app.state;
		const at = this.rows.findIndex((r) => r.id === fn);
		if (at < 0 && fn !== this.looked) {
			this.lookFor(fn);
		} else if (this.rows[this.grid.at]?.id !== fn) {
			this.grid.select(at);
			if (at >= 0)
				this.grid.reveal(at);
		}
	}

	focus() {
		this.grid.root.focus();
	}
}
