// SPDX-License-Identifier: MIT
// What a selection weighs: one pass over samples, one over segments backwards.
// Which samples and which stacks count is decided here, for every view.

import {covered, outermostSegments} from './calltree.js';
import {lowerBound} from './model.js';
import {planOf} from './plan.js';

/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./query.js').Query} Query */
/** @typedef {import('./query.js').LabelFilter} LabelFilter */
/** @typedef {import('./query.js').Sums} Sums */
/** @typedef {import('./query.js').Weighed} Weighed */

/**
 * Rows of samples that are in the range of time.
 * @param {Engine} e
 * @param {Query} query
 * @returns {[number, number]}
 */
export function rowsIn(e, query) {
	if (!query.range || !e.time)
		return [0, e.samples];
	return [lowerBound(e.time, query.range[0]),
		lowerBound(e.time, query.range[1])];
}

/**
 * @param {Engine} e
 * @param {number} set
 * @param {LabelFilter} l
 */
function hasLabel(e, set, l) {
	for (let i = set ? e.setEnd[set - 1] : 0; i < e.setEnd[set];
	     i++)
		if (e.labelKey[i] === l.key &&
		    e.labelValue[i] === l.value)
			return true;
	return false;
}

/**
 * Which sets of labels count; null: all.
 * @param {Engine} e
 * @param {Query} query
 * @returns {Uint8Array|null}
 */
export function setsIn(e, query) {
	if (!query.threads && !query.labels.length)
		return null;
	const keep = new Uint8Array(e.setEnd.length);
	const threads = query.threads ? new Set(query.threads) : null;
	for (let s = 0; s < keep.length; s++) {
		if (threads && !threads.has(e.setThread[s]))
			continue;
		keep[s] = +query.labels.every((l) =>
			hasLabel(e, s, l) !== !!l.not);
	}
	return keep;
}

/**
 * Adds the samples of the sets that are kept, if they are few.
 * @param {Engine} e
 * @param {Float64Array} weights
 * @param {ArrayLike<number>} at
 * @param {Uint8Array} keep
 * @param {[number, number]} range rows
 */
function addFew(e, weights, at, keep, [from, to]) {
	const {start, rows} = e.setRows();
	const stack = e.sampleStack;
	let count = 0;
	for (let s = 0; s < keep.length; s++)
		if (keep[s])
			count += start[s + 1] - start[s];
	if (count > (to - from) / 3)
		return false;
	for (let s = 0; s < keep.length; s++) {
		if (!keep[s])
			continue;
		const mine = rows.subarray(start[s], start[s + 1]);
		for (let i = from ? lowerBound(mine, from) : 0;
		     i < mine.length && mine[i] < to; i++)
			weights[stack[mine[i]]] += at[mine[i]];
	}
	return true;
}

/**
 * @param {Engine} e
 * @param {Query} query
 * @param {number} type
 */
function makeStackWeights(e, query, type) {
	const weights = new Float64Array(e.stacks);
	const {at, factor} = e.values(type);
	const [from, to] = rowsIn(e, query);
	const keep = setsIn(e, query);
	const stack = e.sampleStack;
	const set = e.sampleSet;
	if (keep && addFew(e, weights, at, keep, [from, to])) {
		// Samples of few sets were found without the others.
	} else if (keep) {
		for (let i = from; i < to; i++)
			if (keep[set[i]])
				weights[stack[i]] += at[i];
	} else {
		for (let i = from; i < to; i++)
			weights[stack[i]] += at[i];
	}
	if (factor !== 1)
		for (let k = 0; k < weights.length; k++)
			weights[k] *= factor;
	return weights;
}

/**
 * What the samples of each stack weigh.
 * @param {Engine} e
 * @param {Query} query
 * @param {number} type
 */
export function stackWeights(e, query, type) {
	const key = JSON.stringify([type, query.range, query.threads,
		query.labels]);
	return e.recent.weights.get(key, () =>
		makeStackWeights(e, query, type));
}

/**
 * By segment: whether stacks that end there are in focus; null: all are.
 * @param {Engine} e
 * @param {Query} query
 * @returns {Uint8Array|null}
 */
export function keptSegments(e, query) {
	const {need, refuse, root, cuts, sumKey} = planOf(e, query);
	if (!need.length && !refuse.length && !root)
		return null;
	return e.recent.kept.get(sumKey, () => {
		const keep = need.length ? covered(e, need[0])
			: new Uint8Array(e.segments).fill(1);
		for (const marks of need.slice(1)) {
			const other = covered(e, marks);
			for (let s = 0; s < keep.length; s++)
				keep[s] &= other[s];
		}
		for (const marks of refuse)
			for (const s of outermostSegments(e, marks))
				keep.fill(0, s, e.end[s]);
		if (root && cuts)
			for (let s = 0; s < keep.length; s++)
				if (cuts.rootSeg[s] < 0)
					keep[s] = 0;
		return keep;
	});
}

/**
 * @param {Engine} e
 * @param {Query} query
 * @param {number} type
 * @returns {Sums}
 */
function makeSums(e, query, type) {
	const weights = stackWeights(e, query, type);
	const keep = keptSegments(e, query);
	const plan = planOf(e, query);
	const own = new Float64Array(e.segments);
	let empty = 0;
	for (let k = 0; k < weights.length; k++) {
		const s = e.stackSegment[k];
		if (s)
			own[s - 1] += weights[k];
		else if (!plan.need.length && !plan.root)
			empty += weights[k];
	}
	if (keep)
		for (let s = 0; s < own.length; s++)
			if (!keep[s])
				own[s] = 0;
	const total = own.slice();
	let sum = empty;
	for (let s = total.length - 1; s >= 0; s--) {
		const p = e.parent[s];
		if (p >= 0)
			total[p] += total[s];
		else
			sum += total[s];
	}
	return {own, total, empty, sum};
}

/**
 * @param {Engine} e
 * @param {Query} query
 * @param {number} type
 * @returns {Sums}
 */
export function sumsOf(e, query, type) {
	const key = JSON.stringify([type, query.range, query.threads,
		query.labels, planOf(e, query).sumKey]);
	return e.recent.sums.get(key, () => makeSums(e, query, type));
}

/**
 * @param {Engine} e
 * @param {Query} query
 * @returns {Weighed}
 */
export function weigh(e, query) {
	const now = sumsOf(e, query, query.type);
	if (!e.meta.compare)
		return {now, before: now, compare: false};
	return {now, before: sumsOf(e, query, 0), compare: true};
}
