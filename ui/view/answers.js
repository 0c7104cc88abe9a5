// SPDX-License-Identifier: MIT
// The questions that views ask of the engine, one function each.  Answers are
// plain objects and typed arrays, which can be sent from the Worker.

import {BOX_ROOT, BOX_SMALL} from './boxes.js';
import {shownLeaves} from './tables.js';

/** @typedef {import('./boxes.js').Boxes} Boxes */
/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./engine.js').Query} Query */
/** @typedef {import('./groups.js').Group} Group */

class BoxList {
	constructor() {
		/** @type {number[]} */
		this.id = [];
		/** @type {number[]} */
		this.parent = [];
		/** @type {number[]} */
		this.x = [];
		/** @type {number[]} */
		this.w = [];
		/** @type {number[]} */
		this.value = [];
		/** @type {number[]} */
		this.self = [];
		/** @type {number[]} */
		this.before = [];
		/** @type {number[]} */
		this.small = [];
		/** @type {number[]} */
		this.inlined = [];
		/** @type {number[]} */
		this.rowStart = [];
	}

	/**
	 * @param {number} id
	 * @param {number} parent
	 * @param {number} x
	 * @param {number} w
	 * @param {number} value
	 * @param {number} before
	 */
	push(id, parent, x, w, value, before) {
		this.id.push(id);
		this.parent.push(parent);
		this.x.push(x);
		this.w.push(w);
		this.value.push(value);
		this.self.push(value);
		this.before.push(before);
		this.small.push(0);
		this.inlined.push(0);
		return this.id.length - 1;
	}

	row() {
		this.rowStart.push(this.id.length);
	}

	/**
	 * @param {{total: number, all: number, allBefore: number,
	 *   zoomed: number, top: number}} facts
	 * @returns {Boxes}
	 */
	done(facts) {
		this.row();
		return {
			count: this.id.length, ...facts,
			rowStart: new Uint32Array(this.rowStart),
			id: new Int32Array(this.id),
			parent: new Int32Array(this.parent),
			x: new Float64Array(this.x),
			w: new Float64Array(this.w),
			value: new Float64Array(this.value),
			self: new Float64Array(this.self),
			before: new Float64Array(this.before),
			small: new Uint32Array(this.small),
			inlined: new Uint8Array(this.inlined),
		};
	}
}

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
 * @param {{groups: Group[], smallW: number, smallB: number}} grouped
 * @returns {[number, number]}
 */
function sumOf(grouped) {
	let w = grouped.smallW;
	let b = grouped.smallB;
	for (const g of grouped.groups) {
		w += g.w;
		b += g.b;
	}
	return [w, b];
}

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
 * @typedef {{grouped: import('./groups.js').Grouped,
 *   w: import('./engine.js').Weighed, box: number}} Start
 */

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
	const plan = e.plan(query);
	const w = e.weigh(query);
	const list = new BoxList();
	const how = {reverse: wish.reverse, byName: wish.byName, least: 0,
		at: wish.at};
	how.least = (wish.zoom.length ? 0 : w.now.sum) / wish.width / 2;
	const grouped = e.begin(query, how);
	const [all, allBefore] = sumOf(grouped);
	const empty = wish.at === undefined && !plan.shapes ? w.now.empty : 0;
	const facts = {all: all + empty, allBefore, total: all + empty,
		zoomed: 0, top: 0};
	list.row();
	list.push(BOX_ROOT, -1, 0, facts.all, facts.all, allBefore);
	list.self[0] = empty;
	const start = {grouped, w, box: 0};
	zoomIn(e, plan, list, {start, how, facts, zoom: wish.zoom,
		width: wish.width});
	grow(e, plan, list, {row: [start], how, depth: wish.depth || Infinity});
	return list.done(facts);
}

/**
 * Goes down to what is zoomed to; each box on the way takes the whole width.
 * @param {Engine} e
 * @param {import('./engine.js').Plan} plan
 * @param {BoxList} list
 * @param {{start: Start, zoom: number[], width: number,
 *   how: {reverse: boolean, byName: boolean, least: number},
 *   facts: {total: number, zoomed: number}}} z
 */
