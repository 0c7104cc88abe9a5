// SPDX-License-Identifier: MIT
// What can be done with a function, in every view: filters, and copying.

import {copyText, openMenu} from './menu.js';
import {baseName} from './text.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./query.js').Transform} Transform */

/**
 * @param {App} app
 * @param {string} op
 * @param {number} id
 */
export function addTransform(app, op, id) {
	const p = app.profile;
	/** @type {Transform} */
	let t = {op, fn: id};
	if (op === 'recursion')
		t = {op};
	else if (id >= p.functions)
		t = {op, module: id - p.functions};
	else if (op === 'module' || op === 'only')
		t = {op, module: p.functionModule[id]};
	const same = JSON.stringify(t);
	if (app.state.transforms.some((one) => JSON.stringify(one) === same))
		return;
	app.change({transforms: [...app.state.transforms, t], zoom: []});
}

/** @param {App} app */
export function copyStack(app) {
	const path = app.stack || (app.state.fn >= 0 ? [app.state.fn] : []);
	if (path.length)
		copyText(path.map((id) => app.profile.name(id)).join('\n'),
			'the stack');
}

/**
 * What can be done with a function.
 * @param {App} app
 * @param {number} id
 * @param {number[]|null} path
 * @param {number} x
 * @param {number} y
 */
export function functionMenu(app, id, path, x, y) {
	const p = app.profile;
	app.select(id);
	/**
	 * @param {string} title
	 * @param {string} key
	 * @param {string} op
	 */
	const op = (title, key, op) => ({title, key,
		run: () => addTransform(app, op, id)});
	const items = [
		op('Focus: only stacks with it', 'f', 'focus'),
		op('Drop: only stacks without it', 'd', 'ignore'),
		op('Root: begin stacks with it', 'F', 'root'),
		op('Hide: its cost goes to its caller', 'h', 'hide'),
		op('Collapse what it calls', 'c', 'below'),
		op('Collapse recursion', 'r', 'recursion'),
		{title: 'Callers and callees', key: 'p',
			run: () => app.change({fn: id, view: 'sandwich'})},
		...(path ? [{title: 'Zoom to it', key: 'z',
			run: () => app.change({zoom: path, view: 'flame'})},
		{title: 'Copy the stack', key: 'y',
			run: () => copyStack(app)}] : []),
		{title: 'Copy the name', key: 'Y',
			run: () => copyText(p.name(id), 'the name')},
	];
	const module = baseName(p.module(id));
	if (module)
		items.splice(6, 0,
			op(`Collapse ${module}`, 'C', 'module'),
			op(`Only functions of ${module}`, 'H', 'only'));
	openMenu(p.name(id), items, x, y);
}
