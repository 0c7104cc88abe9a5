// SPDX-License-Identifier: MIT
// What keys do that are not a view's own.  None needs a modifier, and none
// works while a text field has the focus.

import {openExport} from './export.js';
import {addTransform, copyStack, functionMenu} from './functionmenu.js';
import {copyText, openHelp} from './menu.js';
import {ownPatch} from './owncode.js';
import {byId} from './text.js';

/** @typedef {import('./main.js').App} App */

/** @type {Record<string, string>} */
const TRANSFORMS = {f: 'focus', d: 'ignore', F: 'root', h: 'hide', H: 'only',
	c: 'below', C: 'module'};

/** @type {Record<string, (app: App) => void>} */
const ACTIONS = {
	'/': () => {
		byId('search').focus();
		byId('search').select();
	},
	'?': () => openHelp(),
	w: (app) => app.change(ownPatch(app)),
	r: (app) => addTransform(app, 'recursion', 0),
	i: (app) => app.change({reverse: !app.state.reverse, zoom: [], open: []}),
	o: (app) => app.change({flame: !app.state.flame}),
	b: (app) => app.change({byName: !app.state.byName}),
	p: (app) => app.change({view: 'sandwich'}),
	u: () => history.back(),
	x: (app) => takeBack(app),
	t: (app) => app.change({threads: null, range: null}),
	'[': (app) => app.timeline?.step(-1),
	']': (app) => app.timeline?.step(1),
	'{': (app) => app.timeline?.shift(-1),
	'}': (app) => app.timeline?.shift(1),
	P: (app) => app.change({byProcess: !app.state.byProcess}),
	'<': (app) => app.timeline?.phases.step(-1),
	'>': (app) => app.timeline?.phases.step(1),
	m: (app) => app.change({type: (app.state.type + 1) %
		app.profile.meta.types.length}),
	l: (app) => app.copyLink(),
	e: (app) => openExport(app),
	y: (app) => copyStack(app),
	Y: (app) => {
		if (app.state.fn >= 0)
			copyText(app.profile.name(app.state.fn), 'the name');
	},
	Escape: (app) => stepOut(app),
	'.': (app) => {
		if (app.state.fn < 0)
			return;
		const at = byId('stage').getBoundingClientRect();
		functionMenu(app, app.state.fn, app.state.reverse ? null : app.stack,
			at.left + at.width / 3, at.top + at.height / 4);
	},
};

/**
 * Removes the filter that was added last.
 * @param {App} app
 */
function takeBack(app) {
	const s = app.state;
	if (s.transforms.length)
		app.change({transforms: s.transforms.slice(0, -1)});
	else if (s.labels.length)
		app.change({labels: s.labels.slice(0, -1)});
	else if (s.threads || s.range)
		app.change({threads: null, range: null});
}

/** @param {App} app */
function stepOut(app) {
	const s = app.state;
	if (s.search)
		app.change({search: ''});
	else if (s.zoom.length)
		app.change({zoom: s.zoom.slice(0, -1)});
	else if (s.fn >= 0)
		app.select(-1);
}

/**
 * Goes to the next function that the search is about.
 * @param {App} app
 * @param {number} by
 */
function nextMatch(app, by) {
	const {marks, state, profile} = app;
	if (!marks)
		return;
	const n = profile.functions;
	const from = state.fn >= 0 && state.fn < n ? state.fn : by > 0 ? -1 : n;
	for (let i = 1; i <= n; i++) {
		const at = ((from + by * i) % n + n) % n;
		if (marks[at]) {
			app.select(at);
			return;
		}
	}
}

/**
 * @param {App} app
 * @param {KeyboardEvent} e
 */
export function handleKey(app, e) {
	const target = /** @type {HTMLElement} */ (e.target);
	if (e.key === 'f' && (e.ctrlKey || e.metaKey)) {
		e.preventDefault();
		ACTIONS['/'](app);
		return;
	}
	const dialog = /** @type {HTMLDialogElement|null} */ (
		document.querySelector('dialog[open]'));
	if (dialog && e.key === 'Escape')
		dialog.close();
	if (e.ctrlKey || e.metaKey || e.altKey || !app.profile || dialog)
		return;
	if (target.id === 'search') {
		if (e.key === 'Escape') {
			target.blur();
			app.change({search: ''});
			app.view?.focus();
		} else if (e.key === 'Enter') {
			nextMatch(app, e.shiftKey ? -1 : 1);
		}
		return;
	}
	if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName))
		return;
	if (app.view?.key && app.view.key(e.key)) {
		e.preventDefault();
	} else if (/^[1-9]$/.test(e.key)) {
		app.showView(Number(e.key) - 1);
	} else if (e.key in TRANSFORMS) {
		if (app.state.fn >= 0)
			addTransform(app, TRANSFORMS[e.key], app.state.fn);
	} else if (e.key in ACTIONS) {
		e.preventDefault();
		ACTIONS[e.key](app);
	}
}
