// SPDX-License-Identifier: MIT
// The source of the selected function, with what each line costs and the
// machine code it became.  Sources are read by the server; a saved page has
// some in itself.

import {fillChange} from './change.js';
import {el, shareText, valueText} from './text.js';

/** @typedef {import('./main.js').App} App */
/**
 * @typedef {{file: string, first: number, note?: string, lines: string[],
 *   code: [number, number, string][]}} SourceGroup
 * @typedef {{line: number, file: string, self: number, total: number,
 *   before?: number, inlined: boolean}} Heat
 */

/**
 * A path without "." and "..", as reports have it.
 * @param {string} path
 */
function cleanPath(path) {
	/** @type {string[]} */
	const out = [];
	for (const part of path.split('/')) {
		if (part === '..' && out.length && out[out.length - 1])
			out.pop();
		else if (part !== '.' && (part || !out.length))
			out.push(part);
	}
	return out.join('/');
}

export class SourceView {
	/**
	 * @param {App} app
	 * @param {HTMLElement} home
	 */
	constructor(app, home) {
		this.app = app;
		this.note = el('div', {class: 'pane-title'});
		this.home = el('div', {class: 'source', tabindex: '0', role: 'region',
			'aria-label': 'Source'});
		home.append(this.note, this.home);
		/** @type {Set<number>} lines whose code is shown */
		this.open = new Set();
		this.fn = -1;
		/** @type {SourceGroup[]} */
		this.groups = [];
		this.why = ''; // there are none
		this.sums = {sum: 0, sumBefore: 0};
	}

	/** @param {string} text */
	say(text) {
		this.note.textContent = '';
		this.home.replaceChildren(el('div', {class: 'empty'}, text));
	}

	async render() {
		const {app} = this;
		const {fn} = app.state;
		if (fn < 0 || fn >= app.profile.functions) {
			this.say('Select a function, in any view, to see its source.');
			return;
		}
		const name = app.profile.name(fn);
		const [answer, heat] = await Promise.all([
			this.fn === fn ? {groups: this.groups, note: this.why}
				: app.client.send('source', null, {name}, 0),
			app.client.latest('lines', 'lines', app.query(), {fn})]);
		if (!heat || app.state.fn !== fn)
			return;
		this.fn = fn;
		this.groups = answer.groups;
		this.why = answer.note || '';
		if (!answer.groups.length) {
			this.say(answer.note || 'There is no source for this function.');
			return;
		}
		this.draw(heat);
	}

	/** @param {any} heat */
	draw(heat) {
		const {app} = this;
		this.sums = {sum: heat.sum, sumBefore: heat.sumBefore};
		const addresses = new Map(heat.addresses.map(
			(/** @type {number[]} */ r) => [r[0], r]));
		this.note.replaceChildren(app.profile.name(this.fn) + '  ',
			el('button', {type: 'button', class: 'option',
				'aria-pressed': app.state.code, title: 'machine code of all ' +
				'lines (a)', onclick: () => this.key('a')}, 'machine code'));
		this.home.replaceChildren(...this.groups.map((g) =>
			this.table(g, this.heatOf(g, heat), addresses,
				() => this.draw(heat))));
		this.home.querySelector('.hot')?.scrollIntoView({block: 'center'});
	}

	/**
	 * What the lines of one file took: functions of the same name may be in
	 * several.
	 * @param {SourceGroup} g
	 * @param {any} heat
	 * @returns {Map<number, Heat>}
	 */
	heatOf(g, heat) {
		const mine = this.groups.length === 1 ? () => true
			: (/** @type {{file: string}} */ r) =>
				cleanPath(r.file) === cleanPath(g.file);
		const inlined = new Set(heat.inlined.filter(mine).map(
			(/** @type {{line: number}} */ r) => r.line));
		return new Map(heat.lines.filter(mine).map(
			(/** @type {Heat} */ r) => [r.line,
				{...r, inlined: inlined.has(r.line)}]));
	}

