// SPDX-License-Identifier: MIT
// What is known about the recording, and what was spent under each label.

import {changeClass, changeText} from './change.js';
import {el, exactText, shareText, valueText} from './text.js';

/** @typedef {import('./main.js').App} App */

/** @type {[RegExp, string][]} why things are missing, and what helps */
const WHY = [
	[/samples? (was|were) lost/, 'They came faster than they could be ' +
		'written down. A lower rate helps: wick record -F 99.'],
	[/stacks? (is|are) cut/, 'How to go on to the caller was not known: a ' +
		'binary without unwind tables, code compiled at run time, or a stack ' +
		'deeper than what is copied.'],
	[/sampling pause/, 'The kernel limits what sampling may cost. A lower ' +
		'rate helps: wick record -F 99.'],
	[/not closed|middle of a block/, 'Recording was ended by force, or the ' +
		'disk was full.'],
];

/**
 * What is missing, and why.
 * @param {string} text
 */
function lossOf(text) {
	const why = WHY.find(([pattern]) => pattern.test(text));
	return el('div', null, el('span', {class: 'bad'}, text),
		why ? el('div', {class: 'good'}, why[1]) : null);
}

export class AboutView {
	/**
	 * @param {App} app
	 * @param {HTMLElement} home
	 */
	constructor(app, home) {
		this.app = app;
		this.home = el('div', {class: 'about', tabindex: '0', role: 'region',
			'aria-label': 'About this recording'});
		home.append(this.home);
	}

	async render() {
		const {meta} = this.app.profile;
		const rows = await this.app.client.latest('about', 'rows',
			{...this.app.query(), range: null, threads: null, labels: [],
				transforms: []}, {});
		if (!rows)
			return;
		this.home.replaceChildren(
			el('h2', null, 'What was recorded'), this.facts(meta),
			el('h2', null, 'What is missing'), ...this.losses(meta),
			el('h2', null, 'Sample types'), this.types(meta),
			el('h2', null, 'Where the code is'), this.mappings(meta, rows));
	}

	/** @param {import('./columns.js').Meta} meta */
	facts(meta) {
		const p = this.app.profile;
		/** @type {[string, string][]} */
		const list = [];
		/**
		 * @param {string} key
		 * @param {string|undefined} value
		 */
		const put = (key, value) => {
			if (value)
				list.push([key, value]);
		};
		put('file', meta.name);
		put('program', meta.program);
		meta.comments.forEach((c, i) => put(i ? '' : 'remarks', p.string(c)));
		put('when', meta.time > 0
			? new Date(meta.time / 1e6).toLocaleString() : '');
		put('how long', meta.duration > 0
			? valueText(meta.duration, 'ns') : '');
		put('one sample every', meta.period > 0 && meta.periodUnit
			? `${valueText(meta.period, meta.periodUnit)} of ${
				meta.periodType}` : '');
		put('samples', exactText(meta.samples, '').trim());
		put('different stacks', exactText(p.stacks, '').trim());
		put('functions', exactText(p.functions, '').trim());
		put('threads', String(meta.threads.length));
		return el('dl', null, ...list.flatMap(([key, value]) =>
			[el('dt', null, key), el('dd', null, value)]));
	}

	/** @param {import('./columns.js').Meta} meta */
	losses(meta) {
		const nodes = meta.losses.map(lossOf);
		const all = meta.mappings.reduce((n, m) => n + m.addresses, 0);
		const bare = meta.mappings.reduce((n, m) => n + m.unnamed, 0);
		if (bare)
			nodes.push(el('div', {class: 'bad'}, `${bare} of ${all} ` +
				'addresses have no name: their binaries, or the debugging ' +
				'information of them, were not found'));
		if (!nodes.length)
			nodes.push(el('div', {class: 'good'}, 'Nothing: no sample was ' +
				'lost, no stack cut, every address has a name.'));
		return nodes;
	}

