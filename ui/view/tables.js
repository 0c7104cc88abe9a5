// SPDX-License-Identifier: MIT
// What each function spends itself and with all it calls, as one pass over the
// call tree.

/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./engine.js').Plan} Plan */
/** @typedef {import('./engine.js').Sums} Sums */

/**
 * @param {Engine} e
 * @param {Sums} sums
 */
export function plainTable(e, sums) {
	const self = new Float64Array(e.ids);
	const total = new Float64Array(e.ids);
	const outermost = e.findOutermost();
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
export function shapedTable(e, plan, sums) {
	const self = new Float64Array(e.ids);
	const total = new Float64Array(e.ids);
	const count = new Uint32Array(e.ids);
	const shown = new Int32Array(e.segments).fill(-1);
	/** @param {number} i */
	const idOf = (i) => plan.map ? plan.map[e.fn[i]] : e.fn[i];
	e.walk((s) => sums.total[s] !== 0, (s) => {
		const p = e.parent[s];
		let last = p >= 0 ? shown[p] : -1;
		for (let i = e.first[s]; i < e.first[s + 1]; i++) {
			if (!e.isShown(plan, s, i))
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
			if (e.isShown(plan, s, i))
				count[idOf(i)]--;
	});
	return {self, total};
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
			if (e.isShown(plan, s, i))
				leaf[s] = plan.map ? plan.map[e.fn[i]] : e.fn[i];
	}
	return (s) => leaf[s];
}
