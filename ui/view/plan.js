// SPDX-License-Identifier: MIT
// Transforms, made ready: what stacks must have and must not, what of them is
// hidden or shown as another, and where they begin and end.

import {offsetOf, outermostSegments} from './calltree.js';
import {either, identity, marksOf, shown} from './marks.js';

/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./query.js').Query} Query */
/** @typedef {import('./query.js').Transform} Transform */
/** @typedef {import('./query.js').Plan} Plan */
/** @typedef {import('./query.js').Cuts} Cuts */

const NO_STOP = -1;

/**
 * @param {Engine} e
 * @param {Plan} plan
 * @param {Transform} t
 */
function addStep(e, plan, t) {
	const n = e.functions;
	if (t.op === 'recursion') {
		plan.fold = true;
		return;
	}
	const marks = marksOf(e, t);
	switch (t.op) {
	case 'focus':
		plan.need.push(marks);
		break;
	case 'ignore':
		plan.refuse.push(marks);
		break;
	case 'hide':
	case 'only': {
		const want = t.op === 'hide' ? 1 : 0;
		const hidden = plan.hidden = plan.hidden || new Uint8Array(n);
		for (let f = 0; f < n; f++)
			if (marks[f] === want)
				hidden[f] = 1;
		break;
	}
	case 'root':
		plan.root = either(plan.root, marks);
		break;
	case 'below':
		plan.below = either(plan.below, marks);
		break;
	case 'module': {
		const map = plan.map = plan.map || identity(n);
		for (let f = 0; f < n; f++)
			if (marks[f])
				map[f] = n + e.functionModule[f];
		break;
	}
	}
}

/**
 * Where stacks end at functions that nothing is shown below of.  Those
 * above the root do not count.
 * @param {Engine} e
 * @param {Plan} plan
 * @param {Cuts} cuts
 */
function findLeaves(e, plan, cuts) {
	const marks = shown(/** @type {Uint8Array} */ (plan.below), plan);
	const {start, segments} = e.index();
	/** @type {number[]} */
	const all = [];
	for (let f = 0; f < e.functions; f++)
		if (marks[f])
			for (let i = start[f]; i < start[f + 1]; i++)
				all.push(segments[i]);
	all.sort((a, b) => a - b);
	for (const s of all) {
		const from = !plan.root ? 0 : cuts.rootSeg[s] < 0 ? Infinity
			: cuts.rootSeg[s] === s ? cuts.rootOff[s] : 0;
		const off = offsetOf(e, s, marks, from);
		if (off < 0 || cuts.leafSeg[s] >= 0)
			continue;
		cuts.leafSeg.fill(s, s, e.end[s]);
		cuts.leafOff.fill(off, s, e.end[s]);
	}
}

/**
 * @param {Engine} e
 * @param {Plan} plan
 * @returns {Cuts}
 */
function findCuts(e, plan) {
	const n = e.segments;
	const cuts = {
		rootSeg: new Int32Array(n).fill(NO_STOP),
		rootOff: new Int32Array(n), leafOff: new Int32Array(n),
		leafSeg: new Int32Array(n).fill(NO_STOP),
	};
	if (plan.root) {
		const marks = shown(plan.root, plan);
		for (const s of outermostSegments(e, marks)) {
			cuts.rootSeg.fill(s, s, e.end[s]);
			cuts.rootOff.fill(offsetOf(e, s, marks, 0), s,
				e.end[s]);
		}
	}
	if (plan.below)
		findLeaves(e, plan, cuts);
	return cuts;
}

/**
 * @param {Engine} e
 * @param {Query} query
 * @returns {Plan}
 */
export function planOf(e, query) {
	return e.recent.plans.get(JSON.stringify(query.transforms), () => {
		/** @type {Plan} */
		const plan = {need: [], refuse: [], hidden: null, root: null,
			below: null, map: null, fold: false, shapes: false,
			cuts: null, sumKey: ''};
		query.transforms.forEach((t) => addStep(e, plan, t));
		plan.sumKey = JSON.stringify(query.transforms.filter((t) =>
			/focus|ignore|root/.test(t.op) || (plan.root && plan.hidden)));
		plan.shapes = !!(plan.hidden || plan.root || plan.below ||
			plan.map || plan.fold);
		if (plan.root || plan.below)
			plan.cuts = findCuts(e, plan);
		return plan;
	});
}

/**
 * Whether an entry is left by hiding and cutting.
 * @param {Engine} e
 * @param {Plan} plan
 * @param {number} s
 * @param {number} i
 */
export function isShown(e, plan, s, i) {
	const {cuts} = plan;
	if (plan.hidden && plan.hidden[e.fn[i]])
		return false;
	if (!cuts)
		return true;
	const off = i - e.first[s];
	if (plan.root && (cuts.rootSeg[s] < 0 || (cuts.rootSeg[s] === s &&
	    off < cuts.rootOff[s])))
		return false;
	return !(cuts.leafSeg[s] >= 0 && (cuts.leafSeg[s] !== s ||
		off > cuts.leafOff[s]));
}