	/** @param {import('./columns.js').Meta} meta */
	types(meta) {
		return el('table', null,
			el('thead', null, el('tr', null, el('th', null, 'type'),
				el('th', null, 'unit'))),
			el('tbody', null, ...meta.types.map((t) => el('tr', null,
				el('td', null, t.type), el('td', null, t.unit)))));
	}

	/**
	 * @param {import('./columns.js').Meta} meta
	 * @param {any} rows
	 */
	mappings(meta, rows) {
		const p = this.app.profile;
		/** @type {Map<string, number>} */
		const spent = new Map();
		for (let i = 0; i < rows.ids.length; i++) {
			const module = p.module(rows.ids[i]);
			spent.set(module, (spent.get(module) || 0) + rows.self[i]);
		}
		const list = meta.mappings.slice().sort((a, b) =>
			(spent.get(b.file || '') || 0) - (spent.get(a.file || '') || 0));
		const seen = new Set();
		return el('table', null,
			el('thead', null, el('tr', null, el('th', null, 'file'),
				el('th', {class: 'n'}, 'self'),
				el('th', {class: 'n'}, 'addresses'),
				el('th', {class: 'n'}, 'without a name'),
				el('th', null, 'build id'))),
			el('tbody', null, ...list.map((m) => {
				const file = m.file || '';
				const self = seen.has(file) ? '' : shareText(
					spent.get(file) || 0, rows.sum);
				seen.add(file);
				return el('tr', null, el('td', null, file || '(none)'),
					el('td', {class: 'n'}, self),
					el('td', {class: 'n'}, String(m.addresses)),
					el('td', {class: 'n'}, String(m.unnamed)),
					el('td', null, m.build || ''));
			})));
	}

	searched() {}
	selected() {}

	focus() {
		this.home.focus();
	}
}

export class LabelsView {
	/**
	 * @param {App} app
	 * @param {HTMLElement} home
	 */
	constructor(app, home) {
		this.app = app;
		this.home = el('div', {class: 'facets', tabindex: '0', role: 'region',
			'aria-label': 'Labels'});
		home.append(this.home);
	}

	async render() {
		const answer = await this.app.client.latest('labels', 'labels',
			this.app.query(), {});
		if (!answer)
			return;
		if (!answer.keys.length) {
			this.home.replaceChildren(el('div', {class: 'empty'},
				'The samples of this selection have no labels.'));
			return;
		}
		this.home.replaceChildren(...answer.keys.map(
			(/** @type {any} */ k) => this.facet(k, answer)));
	}

	/**
	 * @param {{key: number, count: number, values: [number, number][]}} k
	 * @param {{sum: number, sumBefore: number,
	 *   before: Record<number, Record<number, number>>|null}} all
	 */
	facet(k, all) {
		const {app} = this;
		const {sum, sumBefore} = all;
		const key = app.profile.string(k.key);
		return el('section', null,
			el('h2', null, `${key} (${k.count})`),
			el('button', {type: 'button', class: 'option',
				'aria-label': `group by ${key}`,
				onclick: () => app.change({group: k.key, zoom: [],
					view: 'flame'})}, 'group by'),
			...k.values.map(([value, w]) => {
				const text = app.profile.string(value) || '(empty)';
				/** @param {boolean} not */
				const add = (not) => app.change({labels: [
					...app.state.labels, {key: k.key, value, not}]});
				const pair = {now: w, was: all.before?.[k.key]?.[value] || 0,
					sum, sumBefore};
				return el('div', {class: 'facet'},
					el('span', {class: 'name', title: text}, text),
					el('span', {class: 'n'}, `${
						valueText(w, app.unit())} ${shareText(w, sum)}`,
					all.before ? el('span', {class:
						changeClass(app.profile, pair)}, '  ' +
						changeText(app.profile, pair)) : null),
					el('button', {type: 'button', onclick: () => add(false),
						'aria-label': `only ${key} ${text}`}, 'only'),
					el('button', {type: 'button', onclick: () => add(true),
						'aria-label': `not ${key} ${text}`}, 'not'));
			}));
	}

	searched() {}
	selected() {}

	focus() {
		this.home.focus();
	}
}
