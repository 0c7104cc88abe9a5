// SPDX-License-Identifier: MIT
// What was spent when: by thread for the tracks, by function for the lines in
// the table.

import {covered} from './calltree.js';
import {marksOf} from './marks.js';
import {planOf} from './plan.js';
import {keptSegments, rowsIn, setsIn} from './sums.js';
import {shownLeaves} from './tables.js';

/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./query.js').Query} Query */

/**
 * @param {Engine} e
 * @param {Query} query
 * @param {{buckets: number, fn: number}} wish
 */
function makeTimeline(e, query, wish) {
	const n = Math.max(1, wish.buckets);
	const threads = Math.max(1, e.meta.threads.length);
	const all = new Float64Array(threads * n);
	const lit = new Float64Array(threads * n);
	const sum = new Float64Array(threads);
	const {at, factor} = e.values(query.type);
	const keep = keptSegments(e, query);
	const seen = wish.fn >= 0 && wish.fn < e.functions
		? covered(e, marksOf(e, {op: 'focus', fn: wish.fn})) : null;
	const sets = setsIn(e, {...query, threads: null});
	const extent = e.time && e.samples ? e.time[e.samples - 1] + 1 : 1;
	const scale = n / extent;
	const {sampleSet, sampleStack, setThread, time} = e;
	/** By stack: 0 not in focus, 1 in focus, 3 also of the function. */
	const stack = new Uint8Array(e.stacks);
	for (let k = 0; k < stack.length; k++) {
		const s = e.stackSegment[k];
		if (!keep || (s && keep[s - 1]))
			stack[k] = !seen || (s && seen[s - 1]) ? 3 : 1;
	}
	for (let i = 0; i < e.samples; i++) {
		const set = sampleSet[i];
		const thread = setThread[set];
		const bar = thread * n + (time ? Math.floor(time[i] * scale) : 0);
		const value = at[i] * factor;
		all[bar] += value;
		const is = stack[sampleStack[i]];
		if (!is || (sets && !sets[set]))
			continue;
		sum[thread] += value;
		if (is === 3)
			lit[bar] += value;
	}
	return {buckets: n, extent, timed: !!e.time, all, lit, sum,
		tick: e.meta.tick || 1000};
}

/**
 * What was spent when, by thread: all of it, and what is in focus and goes
 * through the selected function.
 * @param {Engine} e
 * @param {Query} query
 * @param {{buckets: number, fn: number}} wish
 */
export function timeline(e, query, wish) {
	// Neither the range nor the threads change anything in it.
	const key = JSON.stringify([query.type, query.labels, query.transforms,
		wish]);
	return e.recent.timelines.get(key, () => makeTimeline(e, query, wish));
}

/**
 * What functions spent themselves over time, for the lines in the table.
 * @param {Engine} e
 * @param {Query} query
 * @param {{ids: number[], buckets: number}} wish
 */
export function sparks(e, query, wish) {
	const n = wish.buckets;
	const out = new Float64Array(wish.ids.length * n);
	if (!e.time || !wish.ids.length)
		return {buckets: n, values: out, timed: false};
	const row = new Int32Array(e.ids).fill(-1);
	wish.ids.forEach((id, i) => {
		row[id] = i;
	});
	const leaf = shownLeaves(e, planOf(e, query));
	const rowOfStack = new Int32Array(e.stacks);
	const keep = keptSegments(e, query);
	for (let k = 0; k < e.stacks; k++) {
		const s = e.stackSegment[k];
		const id = s && !(keep && !keep[s - 1]) ? leaf(s - 1) : -1;
		rowOfStack[k] = id < 0 ? -1 : row[id];
	}
	const {at, factor} = e.values(query.type);
	const sets = setsIn(e, query);
	const [from, to] = rowsIn(e, query);
	const [start, end] = query.range || [0, e.time[e.samples - 1] + 1];
	const scale = n / Math.max(1, end - start);
	for (let i = from; i < to; i++) {
		const r = rowOfStack[e.sampleStack[i]];
		if (r < 0 || (sets && !sets[e.sampleSet[i]]))
			continue;
		out[r * n + Math.min(n - 1, Math.floor((e.time[i] - start) * scale))]
			+= at[i] * factor;
	}
	return {buckets: n, values: out, timed: true};
}
