// SPDX-License-Identifier: MIT
// A table of any length, of which only the rows in the window exist.  For
// screen readers it is a grid that says how many rows there are.

import {el} from './text.js';

const GRID_ROW = 21;
const SPARE = 6;

/**
 * @typedef {object} GridColumn
 * @property {string} key
 * @property {string} title
 * @property {string} [say] the title in full
 * @property {number} [width] in pixels; the last may take the rest
 * @property {string} [kind] class of its cells
 * @property {boolean} [sorts]
 *
 * @typedef {object} GridEvents
 * @property {(row: number, cells: HTMLElement[], line: HTMLElement) => void}
 *   fill puts a row's text into its cells
 * @property {(row: number) => void} select
 * @property {(row: number) => void} [enter]
 * @property {(row: number, x: number, y: number) => void} [menu]
 * @property {(row: number, key: string) => boolean} [key]
 * @property {(key: string) => void} [sort]
 * @property {(from: number, to: number) => void} [shown]
 * @property {(row: number) => void} [hover]
 */

export class Grid {
	/**
	 * @param {HTMLElement} home
	 * @param {string} label
	 * @param {GridColumn[]} columns
	 * @param {GridEvents} events
	 */
	constructor(home, label, columns, events) {
		this.columns = columns;
		this.events = events;
		this.count = 0;
		this.at = -1;
		/** @type {Map<number, {line: HTMLElement, cells: HTMLElement[]}>} */
		this.live = new Map();
		this.head = el('div', {class: 'grid-head', role: 'row'});
		this.room = el('div', {class: 'grid-room', role: 'rowgroup'});
		this.root = el('div', {class: 'grid', role: 'grid', tabindex: '0',
			'aria-label': label, 'aria-colcount': columns.length},
		el('div', {role: 'rowgroup', class: 'unseen-group'}, this.head),
		this.room);
		home.append(this.root);
		this.root.addEventListener('scroll', () => this.paint());
		this.root.addEventListener('keydown', (e) => this.onKey(e));
		this.setHead('', false);
	}

	/**
	 * @param {string} sorted
	 * @param {boolean} up
	 */
	setHead(sorted, up) {
		this.head.replaceChildren(...this.columns.map((c) => {
			const is = c.key === sorted;
			const title = c.title + (is ? (up ? ' ▴' : ' ▾') : '');
			const cell = el('span', {
				role: 'columnheader', class: c.kind || '',
				title: c.say || null,
				'aria-sort': is ? (up ? 'ascending' : 'descending') : null,
			}, c.sorts ? el('button', {type: 'button',
				onclick: () => this.events.sort && this.events.sort(c.key)},
			title) : title);
			if (c.width)
				cell.style.width = c.width + 'px';
			return cell;
		}));
	}

	/** @param {number} count */
	setCount(count) {
		this.count = count;
		this.room.style.height = count * GRID_ROW + 'px';
		this.root.setAttribute('aria-rowcount', String(count + 1));
		for (const {line} of this.live.values())
			line.remove();
		this.live.clear();
		this.paint();
	}

	/** Fills in again what is shown. */
	refresh() {
		for (const [row, one] of this.live)
			this.fill(row, one);
	}

	/** @param {number} row */
	select(row) {
		this.at = row;
		this.refresh();
	}

	/** @param {number} row */
	reveal(row) {
		const top = row * GRID_ROW;
		const room = this.root.clientHeight - GRID_ROW - 6;
		if (top < this.root.scrollTop)
			this.root.scrollTop = top;
		else if (top > this.root.scrollTop + room - GRID_ROW)
			this.root.scrollTop = top - room + GRID_ROW;
		this.paint();
	}

	/**
	 * @param {number} row
	 * @param {{line: HTMLElement, cells: HTMLElement[]}} one
	 */
	fill(row, one) {
		one.line.className = 'grid-row' + (row % 2 ? ' even' : '') +
			(row === this.at ? ' selected' : '');
		one.line.setAttribute('aria-selected', String(row === this.at));
		this.events.fill(row, one.cells, one.line);
	}

	/** @param {number} row */
	make(row) {
		const cells = this.columns.map((c) => {
			const cell = el('span', {role: 'gridcell', class: c.kind || ''});
			if (c.width)
				cell.style.width = c.width + 'px';
			return cell;
		});
		const {events} = this;
		const line = el('div', {
			role: 'row', 'aria-rowindex': row + 2,
			onclick: () => {
				this.select(row);
				events.select(row);
			},
			ondblclick: () => events.enter && events.enter(row),
			onmouseenter: () => events.hover && events.hover(row),
			oncontextmenu: (/** @type {MouseEvent} */ e) => {
				if (!events.menu)
					return;
				e.preventDefault();
				this.select(row);
				events.menu(row, e.clientX, e.clientY);
			},
		}, ...cells);
		line.style.top = row * GRID_ROW + 'px';
		return {line, cells};
	}

	paint() {
		const height = this.root.clientHeight || 600;
		const from = Math.max(0,
			Math.floor(this.root.scrollTop / GRID_ROW) - SPARE);
		const to = Math.min(this.count,
			Math.ceil((this.root.scrollTop + height) / GRID_ROW) + SPARE);
		for (const [row, one] of this.live)
			if (row < from || row >= to) {
				one.line.remove();
				this.live.delete(row);
			}
		let added = false;
		for (let row = from; row < to; row++) {
			if (this.live.has(row))
				continue;
			const one = this.make(row);
			this.live.set(row, one);
			this.fill(row, one);
			this.room.append(one.line);
			added = true;
		}
		if (added && this.events.shown)
			this.events.shown(from, to);
	}

	/** @param {KeyboardEvent} e */
	onKey(e) {
		if (e.ctrlKey || e.metaKey || e.altKey || e.target !== this.root)
			return;
		const page = Math.max(1, Math.floor(this.root.clientHeight / GRID_ROW) - 2);
		/** @type {Record<string, number>} */
		const steps = {ArrowDown: 1, ArrowUp: -1, PageDown: page,
			PageUp: -page, Home: -this.count, End: this.count};
		if (e.key in steps) {
			const to = Math.max(0, Math.min(this.count - 1,
				this.at + steps[e.key]));
			this.select(to);
			this.reveal(to);
			this.events.select(to);
		} else if (this.at >= 0 && this.events.key &&
			   this.events.key(this.at, e.key)) {
			// Done by the view.
		} else if (e.key === 'Enter' && this.at >= 0 && this.events.enter) {
			this.events.enter(this.at);
		} else {
			return;
		}
		e.preventDefault();
		e.stopPropagation();
	}
}
