// SPDX-License-Identifier: MIT
// The pane about the selected function, beside every view.

import {changeClass, changeText} from './change.js';
import {addTransform, functionMenu} from './functionmenu.js';
import {el, shareText, valueText} from './text.js';

/** @typedef {import('./main.js').App} App */

const DETAILS_MOST = 8;

export class DetailsPane {
	/**
	 * @param {App} app
	 * @param {HTMLElement} home
	 */
	constructor(app, home) {
		this.app = app;
		this.home = home;
	}

	async render() {
		const {app} = this;
		const {fn} = app.state;
		const was = this.home.hidden;
		this.home.hidden = fn < 0;
		if (was !== this.home.hidden && app.view)
			app.view.render();
		if (fn < 0)
			return;
		const answer = await app.client.latest('details', 'details',
			app.query(), {id: fn});
		if (!answer || app.state.fn !== answer.id)
			return;
		this.draw(answer);
	}

	/** @param {any} d */
	draw(d) {
		const {app} = this;
		const p = app.profile;
		const unit = app.unit();
		const line = d.id < p.functions ? p.functionLine[d.id] : 0;
		const file = p.file(d.id);
		this.home.replaceChildren(
			el('button', {class: 'close', type: 'button',
				'aria-label': 'close', onclick: () => app.select(-1)}, '×'),
			el('h2', null, p.name(d.id)),
			el('div', {class: 'place'}, p.module(d.id)),
			el('div', {class: 'place'}, file ? file +
				(line ? ':' + line : '') : ''),
			el('h3', null, 'In this selection'),
			el('table', null, el('tbody', null,
				this.row('self', unit, {now: d.self, was: d.selfBefore,
					sum: d.sum, sumBefore: d.sumBefore}),
				this.row('total', unit, {now: d.total, was: d.totalBefore,
					sum: d.sum, sumBefore: d.sumBefore}))),
			el('div', {class: 'actions'},
				this.action('focus', 'focus', d.id),
				this.action('drop', 'ignore', d.id),
				this.action('root', 'root', d.id),
				this.action('hide', 'hide', d.id),
				el('button', {type: 'button', onclick: () =>
					app.change({view: 'sandwich'})}, 'sandwich'),
				el('button', {type: 'button', 'aria-haspopup': 'menu',
					onclick: (/** @type {MouseEvent} */ e) => functionMenu(app, d.id,
						null, e.clientX, e.clientY)}, 'more…')),
			...this.list('Called by', d.callers, d.total),
			...this.list('Calls', d.callees, d.total));
	}

	/**
	 * @param {string} title
	 * @param {string} op
	 * @param {number} id
	 */
	action(title, op, id) {
		return el('button', {type: 'button', onclick: () =>
			addTransform(this.app, op, id)}, title);
	}

	/**
	 * @param {string} name
	 * @param {string} unit
	 * @param {import('./change.js').Pair} p
	 */
	row(name, unit, p) {
		const {profile} = this.app;
		return el('tr', {'data-row': name}, el('td', null, name),
			el('td', {class: 'n'}, valueText(p.now, unit)),
			el('td', {class: 'n'}, shareText(p.now, p.sum)),
			this.app.compares() ? el('td', {class: 'n ' +
				changeClass(profile, p)}, changeText(profile, p)) : null);
	}

	/**
	 * @param {string} title
	 * @param {{id: number, w: number}[]} list
	 * @param {number} whole
	 */
	list(title, list, whole) {
		const {app} = this;
		if (!list.length)
			return [];
		return [el('h3', null, title), el('table', null, el('tbody', null,
			...list.slice(0, DETAILS_MOST).map(({id, w}) => el('tr', null,
				el('td', null, el('button', {class: 'go', type: 'button',
					onclick: () => app.select(id)}, app.profile.name(id))),
				el('td', {class: 'n'}, shareText(w, whole))))))];
	}
}