function zoomIn(e, plan, list, z) {
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
		start.grouped = e.next(plan, start.w, at, {...how, least: 0});
	}
	how.least = facts.total / z.width / 2;
	for (let i = 0; i <= start.box; i++)
		list.w[i] = facts.total;
	if (at)
		start.grouped = e.next(plan, start.w, at, how);
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
	const plan = e.plan(query);
	const all = e.weigh(query).now.sum;
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
		const w = e.weigh(mine);
		const grouped = e.begin(mine, zoomed.length ? {...how, least: 0}
			: how);
		const [sum] = sumOf(grouped);
		const box = list.push(e.functions + value, 0, x, sum, sum, 0);
		list.self[box] = 0;
		row.push({grouped, w, box});
		x += sum;
	}
	list.self[0] = zoomed.length ? 0 : Math.max(0, all - x);
	if (zoomed.length) {
		facts.total = x;
		facts.zoomed = 1;
		zoomIn(e, plan, list, {start: row[0], how, facts, zoom: rest,
			width: wish.width});
		if (!rest.length)
			row[0].grouped = e.begin({...query, labels: [...query.labels,
				{key, value: zoomed[0][0]}]}, how);
	}
	grow(e, plan, list, {row, how, depth: wish.depth || Infinity});
	return list.done(facts);
}

/**
 * Adds rows until nothing is left that can be seen.
 * @param {Engine} e
 * @param {import('./engine.js').Plan} plan
 * @param {BoxList} list
 * @param {{row: Start[], how: {reverse: boolean, byName: boolean,
 *   least: number}, depth: number}} from
 */
