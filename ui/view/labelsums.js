// SPDX-License-Identifier: MIT
// What was spent under each label.

import {keptSegments, rowsIn, setsIn} from './sums.js';

/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./query.js').Query} Query */

const FACET_MOST = 200;

/**
 * @param {Engine} e
 * @param {Query} query
 */
function labelsOf(e, query) {
	const {at, factor} = e.values(query.type);
	const keep = keptSegments(e, query);
	const sets = setsIn(e, query);
	const [from, to] = rowsIn(e, query);
	const weight = new Float64Array(e.setEnd.length);
	let sum = 0;
	for (let i = from; i < to; i++) {
		const set = e.sampleSet[i];
		const seg = e.stackSegment[e.sampleStack[i]];
		if ((sets && !sets[set]) || (keep && !(seg && keep[seg - 1])))
			continue;
		weight[set] += at[i] * factor;
		sum += at[i] * factor;
	}
	/** @type {Map<number, Map<number, number>>} */
	const keys = new Map();
	for (let s = 0; s < weight.length; s++) {
		if (!weight[s])
			continue;
		for (let i = s ? e.setEnd[s - 1] : 0; i < e.setEnd[s]; i++) {
			const values = keys.get(e.labelKey[i]) || new Map();
			const v = e.labelValue[i];
			values.set(v, (values.get(v) || 0) + weight[s]);
			keys.set(e.labelKey[i], values);
		}
	}
	const out = [...keys].map(([key, values]) => ({key, count: values.size,
		values: [...values].sort((a, b) => b[1] - a[1])
			.slice(0, FACET_MOST)}));
	return {keys: out, sum};
}

/**
 * What was spent under each label; in a comparison, also what was before.
 * @param {Engine} e
 * @param {Query} query
 */
export function labels(e, query) {
	const now = labelsOf(e, query);
	if (!e.meta.compare)
		return {...now, before: null, sumBefore: 0};
	const was = labelsOf(e, {...query, type: 0});
	return {...now, sumBefore: was.sum, before: Object.fromEntries(
		was.keys.map((k) => [k.key, Object.fromEntries(k.values)]))};
}
