// SPDX-License-Identifier: MIT
// The boxes of a flame graph that are wide enough to be seen, row by row.

import {BOX_ROOT, BOX_SMALL} from './boxes.js';
import {BoxList} from './boxlist.js';
import {CallWalk} from './callwalk.js';
import {sumOfGroups} from './groups.js';
import {labels} from './labelsums.js';
import {weigh} from './sums.js';

/** @typedef {import('./boxes.js').Boxes} Boxes */
/** @typedef {import('./callwalk.js').How} How */
/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./groups.js').Group} Group */
/** @typedef {import('./groups.js').Grouped} Grouped */
/** @typedef {import('./query.js').Query} Query */

/**
 * @typedef {object} LayoutWish
 * @property {number} width in pixels
 * @property {number[]} zoom ids from the root to what is zoomed to
 * @property {boolean} reverse callers of what ran
 * @property {boolean} byName
 * @property {number} [at] only this function's places
 * @property {number} [depth] at most so many rows
 * @property {number} [group] a label's key: its values are boxes, too
 */

/**
 * Where a picture begins: groups, and what they are weighed with.
 * @typedef {{grouped: Grouped, walk: CallWalk, box: number}} Start
 */

/**
 * @param {Engine} e
 * @param {Group} g
 */
function isInlined(e, g) {
	for (let i = 0; i < g.n; i++) {
		const seg = g.segs ? g.segs[i] : g.seg;
		const off = g.offs ? g.offs[i] : g.off;
		if (!e.inlined[e.first[seg] + off])
			return false;
	}
	return true;
}

/**
 * Goes down to what is zoomed to; each box on the way takes the whole width.
 * @param {Engine} e
 * @param {BoxList} list
 * @param {{start: Start, zoom: number[], width: number,
 *   how: How,
 *   facts: {total: number, zoomed: number}}} z
 */
function zoomIn(e, list, z) {
	const {start, how, facts} = z;
	/** @type {Group|null} */
	let at = null;
	for (const id of z.zoom) {
		const found = start.grouped.groups.find((g) => g.id === id);
		if (!found)
			break;
		at = found;
		list.row();
		start.box = list.push(id, start.box, 0, at.w, at.w, at.b);
		list.inlined[start.box] = +isInlined(e, at);
		list.self[start.box] = 0;
		facts.total = at.w;
		facts.zoomed++;
		start.grouped = start.walk.next(at, {...how, least: 0});
	}
	how.least = facts.total / z.width / 2;
	for (let i = 0; i <= start.box; i++)
		list.w[i] = facts.total;
	if (at)
		start.grouped = start.walk.next(at, how);
}

/**
 * Adds rows until nothing is left that can be seen.
 * @param {Engine} e
 * @param {BoxList} list
 * @param {{row: Start[], how: How, depth: number}} from
 */
function grow(e, list, from) {
	const {how} = from;
	let {row} = from;
	while (row.length && list.rowStart.length <= from.depth) {
		/** @type {Start[]} */
		const nextRow = [];
		list.row();
		for (const {grouped, walk, box} of row) {
			let x = list.x[box];
			const [sum] = sumOfGroups(grouped);
			list.self[box] = Math.max(0, list.value[box] - sum);
			for (const g of grouped.groups) {
				const child = list.push(g.id, box, x, g.w, g.w, g.b);
				list.inlined[child] = +isInlined(e, g);
				x += g.w;
				const next = walk.next(g, how);
				if (next.groups.length || next.small)
					nextRow.push({grouped: next, walk, box: child});
			}
			if (grouped.small && grouped.smallW >= how.least) {
				const rest = list.push(BOX_SMALL, box, x,
					grouped.smallW, grouped.smallW, grouped.smallB);
				list.small[rest] = grouped.small;
				list.self[rest] = 0;
			}
		}
		row = nextRow;
	}
	if (list.rowStart[list.rowStart.length - 1] === list.id.length)
		list.rowStart.pop();
}

const GROUPS_MOST = 40;

/**
 * The same with a box for each value of a label below the root.  What has no
 * such label is the root's own.
 * @param {Engine} e
 * @param {Query} query
 * @param {LayoutWish} wish
 * @returns {Boxes}
 */
function layoutByLabel(e, query, wish) {
	const key = wish.group || 0;
	const all = weigh(e, query).now.sum;
	const found = labels(e, query).keys.find((k) => k.key === key);
	const values = (found ? found.values : []).slice(0, GROUPS_MOST);
	const list = new BoxList();
	const facts = {all, allBefore: 0, total: all, zoomed: 0, top: 0};
	const how = {reverse: wish.reverse, byName: wish.byName,
		least: all / wish.width / 2};
	const [first, ...rest] = wish.zoom;
	const zoomed = values.filter(([v]) => e.functions + v === first);
	list.row();
	list.push(BOX_ROOT, -1, 0, all, all, 0);
	list.row();
	/** @type {Start[]} */
	const row = [];
	let x = 0;
	for (const [value] of zoomed.length ? zoomed : values) {
		const mine = {...query, labels: [...query.labels, {key, value}]};
		const walk = new CallWalk(e, mine);
		const grouped = walk.begin(zoomed.length ? {...how, least: 0} : how);
		const [sum] = sumOfGroups(grouped);
		const box = list.push(e.functions + value, 0, x, sum, sum, 0);
		list.self[box] = 0;
		row.push({grouped, walk, box});
		x += sum;
	}
	list.self[0] = zoomed.length ? 0 : Math.max(0, all - x);
	if (zoomed.length) {
		facts.total = x;
		facts.zoomed = 1;
		zoomIn(e, list, {start: row[0], how, facts, zoom: rest,
			width: wish.width});
		if (!rest.length)
			row[0].grouped = row[0].walk.begin(how);
	}
	grow(e, list, {row, how, depth: wish.depth || Infinity});
	return list.done(facts);
}

/**
 * The boxes of a flame graph that are wide enough to be seen.
 * @param {Engine} e
 * @param {Query} query
 * @param {LayoutWish} wish
 * @returns {Boxes}
 */
export function layout(e, query, wish) {
	if (wish.group)
		return layoutByLabel(e, query, wish);
	const walk = new CallWalk(e, query);
	const {now} = walk.weighed;
	const list = new BoxList();
	const how = {reverse: wish.reverse, byName: wish.byName, least: 0,
		at: wish.at};
	how.least = (wish.zoom.length ? 0 : now.sum) / wish.width / 2;
	const grouped = walk.begin(how);
	const [all, allBefore] = sumOfGroups(grouped);
	const empty = wish.at === undefined && !walk.plan.shapes ? now.empty : 0;
	const facts = {all: all + empty, allBefore, total: all + empty,
		zoomed: 0, top: 0};
	list.row();
	list.push(BOX_ROOT, -1, 0, facts.all, facts.all, allBefore);
	list.self[0] = empty;
	const start = {grouped, walk, box: 0};
	zoomIn(e, list, {start, how, facts, zoom: wish.zoom,
		width: wish.width});
	grow(e, list, {row: [start], how, depth: wish.depth || Infinity});
	return list.done(facts);
}
