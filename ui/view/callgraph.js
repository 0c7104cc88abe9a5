// SPDX-License-Identifier: MIT
// The call graph of the heaviest functions.

import {walkTree} from './calltree.js';
import {isShown, planOf} from './plan.js';
import {weigh} from './sums.js';
import {tableOf} from './tables.js';

/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./query.js').Plan} Plan */
/** @typedef {import('./query.js').Query} Query */
/** @typedef {import('./query.js').Sums} Sums */

/**
 * The heaviest by total, and the heaviest by self.
 * @param {number[]} order
 * @param {Float64Array} self
 * @param {{most: number, fn: number}} wish
 */
function chooseNodes(order, self, wish) {
	const half = Math.ceil(wish.most / 2);
	const chosen = new Set(order.slice(0, half));
	if (wish.fn >= 0 && order.includes(wish.fn))
		chosen.add(wish.fn);
	const bySelf = order.slice().sort((a, b) => self[b] - self[a]);
	for (const id of bySelf) {
		if (chosen.size >= wish.most)
			break;
		chosen.add(id);
	}
	return [...chosen];
}

/**
 * @param {Engine} e
 * @param {Plan} plan
 * @param {Sums} sums
 * @param {Int32Array} index
 * @param {number} n
 */
function graphEdges(e, plan, sums, index, n) {
	const weight = new Float64Array(n * n);
	const onPath = new Uint32Array(n * n);
	const lastOf = new Int32Array(e.segments).fill(-1);
	/**
	 * @param {number} s
	 * @param {number} by
	 */
	function pass(s, by) {
		const p = e.parent[s];
		let last = p >= 0 ? lastOf[p] : -1;
		for (let i = e.first[s]; i < e.first[s + 1]; i++) {
			const at = index[plan.map ? plan.map[e.fn[i]] : e.fn[i]];
			if (at < 0 || !isShown(e, plan, s, i))
				continue;
			if (last >= 0) {
				const edge = last * n + at;
				if (by > 0 && onPath[edge] === 0)
					weight[edge] += sums.total[s];
				onPath[edge] += by;
			}
			last = at;
		}
		lastOf[s] = last;
	}
	walkTree(e, (s) => sums.total[s] > 0, (s) => pass(s, 1), (s) => pass(s, -1));
	const edges = [];
	for (let from = 0; from < n; from++)
		for (let to = 0; to < n; to++)
			if (weight[from * n + to] > 0)
				edges.push({from, to, weight: weight[from * n + to]});
	return edges;
}

/**
 * The call graph of the heaviest functions.  Calls over functions that are left
 * out count as calls too.
 * @param {Engine} e
 * @param {Query} query
 * @param {{most: number, fn: number}} wish
 */
export function graph(e, query, wish) {
	const plan = planOf(e, query);
	const sums = weigh(e, query).now;
	const {self, total} = tableOf(e, query, sums);
	const {before, compare} = weigh(e, query);
	const was = compare ? tableOf(e, query, before).total : null;
	const order = [];
	for (let id = 0; id < e.ids; id++)
		if (total[id] > 0)
			order.push(id);
	order.sort((a, b) => total[b] - total[a] || self[b] - self[a] || a - b);
	const ids = chooseNodes(order, self, wish);
	const n = ids.length;
	const index = new Int32Array(e.ids).fill(-1);
	ids.forEach((id, i) => { index[id] = i; });
	const edges = graphEdges(e, plan, sums, index, n);
	return {
		nodes: ids.map((id) => ({id, self: self[id], total: total[id],
			before: was ? was[id] : 0})),
		edges, sum: sums.sum, sumBefore: compare ? before.sum : 0,
		left: order.length - n,
	};
}
