// SPDX-License-Identifier: MIT
// The line above a view: what was filtered, where the view is zoomed to, how
// much is left, and what can be switched.

import {isOwn, ownCode, ownPatch} from './owncode.js';
import {baseName, byId, el, shareText, valueText} from './text.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./query.js').Transform} Transform */
/** @typedef {import('./state.js').State} State */

/** @type {Record<string, string>} */
const OPS = {focus: 'focus', ignore: 'drop', hide: 'hide', only: 'only',
	root: 'root', below: 'collapse below', module: 'collapse',
	recursion: 'collapse recursion'};

/**
 * What can be switched for this view.
 * @param {App} app
 */
function switches(app) {
	const s = app.state;
	const flames = s.view === 'flame';
	/**
	 * @param {string} title
	 * @param {string} say
	 * @param {boolean} on
	 * @param {Partial<State>} patch
	 */
	const option = (title, say, on, patch) => el('button', {
		type: 'button', title: say, 'aria-pressed': on, class: 'option',
		onclick: () => app.change(patch)}, title);
	const out = [];
	const own = ownCode(app);
	if (own)
		out.push(option('my code', 'only functions of the program ' +
			'itself: what they call counts for them (w)', isOwn(app),
		ownPatch(app)));
	if (flames || s.view === 'tree')
		out.push(option('bottom up',
			'from the functions that ran to their callers (i)',
			s.reverse, {reverse: !s.reverse, zoom: [], open: []}));
	if (flames)
		out.push(option('root below', 'as flames, not as icicles (o)',
			s.flame, {flame: !s.flame}));
	if (flames || s.view === 'sandwich')
		out.push(option('by name', 'ordered by name, not weight (b)',
			s.byName, {byName: !s.byName}));
	return out;
}

/**
 * @param {App} app
 * @param {Transform} t
 */
function transformName(app, t) {
	if (t.text !== undefined)
		return `/${t.text}/`;
	if (t.module !== undefined)
		return baseName(app.profile.string(t.module));
	return t.fn !== undefined ? app.profile.name(t.fn) : '';
}

/** @param {App} app */
function zoomCrumbs(app) {
	const {zoom, view} = app.state;
	if (view !== 'flame' || !zoom.length)
		return [];
	const crumbs = [el('button', {class: 'crumb', type: 'button',
		onclick: () => app.change({zoom: []})}, 'all')];
	const skip = zoom.length > 6 ? zoom.length - 5 : 0;
	zoom.forEach((id, i) => {
		if (i < skip && i > 0)
			return;
		const last = i === zoom.length - 1;
		crumbs.push(el('span', {class: 'sep', 'aria-hidden': 'true'},
			i && i === skip ? '› … ›' : '›'),
		el('button', {class: 'crumb', type: 'button',
			'aria-current': last ? 'location' : null,
			onclick: () => app.change({zoom: zoom.slice(0, i + 1)})},
		app.profile.name(id)));
	});
	return crumbs;
}

/** @param {App} app */
function totalText(app) {
	const unit = app.unit();
	const sum = valueText(app.sum, unit);
	if (app.compares())
		return `${sum} now · red has grown, blue has shrunk, ` +
			'grey may be chance';
	if (app.sum === app.all)
		return `total ${sum}`;
	return `${sum} of ${valueText(app.all, unit)} (${
		shareText(app.sum, app.all)})`;
}

/**
 * The selection: what was filtered, and where the view is zoomed to.
 * @param {App} app
 */
export function drawCrumbs(app) {
	const s = app.state;
	/** @type {HTMLElement[]} */
	const chips = [];
	/**
	 * @param {string} what
	 * @param {string} name
	 * @param {Partial<State>} without
	 */
	const chip = (what, name, without) => chips.push(el('span',
		{class: 'chip'}, el('b', null, what),
		name ? el('span', {class: 'name', title: name.slice(0, 500)},
			'\u00a0' + name) : null,
		el('button', {type: 'button', 'aria-label':
			`remove ${what} ${name}`.slice(0, 200),
		onclick: () => app.change(without)}, '×')));
	if (s.range)
		chip('time', s.range.map((t) => valueText(t *
			(app.profile.meta.tick || 1), 'ns')).join(' – '),
		{range: null});
	for (const t of s.threads || []) {
		const rest = (s.threads || []).filter((one) => one !== t);
		chip('thread', app.profile.threadName(t),
			{threads: rest.length ? rest : null});
	}
	s.labels.forEach((l, i) => chip(l.not ? 'without' : 'label',
		`${app.profile.string(l.key)} ${app.profile.string(l.value)}`,
		{labels: s.labels.filter((_, at) => at !== i)}));
	if (s.group)
		chip('by', app.profile.string(s.group), {group: 0, zoom: []});
	s.transforms.forEach((t, i) => chip(OPS[t.op] || t.op,
		transformName(app, t), {transforms:
			s.transforms.filter((_, at) => at !== i)}));
	byId('crumbs').replaceChildren(...chips, ...zoomCrumbs(app),
		el('span', {id: 'total'}, totalText(app)), ...switches(app));
}
