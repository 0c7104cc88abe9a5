// SPDX-License-Identifier: MIT
// From the columns of a file to those that the engine walks over: one pass each,
// when a profile is opened.

/** @typedef {import('./columns.js').PageFile} PageFile */

/**
 * The call tree: by segment its parent (-1: none), the first of its entries
 * and the end of its subtree; by entry its function.
 * @param {PageFile} file
 */
export function readTree(file) {
	const up = file.column('segmentUp');
	const length = file.column('segmentLength');
	const entries = file.column('entries');
	const count = up.length;
	const parent = new Int32Array(count);
	const first = new Uint32Array(count + 1);
	const end = new Uint32Array(count);
	for (let i = 0; i < count; i++) {
		parent[i] = up[i] ? i - up[i] : -1;
		first[i + 1] = first[i] + length[i];
	}
	for (let i = count - 1; i >= 0; i--) {
		const p = parent[i];
		if (!end[i])
			end[i] = i + 1;
		if (p >= 0 && end[p] < end[i])
			end[p] = end[i];
	}
	const fn = new Uint32Array(entries.length);
	const inlined = new Uint8Array(entries.length);
	for (let i = 0; i < entries.length; i++) {
		fn[i] = entries[i] & 0x7fffffff;
		inlined[i] = entries[i] >>> 31;
	}
	return {parent, first, end, length, fn, inlined};
}

/**
 * The times of samples in ticks, if they have any.
 * @param {PageFile} file
 * @returns {Uint32Array|null}
 */
export function readTimes(file) {
	const step = file.column('sampleStep');
	if (!step.length)
		return null;
	const time = new Uint32Array(step.length);
	for (let i = 0, at = 0; i < step.length; i++)
		time[i] = at += step[i];
	return time;
}

/**
 * The first place where something is at least that large.
 * @param {Uint32Array} at
 * @param {number} want
 */
export function lowerBound(at, want) {
	let low = 0;
	let high = at.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (at[middle] < want)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/**
 * Where each function occurs: the segments of function f, ascending, are
 * segments[start[f]] to segments[start[f + 1]].
 * @param {number} functions
 * @param {{first: Uint32Array, fn: Uint32Array}} tree
 */
export function indexFunctions(functions, tree) {
	const {first, fn} = tree;
	const start = new Uint32Array(functions + 2);
	for (let i = 0; i < fn.length; i++)
		start[fn[i] + 2]++;
	for (let f = 2; f < start.length; f++)
		start[f] += start[f - 1];
	const segments = new Uint32Array(fn.length);
	for (let s = 0; s + 1 < first.length; s++)
		for (let i = first[s]; i < first[s + 1]; i++)
			segments[start[fn[i] + 1]++] = s;
	return {start, segments};
}

/**
 * Which samples have each set of labels: those of set s, ascending, are
 * rows[start[s]] to rows[start[s + 1]].
 * @param {ArrayLike<number>} sampleSet
 * @param {number} sets
 */
export function indexSets(sampleSet, sets) {
	const start = new Uint32Array(sets + 2);
	for (let i = 0; i < sampleSet.length; i++)
		start[sampleSet[i] + 2]++;
	for (let s = 2; s < start.length; s++)
		start[s] += start[s - 1];
	const rows = new Uint32Array(sampleSet.length);
	for (let i = 0; i < sampleSet.length; i++)
		rows[start[sampleSet[i] + 1]++] = i;
	return {start, rows};
}
