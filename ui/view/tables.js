// SPDX-License-Identifier: MIT
// What each function spends itself and with all it calls, as one pass over the
// call tree.

import {walkTree} from './calltree.js';
import {isShown, planOf} from './plan.js';

/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./query.js').Plan} Plan */
/** @typedef {import('./query.js').Query} Query */
/** @typedef {import('./query.js').Sums} Sums */

/**
 * By entry: whether its function is not above it already.
 * @param {Engine} e
 */
export function findOutermost(e) {
	if (e.outermost)
		return e.outermost;
	const out = new Uint8Array(e.fn.length);
	const count = new Uint32Array(e.functions);
	walkTree(e, () => true, (s) => {
		for (let i = e.first[s]; i < e.first[s + 1]; i++)
			out[i] = +(count[e.fn[i]]++ === 0);
	}, (s) => {
		for (let i = e.first[s]; i < e.first[s + 1]; i++)
			count[e.fn[i]]--;
	});
	e.outermost = out;
	return out;
}

/**
 * @param {Engine} e
 * @param {Sums} sums
 */
function plainTable(e, sums) {
	const self = new Float64Array(e.ids);
	const total = new Float64Array(e.ids);
	const outermost = findOutermost(e);
	const {first, fn, end} = e;
	for (let s = 0; s < e.segments;) {
		const t = sums.total[s];
		if (t === 0) {
			s = end[s];
			continue;
		}
		const last = first[s + 1];
		for (let i = first[s]; i < last; i++)
			if (outermost[i])
				total[fn[i]] += t;
		self[fn[last - 1]] += sums.own[s];
		s++;
	}
	return {self, total};
}

/**
 * @param {Engine} e
 * @param {Plan} plan
 * @param {Sums} sums
 */
function shapedTable(e, plan, sums) {
	const self = new Float64Array(e.ids);
	const total = new Float64Array(e.ids);
	const count = new Uint32Array(e.ids);
	const shown = new Int32Array(e.segments).fill(-1);
	/** @param {number} i */
	const idOf = (i) => plan.map ? plan.map[e.fn[i]] : e.fn[i];
	walkTree(e, (s) => sums.total[s] !== 0, (s) => {
		const p = e.parent[s];
		let last = p >= 0 ? shown[p] : -1;
		for (let i = e.first[s]; i < e.first[s + 1]; i++) {
			if (!isShown(e, plan, s, i))
				continue;
			last = idOf(i);
			if (count[last]++ === 0)
				total[last] += sums.total[s];
		}
		shown[s] = last;
		if (last >= 0)
			self[last] += sums.own[s];
	}, (s) => {
		for (let i = e.first[s]; i < e.first[s + 1]; i++)
			if (isShown(e, plan, s, i))
				count[idOf(i)]--;
	});
	return {self, total};
}

/**
 * What each function spends itself and in all it calls.
 * @param {Engine} e
 * @param {Query} query
 * @param {Sums} sums
 * @returns {{self: Float64Array, total: Float64Array}}
 */
export function tableOf(e, query, sums) {
	const plan = planOf(e, query);
	return plan.shapes ? shapedTable(e, plan, sums)
		: plainTable(e, sums);
}

/**
 * What is last on the way to the end of a segment, of what is shown; -1:
 * nothing.
 * @param {Engine} e
 * @param {Plan} plan
 * @returns {(s: number) => number}
 */
export function shownLeaves(e, plan) {
	if (!plan.shapes)
		return (s) => e.fn[e.first[s + 1] - 1];
	const leaf = new Int32Array(e.segments).fill(-1);
	for (let s = 0; s < e.segments; s++) {
		if (e.parent[s] >= 0)
			leaf[s] = leaf[e.parent[s]];
		for (let i = e.first[s]; i < e.first[s + 1]; i++)
			if (isShown(e, plan, s, i))
				leaf[s] = plan.map ? plan.map[e.fn[i]] : e.fn[i];
	}
	return (s) => leaf[s];
}
