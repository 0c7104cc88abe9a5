// SPDX-License-Identifier: MIT
// Where the nodes of a call graph stand: in layers, callers above callees, each
// near those that it calls or is called by.

export const NODE_WIDTH = 190;
export const NODE_HEIGHT = 40;
const GAP_X = 22;
export const GAP_Y = 56;

/**
 * @typedef {{id: number, self: number, total: number, before: number,
 *   rank: number, x: number, y: number}} Node2
 * @typedef {{from: number, to: number, weight: number, back?: boolean}} Edge2
 */

/**
 * Marks the edges that close a circle, heaviest nodes first.
 * @param {Node2[]} nodes
 * @param {Edge2[]} edges
 */
function findBackEdges(nodes, edges) {
	/** @type {Edge2[][]} */
	const out = nodes.map(() => []);
	const inward = nodes.map(() => 0);
	for (const e of edges) {
		out[e.from].push(e);
		if (e.from !== e.to)
			inward[e.to]++;
	}
	const mark = nodes.map(() => 0);
	/** @param {number} at */
	const visit = (at) => {
		mark[at] = 1;
		for (const e of out[at]) {
			e.back = mark[e.to] === 1;
			if (!mark[e.to])
				visit(e.to);
		}
		mark[at] = 2;
	};
	const order = nodes.map((_, i) => i).sort((a, b) =>
		+!!inward[a] - +!!inward[b] || nodes[b].total - nodes[a].total);
	for (const i of order)
		if (!mark[i])
			visit(i);
}

/**
 * The layer of each node: one below its lowest caller.
 * @param {Node2[]} nodes
 * @param {Edge2[]} edges
 */
function findRanks(nodes, edges) {
	for (let round = 0; round < nodes.length; round++) {
		let moved = false;
		for (const e of edges)
			if (!e.back && nodes[e.to].rank < nodes[e.from].rank + 1) {
				nodes[e.to].rank = nodes[e.from].rank + 1;
				moved = true;
			}
		if (!moved)
			return;
	}
}

/**
 * Puts the nodes of each layer where their callers and callees are.
 * @param {Node2[]} nodes
 * @param {Edge2[]} edges
 */
function spreadLayers(nodes, edges) {
	/** @type {number[][]} */
	const layers = [];
	nodes.forEach((n, i) => {
		(layers[n.rank] = layers[n.rank] || []).push(i);
	});
	const full = Array.from(layers, (l) => l || []);
	const widest = Math.max(...full.map((l) => l.length));
	/** @param {number[]} layer */
	const spread = (layer) => layer.forEach((i, at) => {
		nodes[i].x = (at + (widest - layer.length) / 2) * (NODE_WIDTH + GAP_X);
	});
	full.forEach(spread);
	for (let round = 0; round < 8; round++) {
		const down = round % 2 === 0;
		for (const layer of down ? full : full.slice().reverse()) {
			const want = new Map(layer.map((i) => {
				let sum = 0;
				let weight = 0;
				for (const e of edges) {
					const other = down ? (e.to === i ? e.from : -1)
						: (e.from === i ? e.to : -1);
					if (other < 0 || e.back)
						continue;
					sum += nodes[other].x * e.weight;
					weight += e.weight;
				}
				return [i, weight ? sum / weight : nodes[i].x];
			}));
			layer.sort((a, b) => (want.get(a) || 0) - (want.get(b) || 0));
			spread(layer);
		}
	}
	for (const n of nodes)
		n.y = n.rank * (NODE_HEIGHT + GAP_Y);
}

/**
 * Gives each node its layer and its place.
 * @param {Node2[]} nodes
 * @param {Edge2[]} edges
 */
export function placeNodes(nodes, edges) {
	findBackEdges(nodes, edges);
	findRanks(nodes, edges);
	spreadLayers(nodes, edges);
}