	/**
	 * @param {SourceGroup} g
	 * @param {Map<number, Heat>} lines
	 * @param {Map<number, number[]>} addresses
	 * @param {() => void} again
	 */
	table(g, lines, addresses, again) {
		/** @type {Map<number, [number, number, string][]>} */
		const code = new Map();
		for (const row of g.code) {
			const list = code.get(row[0]) || [];
			list.push(row);
			code.set(row[0], list);
		}
		let most = 0;
		for (const row of lines.values())
			most = Math.max(most, row.total);
		// Without the text there are still lines that cost something.
		const numbers = g.lines.length ? g.lines.map((_, i) => g.first + i)
			: [...lines.keys()].sort((a, b) => a - b);
		/** @type {HTMLElement[]} */
		const rows = [];
		for (const n of numbers) {
			const heat = lines.get(n);
			const asm = code.get(n) || [];
			rows.push(this.line({n, text: g.lines[n - g.first] || '', heat,
				most, asm: asm.length}, again));
			if (this.app.state.code || this.open.has(n))
				for (const [, address, text] of asm)
					rows.push(this.instruction(address, text,
						addresses.get(address)));
		}
		return el('div', null,
			el('div', {class: 'pane-title'}, g.file +
				(g.note ? ` (${g.note})` : '')),
			el('table', null, el('thead', null, el('tr', null,
				el('th', {scope: 'col'}, 'self'),
				el('th', {scope: 'col'}, 'total'),
				this.app.compares() ? el('th', {scope: 'col'}, 'Δ') : null,
				el('th', {scope: 'col'}, 'line'),
				el('th', {scope: 'col'}, 'source'))),
			el('tbody', null, ...rows)));
	}

	/**
	 * @param {{n: number, text: string, heat: Heat|undefined,
	 *   most: number, asm: number}} l
	 * @param {() => void} again
	 */
	line(l, again) {
		const {self, total, inlined} = l.heat ||
			{self: 0, total: 0, inlined: false};
		const unit = this.app.unit();
		const row = el('tr', {class: total && total === l.most ? 'hot' : '',
			'data-line': l.n},
		el('td', {class: 'n'}, self ? valueText(self, unit) : ''),
		el('td', {class: 'n', title: total
			? shareText(total, this.app.sum) : null},
		total ? valueText(total, unit) : ''), this.change(l.heat),
		el('td', {class: 'line'}, l.asm ? el('button', {type: 'button',
			class: 'twist', 'aria-expanded': this.open.has(l.n),
			'aria-label': `machine code of line ${l.n}`, onclick: () => {
				if (!this.open.delete(l.n))
					this.open.add(l.n);
				again();
			}}, String(l.n)) : String(l.n)),
		el('td', {class: 'code'}, l.text.slice(0, 400) +
			(inlined ? '   ⟨inlined⟩' : '')));
		if (total) {
			const share = Math.round(8 + 42 * total / l.most);
			row.style.background = `color-mix(in srgb, var(--bar) ${share}%` +
				', transparent)';
		}
		return row;
	}

	/**
	 * In a comparison, what has changed on a line.
	 * @param {Heat|undefined} heat
	 */
	change(heat) {
		if (!this.app.compares())
			return null;
		const cell = el('td', {class: 'n'});
		if (heat)
			fillChange(cell, this.app.profile, {now: heat.total,
				was: heat.before || 0, ...this.sums});
		return cell;
	}

	/**
	 * @param {number} address
	 * @param {string} text
	 * @param {number[]|undefined} heat
	 */
	instruction(address, text, heat) {
		const unit = this.app.unit();
		return el('tr', {class: 'asm'},
			el('td', {class: 'n'}, heat && heat[1]
				? valueText(heat[1], unit) : ''),
			el('td', {class: 'n'}, heat ? valueText(heat[2], unit) : ''),
			this.change(undefined),
			el('td', {class: 'line'}, address.toString(16)),
			el('td', {class: 'code'}, '    ' + text));
	}

	/** @param {string} key */
	key(key) {
		if (key !== 'a')
			return false;
		this.app.change({code: !this.app.state.code});
		return true;
	}

	searched() {}

	selected() {
		this.render();
	}

	focus() {
		this.home.focus();
	}
}