function grow(e, plan, list, from) {
	const {how} = from;
	let {row} = from;
	while (row.length && list.rowStart.length <= from.depth) {
		/** @type {Start[]} */
		const nextRow = [];
		list.row();
		for (const {grouped, w, box} of row) {
			let x = list.x[box];
			const [sum] = sumOf(grouped);
			list.self[box] = Math.max(0, list.value[box] - sum);
			for (const g of grouped.groups) {
				const child = list.push(g.id, box, x, g.w, g.w, g.b);
				list.inlined[child] = +isInlined(e, g);
				x += g.w;
				const next = e.next(plan, w, g, how);
				if (next.groups.length || next.small)
					nextRow.push({grouped: next, w, box: child});
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

/**
 * The table of functions.
 * @param {Engine} e
 * @param {Query} query
 */
export function rows(e, query) {
	const w = e.weigh(query);
	const now = e.table(query, w.now);
	const before = w.compare ? e.table(query, w.before) : null;
	/** @type {number[]} */
	const ids = [];
	for (let id = 0; id < e.ids; id++)
		if (now.total[id] || now.self[id] ||
		    (before && (before.total[id] || before.self[id])))
			ids.push(id);
	/** @param {Float64Array} from */
	const pick = (from) => new Float64Array(ids.map((id) => from[id]));
	return {
		ids: new Uint32Array(ids),
		self: pick(now.self),
		total: pick(now.total),
		beforeSelf: before ? pick(before.self) : null,
		beforeTotal: before ? pick(before.total) : null,
		sum: w.now.sum,
		sumBefore: w.compare ? w.before.sum : 0,
		all: e.sums({...query, range: null, threads: null, labels: [],
			transforms: []}, query.type).sum,
	};
}

/**
 * Makes what later questions need, while nobody waits; and asks some, so that
 * they have been compiled when somebody does.
 * @param {Engine} e
 * @param {Query} query
 * @param {{step: number}} wish
 * @returns {boolean} whether there is more to do
 */
export function warm(e, query, wish) {
	const plain = {width: 1000, zoom: [], reverse: false, byName: false};
	const threads = [0];
	const steps = [
		() => e.index(),
		() => e.setRows(),
		() => e.match('warm', false),
		() => layout(e, {...query, threads}, plain),
		() => layout(e, {...query, transforms: [{op: 'hide', fn: 0}]}, plain),
		() => layout(e, {...query, transforms: [{op: 'root', fn: 0}]}, plain),
		() => layout(e, query, {...plain, reverse: true}),
		() => e.findOutermost(),
	];
	if (e.functions)
		steps[wish.step]();
	return wish.step + 1 < steps.length;
}

/**
 * How much the selection weighs, and how much everything.
 * @param {Engine} e
 * @param {Query} query
 */
export function sumOfAll(e, query) {
	const {sum} = e.sums(query, query.type);
	const all = e.sums({...query, range: null, threads: null, labels: [],
		transforms: []}, query.type);
	return {sum, all: all.sum};
}

const TREE_MOST = 400;
const PATH_MOST = 2000;

/**
 * The rows of the call tree that are open.
 * @param {Engine} e
 * @param {Query} query
 * @param {{open: string[], reverse: boolean}} wish
 */
export function tree(e, query, wish) {
	const plan = e.plan(query);
	const w = e.weigh(query);
	const how = {reverse: wish.reverse, byName: false, least: 0};
	const open = new Set(wish.open);
	/** @type {{path: string, id: number, depth: number, total: number,
	 *   self: number, before: number, kids: number, open: boolean}[]} */
	const out = [];
	const least = w.now.sum / 1e6;

	/**
	 * @param {import('./groups.js').Grouped} grouped
	 * @param {string} path
	 * @param {number} depth
	 */
	function add(grouped, path, depth) {
		for (const g of grouped.groups.slice(0, TREE_MOST)) {
			const here = path ? path + '.' + g.id : String(g.id);
			const next = e.next(plan, w, g, {...how, least});
			const [sum] = sumOf(next);
			const isOpen = open.has(here);
			out.push({path: here, id: g.id, depth, total: g.w,
				self: Math.max(0, g.w - sum), before: g.b,
				kids: next.groups.length, open: isOpen});
			if (isOpen)
				add(next, here, depth + 1);
		}
	}
	const roots = e.begin(query, {...how, least});
	add(roots, '', 0);
	const [sum, sumBefore] = sumOf(roots);
	return {rows: out, sum, sumBefore};
}

/**
 * The path of the heaviest calls, which a tree opens by itself.
 * @param {Engine} e
 * @param {Query} query
 * @param {{reverse: boolean, from: string}} wish
 */
export function heavyPath(e, query, wish) {
	const plan = e.plan(query);
	const w = e.weigh(query);
	const how = {reverse: wish.reverse, byName: false, least: 0};
	/** @type {string[]} */
	const paths = [];
	const from = wish.from ? wish.from.split('.').map(Number) : [];
	let grouped = e.begin(query, how);
	let path = '';
	let weight = 0;
	for (let depth = 0; depth < 200; depth++) {
		const g = depth < from.length
			? grouped.groups.find((one) => one.id === from[depth])
			: grouped.groups[0];
		if (!g || (depth >= from.length && g.w < weight / 2))
			break;
		path = path ? path + '.' + g.id : String(g.id);
		paths.push(path);
		weight = g.w;
		grouped = e.next(plan, w, g, how);
	}
	return paths;
}

/**
 * What has to be open in a tree for the heaviest place of a function.
 * @param {Engine} e
 * @param {Query} query
 * @param {{fn: number}} wish
 */
export function pathTo(e, query, wish) {
	const plan = e.plan(query);
	const w = e.weigh(query);
	const how = {reverse: true, byName: false, least: 0};
	/** @type {number[]} */
	const path = [];
	let [at] = e.begin(query, {...how, at: wish.fn}).groups;
	for (; at && path.length < PATH_MOST; [at] = e.next(plan, w, at, how).groups)
		path.unshift(at.id);
	return path.slice(0, -1).map((_, i) => path.slice(0, i + 1).join('.'));
}

/**
 * One function: what it spends, who calls it and what it calls.
 * @param {Engine} e
 * @param {Query} query
 * @param {{id: number}} wish
 */
export function details(e, query, wish) {
	const plan = e.plan(query);
	const w = e.weigh(query);
	const how = {reverse: false, byName: false, least: 0};
	const places = e.begin(query, {...how, at: wish.id}).groups;
	let total = 0;
	let totalBefore = 0;
	/** @type {{id: number, w: number}[]} */
	let callees = [];
	/** @type {{id: number, w: number}[]} */
	let callers = [];
	for (const g of places) {
		total += g.w;
		totalBefore += g.b;
		const down = e.next(plan, w, g, how);
		callees = down.groups.map(({id, w: v}) => ({id, w: v}));
		callers = e.next(plan, w, g, {...how, reverse: true}).groups
			.map(({id, w: v}) => ({id, w: v}));
	}
	return {id: wish.id, total, self: selfOf(e, query, wish.id, w.now),
		sum: w.now.sum, totalBefore,
		selfBefore: w.compare ? selfOf(e, query, wish.id, w.before) : 0,
		sumBefore: w.compare ? w.before.sum : 0,
		callers: callers.slice(0, 50), callees: callees.slice(0, 50)};
}

/**
 * @param {Engine} e
 * @param {Query} query
 * @param {number} id
 * @param {import('./engine.js').Sums} sums
 */
function selfOf(e, query, id, sums) {
	if (e.plan(query).shapes || id >= e.functions)
		return e.table(query, sums).self[id];
	const {start, segments} = e.index();
	let self = 0;
	let last = -1;
	for (let i = start[id]; i < start[id + 1]; i++) {
		const s = segments[i];
		if (s !== last && e.fn[e.first[s + 1] - 1] === id)
			self += sums.own[s];
		last = s;
	}
	return self;
}

/**
 * What a search is about: the functions, and the share of samples.
 * @param {Engine} e
 * @param {Query} query
 * @param {{text: string}} wish
 */
export function search(e, query, wish) {
	const marks = e.match(wish.text, false);
	const {now} = e.weigh(query);
	const seen = e.covered(marks);
	let matched = 0;
	for (let s = 0; s < seen.length; s++)
		if (seen[s])
			matched += now.own[s];
	let functions = 0;
	for (let f = 0; f < marks.length; f++)
		functions += marks[f];
	return {marks: marks.slice(), matched, functions, sum: now.sum};
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
	return e.timelines.get(key, () => makeTimeline(e, query, wish));
}

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
	const keep = e.kept(query);
	const seen = wish.fn >= 0 && wish.fn < e.functions
		? e.covered(e.marks({op: 'focus', fn: wish.fn})) : null;
	const sets = e.sets({...query, threads: null});
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
	const leaf = shownLeaves(e, e.plan(query));
	const rowOfStack = new Int32Array(e.stacks);
	const keep = e.kept(query);
	for (let k = 0; k < e.stacks; k++) {
		const s = e.stackSegment[k];
		const id = s && !(keep && !keep[s - 1]) ? leaf(s - 1) : -1;
		rowOfStack[k] = id < 0 ? -1 : row[id];
	}
	const {at, factor} = e.values(query.type);
	const sets = e.sets(query);
	const [from, to] = e.rows(query);
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

const FACET_MOST = 200;

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

/**
 * @param {Engine} e
 * @param {Query} query
 */
function labelsOf(e, query) {
	const {at, factor} = e.values(query.type);
	const keep = e.kept(query);
	const sets = e.sets(query);
	const [from, to] = e.rows(query);
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
 * The call graph of the heaviest functions.  Calls over functions that are left
 * out count as calls too.
 * @param {Engine} e
 * @param {Query} query
 * @param {{most: number, fn: number}} wish
 */
export function graph(e, query, wish) {
	const plan = e.plan(query);
	const sums = e.weigh(query).now;
	const {self, total} = e.table(query, sums);
	const {before, compare} = e.weigh(query);
	const was = compare ? e.table(query, before).total : null;
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
 * @param {import('./engine.js').Plan} plan
 * @param {import('./engine.js').Sums} sums
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
			if (at < 0 || !e.isShown(plan, s, i))
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
	e.walk((s) => sums.total[s] > 0, (s) => pass(s, 1), (s) => pass(s, -1));
	const edges = [];
	for (let from = 0; from < n; from++)
		for (let to = 0; to < n; to++)
			if (weight[from * n + to] > 0)
				edges.push({from, to, weight: weight[from * n + to]});
	return edges;
}
