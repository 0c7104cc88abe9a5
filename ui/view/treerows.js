// SPDX-License-Identifier: MIT
// The call tree as rows: those that are open, and what is to be opened to see
// something.

import {CallWalk} from './callwalk.js';
import {sumOfGroups} from './groups.js';

/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./groups.js').Grouped} Grouped */
/** @typedef {import('./query.js').Query} Query */

const TREE_MOST = 400;
const PATH_MOST = 2000;

/**
 * The rows of the call tree that are open.
 * @param {Engine} e
 * @param {Query} query
 * @param {{open: string[], reverse: boolean}} wish
 */
export function tree(e, query, wish) {
	const walk = new CallWalk(e, query);
	const how = {reverse: wish.reverse, byName: false, least: 0};
	const open = new Set(wish.open);
	/** @type {{path: string, id: number, depth: number, total: number,
	 *   self: number, before: number, kids: number, open: boolean}[]} */
	const out = [];
	const least = walk.weighed.now.sum / 1e6;

	/**
	 * @param {Grouped} grouped
	 * @param {string} path
	 * @param {number} depth
	 */
	function add(grouped, path, depth) {
		for (const g of grouped.groups.slice(0, TREE_MOST)) {
			const here = path ? path + '.' + g.id : String(g.id);
			const next = walk.next(g, {...how, least});
			const [sum] = sumOfGroups(next);
			const isOpen = open.has(here);
			out.push({path: here, id: g.id, depth, total: g.w,
				self: Math.max(0, g.w - sum), before: g.b,
				kids: next.groups.length, open: isOpen});
			if (isOpen)
				add(next, here, depth + 1);
		}
	}
	const roots = walk.begin({...how, least});
	add(roots, '', 0);
	const [sum, sumBefore] = sumOfGroups(roots);
	return {rows: out, sum, sumBefore};
}

/**
 * The path of the heaviest calls, which a tree opens by itself.
 * @param {Engine} e
 * @param {Query} query
 * @param {{reverse: boolean, from: string}} wish
 */
export function heavyPath(e, query, wish) {
	const walk = new CallWalk(e, query);
	const how = {reverse: wish.reverse, byName: false, least: 0};
	/** @type {string[]} */
	const paths = [];
	const from = wish.from ? wish.from.split('.').map(Number) : [];
	let grouped = walk.begin(how);
	let path = '';
	let weight = 0;
	for (let depth = 0; depth < 200; depth++) {
		const g = depth < from.length
			? grouped.groups.find((one) => one.id === from[depth])
			: grouped.groups[0];
		if (!g || (depth >= from.length && g.w < weight / 2))
			break;
		path = path ? path + '.' + g.id : String(g.id);
		paths.push(path);
		weight = g.w;
		grouped = walk.next(g, how);
	}
	return paths;
}

/**
 * What has to be open in a tree for the heaviest place of a function.
 * @param {Engine} e
 * @param {Query} query
 * @param {{fn: number}} wish
 */
export function pathTo(e, query, wish) {
	const walk = new CallWalk(e, query);
	const how = {reverse: true, byName: false, least: 0};
	/** @type {number[]} */
	const path = [];
	let [at] = walk.begin({...how, at: wish.fn}).groups;
	for (; at && path.length < PATH_MOST; [at] = walk.next(at, how).groups)
		path.unshift(at.id);
	return path.slice(0, -1).map((_, i) => path.slice(0, i + 1).join('.'));
}
