// SPDX-License-Identifier: MIT
// The views that there are, in the order of their tabs.

import {AboutView, LabelsView} from './about.js';
import {FlameView, SandwichView} from './flameview.js';
import {GraphView} from './graphview.js';
import {SourceView} from './sourceview.js';
import {TopView} from './topview.js';
import {TreeView} from './treeview.js';

/** @typedef {import('./main.js').App} App */

/**
 * A view: it draws itself for the app's state.
 * @typedef {object} View
 * @property {() => Promise<void>} render
 * @property {() => void} searched the marks have changed
 * @property {() => void} selected the selected function has changed
 * @property {() => void} focus
 * @property {(key: string) => boolean} [key]
 * @property {() => any} [shown]
 */

/** @type {[string, string, new (app: App, home: HTMLElement) => View][]} */
export const VIEWS = [
	['flame', 'Flame graph', FlameView],
	['top', 'Top', TopView],
	['tree', 'Call tree', TreeView],
	['sandwich', 'Sandwich', SandwichView],
	['graph', 'Call graph', GraphView],
	['source', 'Source', SourceView],
	['labels', 'Labels', LabelsView],
	['about', 'About', AboutView],
];
