// SPDX-License-Identifier: MIT
// What the page knows: a profile in columns, and every number that a view
// shows, made from them for one selection at a time.  It runs in a Worker, and
// in tests; it touches neither the document nor the network.
//
// The call tree came in preorder with chains joined (lib/profile/mergetree.h),
// so a subtree is a range of segments and sums are one pass backwards.

import {Grouper, singleGroup} from './groups.js';
import {Recent, either, identity, regexOf, shown} from './marks.js';
import {indexFunctions, indexSets, lowerBound, readTimes, readTree} from './model.js';
import {Strings} from './strings.js';
import {plainTable, shapedTable} from './tables.js';

/** @typedef {import('./groups.js').Group} Group */
/** @typedef {import('./groups.js').Grouped} Grouped */
/** @typedef {import('./columns.js').PageFile} PageFile */
/** @typedef {import('./columns.js').Column} Column */

/**
 * A change of what counts, or of what is shown of it.
 * @typedef {object} Transform
 * @property {string} op
 * @property {number} [fn]
 * @property {string} [text] a regular expression
 * @property {number} [module] its string
 *
 * @typedef {{key: number, value: number, not?: boolean}} LabelFilter
 *
 * What all views are about.
 * @typedef {object} Query
 * @property {number} type
 * @property {[number, number]|null} range in ticks
 * @property {number[]|null} threads
 * @property {LabelFilter[]} labels
 * @property {Transform[]} transforms
 *
 * @typedef {object} Plan transforms, made ready
 * @property {Uint8Array[]} need marks of functions that stacks must have
 * @property {Uint8Array[]} refuse and of those that they must not
 * @property {string} sumKey what of the transforms changes sums
 * @property {Uint8Array|null} hidden
 * @property {Uint8Array|null} root
 * @property {Uint8Array|null} below
 * @property {Uint32Array|null} map
 * @property {boolean} fold
 * @property {boolean} shapes anything but focus and ignore
 * @property {Cuts|null} cuts
 *
 * Where stacks begin and end once they are cut, by segment; -1: nowhere.
 * @typedef {{rootSeg: Int32Array, rootOff: Int32Array, leafSeg: Int32Array,
 *   leafOff: Int32Array}} Cuts
 *
 * @typedef {{own: Float64Array, total: Float64Array, empty: number,
 *   sum: number}} Sums
 * @typedef {{now: Sums, before: Sums, compare: boolean}} Weighed
 */

const NO_STOP = -1;

export class Engine {
	/** @param {PageFile} file */
	constructor(file) {
		this.file = file;
		this.meta = file.meta;
		this.functionName = file.column('functionName');
		this.functionFile = file.column('functionFile');
		this.functionModule = file.column('functionModule');
		this.functions = this.functionName.length;
		this.stringEnd = file.column('stringEnd');
		this.stringBytes = file.column('stringBytes');
		this.ids = this.functions + this.stringEnd.length;
		const tree = readTree(file);
		this.segments = tree.parent.length;
		this.length = tree.length;
		this.parent = tree.parent;
		this.first = tree.first;
		this.end = tree.end;
		this.fn = tree.fn;
		this.inlined = tree.inlined;
		this.stackSegment = file.column('stackSegment');
		this.stacks = this.stackSegment.length;
		this.sampleStack = file.column('sampleStack');
		this.sampleSet = file.column('sampleSet');
		this.samples = this.sampleStack.length;
		this.time = readTimes(file);
		this.setEnd = file.column('setEnd');
		this.setThread = file.column('setThread');
		this.labelKey = file.column('labelKey');
		this.labelValue = file.column('labelValue');
		/** @type {Recent<Plan>} */
		this.plans = new Recent();
		/** @type {Recent<Uint8Array>} */
		this.matches = new Recent();
		/** @type {Recent<Sums>} */
		this.sumsOf = new Recent();
		/** @type {Recent<Uint8Array>} */
		this.keptOf = new Recent();
		/** @type {Recent<Float64Array>} */
		this.weightsOf = new Recent();
		/** @type {Recent<any>} */
		this.timelines = new Recent();
		this.grouper = new Grouper(this.ids);
		/** @type {Uint8Array|null} */
		this.outermost = null;
		/** @type {{start: Uint32Array, segments: Uint32Array}|null} */
		this.occurs = null;
		/** @type {{start: Uint32Array, rows: Uint32Array}|null} */
		this.bySet = null;
		this.strings = new Strings(this.stringEnd,
			/** @type {Uint8Array} */ (this.stringBytes));
		/** @type {number[]} */
		this.pending = [];
	}

	/**
	 * The values of a type, and what they are to be multiplied with.
	 * @param {number} type
	 */
	values(type) {
		const own = this.file.real('value' + type);
		if (own)
			return {at: own, factor: 1};
		return {
			at: this.file.real('value0') || new Uint8Array(this.samples),
			factor: this.meta.types[type]?.factor || 0,
		};
	}

	/** @param {number} id */
	string(id) {
		return this.strings.at(id);
	}

	/** Where functions occur; made when first needed, or before. */
	index() {
		if (!this.occurs)
			this.occurs = indexFunctions(this.functions, this);
		return this.occurs;
	}

	/**
	 * The segments in which marked functions occur first on their paths,
	 * ascending.
	 * @param {Uint8Array} marks
	 * @returns {Uint32Array|number[]}
	 */
	outermostSegments(marks) {
		const {start, segments} = this.index();
		/** @type {number[]} */
		const chosen = [];
		let count = 0;
		for (let f = 0; f < this.functions; f++)
			if (marks[f]) {
				chosen.push(f);
				count += start[f + 1] - start[f];
			}
		let all;
		if (chosen.length === 1) {
			all = segments.subarray(start[chosen[0]], start[chosen[0] + 1]);
		} else {
			all = new Uint32Array(count);
			let at = 0;
			for (const f of chosen) {
				all.set(segments.subarray(start[f], start[f + 1]), at);
				at += start[f + 1] - start[f];
			}
			all.sort();
		}
		const out = [];
		let end = 0;
		for (let i = 0; i < all.length; i++)
			if (all[i] >= end) {
				out.push(all[i]);
				end = this.end[all[i]];
			}
		return out;
	}

	/**
	 * By segment: whether a marked function is on the way to its end.
	 * @param {Uint8Array} marks
	 */
	covered(marks) {
		const out = new Uint8Array(this.segments);
		for (const s of this.outermostSegments(marks))
			out.fill(1, s, this.end[s]);
		return out;
	}

	/**
	 * Which functions a regular expression is about.  wide: also by their
	 * files and modules, as filters do.
	 * @param {string} text
	 * @param {boolean} wide
	 * @returns {Uint8Array}
	 */
	match(text, wide) {
		return this.matches.get((wide ? 'w' : 'n') + text, () => {
			const re = regexOf(text, !wide);
			const marks = new Uint8Array(this.functions);
			/** @type {Map<number, boolean>} */
			const known = new Map();
			/** @param {number} id */
			const test = (id) => {
				let is = known.get(id);
				if (is === undefined) {
					is = re.test(this.string(id));
					known.set(id, is);
				}
				return is;
			};
			for (let f = 0; f < this.functions; f++) {
				if (test(this.functionName[f]) || (wide &&
				    ((this.functionFile[f] &&
				      test(this.functionFile[f])) ||
				     (this.functionModule[f] &&
				      test(this.functionModule[f])))))
					marks[f] = 1;
			}
			return marks;
		});
	}

	/**
	 * @param {Transform} t
	 * @returns {Uint8Array}
	 */
	marks(t) {
		if (t.text !== undefined)
			return this.match(t.text, true);
		const marks = new Uint8Array(this.functions);
		if (t.module !== undefined) {
			for (let f = 0; f < this.functions; f++)
				marks[f] = +(this.functionModule[f] === t.module);
		} else if (t.fn !== undefined) {
			marks[t.fn] = 1;
		}
		return marks;
	}

	/**
	 * @param {Query} query
	 * @returns {Plan}
	 */
	plan(query) {
		return this.plans.get(JSON.stringify(query.transforms), () => {
			/** @type {Plan} */
			const plan = {need: [], refuse: [], hidden: null, root: null,
				below: null, map: null, fold: false, shapes: false,
				cuts: null, sumKey: ''};
			query.transforms.forEach((t) => this.addStep(plan, t));
			plan.sumKey = JSON.stringify(query.transforms.filter((t) =>
				/focus|ignore|root/.test(t.op) || (plan.root && plan.hidden)));
			plan.shapes = !!(plan.hidden || plan.root || plan.below ||
				plan.map || plan.fold);
			if (plan.root || plan.below)
				plan.cuts = this.findCuts(plan);
			return plan;
		});
	}

	/**
	 * @param {Plan} plan
	 * @param {Transform} t
	 */
	addStep(plan, t) {
		const n = this.functions;
		if (t.op === 'recursion') {
			plan.fold = true;
			return;
		}
		const marks = this.marks(t);
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
					map[f] = n + this.functionModule[f];
			break;
		}
		}
	}

	/**
	 * @param {Plan} plan
	 * @returns {Cuts}
	 */
	findCuts(plan) {
		const n = this.segments;
		const cuts = {
			rootSeg: new Int32Array(n).fill(NO_STOP),
			rootOff: new Int32Array(n), leafOff: new Int32Array(n),
			leafSeg: new Int32Array(n).fill(NO_STOP),
		};
		if (plan.root) {
			const marks = shown(plan.root, plan);
			for (const s of this.outermostSegments(marks)) {
				cuts.rootSeg.fill(s, s, this.end[s]);
				cuts.rootOff.fill(this.offsetOf(s, marks, 0), s,
					this.end[s]);
			}
		}
		if (plan.below)
			this.findLeaves(plan, cuts);
		return cuts;
	}

	/**
	 * Where stacks end at functions that nothing is shown below of.  Those
	 * above the root do not count.
	 * @param {Plan} plan
	 * @param {Cuts} cuts
	 */
	findLeaves(plan, cuts) {
		const marks = shown(/** @type {Uint8Array} */ (plan.below), plan);
		const {start, segments} = this.index();
		/** @type {number[]} */
		const all = [];
		for (let f = 0; f < this.functions; f++)
			if (marks[f])
				for (let i = start[f]; i < start[f + 1]; i++)
					all.push(segments[i]);
		all.sort((a, b) => a - b);
		for (const s of all) {
			const from = !plan.root ? 0 : cuts.rootSeg[s] < 0 ? Infinity
				: cuts.rootSeg[s] === s ? cuts.rootOff[s] : 0;
			const off = this.offsetOf(s, marks, from);
			if (off < 0 || cuts.leafSeg[s] >= 0)
				continue;
			cuts.leafSeg.fill(s, s, this.end[s]);
			cuts.leafOff.fill(off, s, this.end[s]);
		}
	}

	/**
	 * The first place of marked functions in a segment; -1: none.
	 * @param {number} s
	 * @param {Uint8Array} marks
	 * @param {number} from
	 */
	offsetOf(s, marks, from) {
		for (let off = from; off < this.length[s]; off++)
			if (marks[this.fn[this.first[s] + off]])
				return off;
		return -1;
	}

	/**
	 * Rows of samples that are in the range of time.
	 * @param {Query} query
	 * @returns {[number, number]}
	 */
	rows(query) {
		if (!query.range || !this.time)
			return [0, this.samples];
		return [lowerBound(this.time, query.range[0]),
			lowerBound(this.time, query.range[1])];
	}

	/**
	 * Which sets of labels count; null: all.
	 * @param {Query} query
	 * @returns {Uint8Array|null}
	 */
	sets(query) {
		if (!query.threads && !query.labels.length)
			return null;
		const keep = new Uint8Array(this.setEnd.length);
		const threads = query.threads ? new Set(query.threads) : null;
		for (let s = 0; s < keep.length; s++) {
			if (threads && !threads.has(this.setThread[s]))
				continue;
			keep[s] = +query.labels.every((l) =>
				this.hasLabel(s, l) !== !!l.not);
		}
		return keep;
	}

	/**
	 * @param {number} set
	 * @param {LabelFilter} l
	 */
	hasLabel(set, l) {
		for (let i = set ? this.setEnd[set - 1] : 0; i < this.setEnd[set];
		     i++)
			if (this.labelKey[i] === l.key &&
			    this.labelValue[i] === l.value)
				return true;
		return false;
	}

	/**
	 * What the samples of each stack weigh.
	 * @param {Query} query
	 * @param {number} type
	 */
	stackWeights(query, type) {
		const key = JSON.stringify([type, query.range, query.threads,
			query.labels]);
		return this.weightsOf.get(key, () =>
			this.makeStackWeights(query, type));
	}

	/**
	 * @param {Query} query
	 * @param {number} type
	 */
	makeStackWeights(query, type) {
		const weights = new Float64Array(this.stacks);
		const {at, factor} = this.values(type);
		const [from, to] = this.rows(query);
		const keep = this.sets(query);
		const stack = this.sampleStack;
		const set = this.sampleSet;
		if (keep && this.addFew(weights, at, keep, [from, to])) {
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

	/** Which samples have which labels; made when first needed, or before. */
	setRows() {
		if (!this.bySet)
			this.bySet = indexSets(this.sampleSet, this.setEnd.length);
		return this.bySet;
	}

	/**
	 * Adds the samples of the sets that are kept, if they are few.
	 * @param {Float64Array} weights
	 * @param {ArrayLike<number>} at
	 * @param {Uint8Array} keep
	 * @param {[number, number]} range rows
	 */
	addFew(weights, at, keep, [from, to]) {
		const {start, rows} = this.setRows();
		const stack = this.sampleStack;
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
	 * By segment: whether stacks that end there are in focus; null: all are.
	 * @param {Query} query
	 * @returns {Uint8Array|null}
	 */
	kept(query) {
		const {need, refuse, root, cuts, sumKey} = this.plan(query);
		if (!need.length && !refuse.length && !root)
			return null;
		return this.keptOf.get(sumKey, () => {
			const keep = need.length ? this.covered(need[0])
				: new Uint8Array(this.segments).fill(1);
			for (const marks of need.slice(1)) {
				const other = this.covered(marks);
				for (let s = 0; s < keep.length; s++)
					keep[s] &= other[s];
			}
			for (const marks of refuse)
				for (const s of this.outermostSegments(marks))
					keep.fill(0, s, this.end[s]);
			if (root && cuts)
				for (let s = 0; s < keep.length; s++)
					if (cuts.rootSeg[s] < 0)
						keep[s] = 0;
			return keep;
		});
	}

	/**
	 * @param {Query} query
	 * @param {number} type
	 * @returns {Sums}
	 */
	sums(query, type) {
		const key = JSON.stringify([type, query.range, query.threads,
			query.labels, this.plan(query).sumKey]);
		return this.sumsOf.get(key, () => this.makeSums(query, type));
	}

	/**
	 * @param {Query} query
	 * @param {number} type
	 * @returns {Sums}
	 */
	makeSums(query, type) {
		const weights = this.stackWeights(query, type);
		const keep = this.kept(query);
		const plan = this.plan(query);
		const own = new Float64Array(this.segments);
		let empty = 0;
		for (let k = 0; k < weights.length; k++) {
			const s = this.stackSegment[k];
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
			const p = this.parent[s];
			if (p >= 0)
				total[p] += total[s];
			else
				sum += total[s];
		}
		return {own, total, empty, sum};
	}

	/**
	 * @param {Query} query
	 * @returns {Weighed}
	 */
	weigh(query) {
		const now = this.sums(query, query.type);
		if (!this.meta.compare)
			return {now, before: now, compare: false};
		return {now, before: this.sums(query, 0), compare: true};
	}

	/**
	 * Puts what is at a place into the grouper, or what it calls if it is
	 * not shown itself.
	 * @param {Plan} plan
	 * @param {Weighed} w
	 * @param {number} seg
	 * @param {number} off
	 * @param {number} above id of the caller that is shown
	 */
	enter(plan, w, seg, off, above) {
		const {hidden, map, fold} = plan;
		const {total} = w.now;
		const before = w.before.total;
		const stack = this.pending;
		const floor = stack.length;
		for (;;) {
			const f = this.fn[this.first[seg] + off];
			const id = map ? map[f] : f;
			if (!(hidden && hidden[f]) &&
			    !((fold || id >= this.functions) && id === above)) {
				this.grouper.add(id, seg, off, total[seg],
					w.compare ? before[seg] : 0);
			} else if (off + 1 < this.length[seg]) {
				off++;
				continue;
			} else {
				for (let c = seg + 1; c < this.end[seg];
				     c = this.end[c])
					if (total[c] > 0 || before[c] > 0)
						stack.push(c);
			}
			if (stack.length === floor)
				return;
			seg = /** @type {number} */ (stack.pop());
			off = 0;
		}
	}

	/**
	 * @param {Plan} plan
	 * @param {Weighed} w
	 * @param {number} seg
	 * @param {number} off
	 * @param {number} above
	 */
	enterCallees(plan, w, seg, off, above) {
		if (off + 1 < this.length[seg]) {
			this.enter(plan, w, seg, off + 1, above);
			return;
		}
		const {total} = w.now;
		const before = w.before.total;
		const end = this.end[seg];
		for (let c = seg + 1; c < end; c = this.end[c])
			if (total[c] > 0 || before[c] > 0)
				this.enter(plan, w, c, 0, above);
	}

	/**
	 * Puts the nearest caller that is shown, from this place on, into the
	 * grouper.
	 * @param {Plan} plan
	 * @param {number} seg
	 * @param {number} off
	 * @param {number} w
	 * @param {number} b
	 * @param {number} above
	 */
	enterUp(plan, seg, off, w, b, above) {
		const {hidden, map, fold, cuts} = plan;
		for (;;) {
			const f = this.fn[this.first[seg] + off];
			const id = map ? map[f] : f;
			if (!(hidden && hidden[f]) &&
			    !((fold || id >= this.functions) && id === above)) {
				this.grouper.add(id, seg, off, w, b);
				return;
			}
			if (!this.mayGoUp(plan, cuts, seg, off))
				return;
			if (off > 0) {
				off--;
			} else {
				seg = this.parent[seg];
				off = this.length[seg] - 1;
			}
		}
	}

	/**
	 * @param {Plan} plan
	 * @param {Cuts|null} cuts
	 * @param {number} seg
	 * @param {number} off
	 */
	mayGoUp(plan, cuts, seg, off) {
		if (plan.root && cuts && cuts.rootSeg[seg] === seg &&
		    cuts.rootOff[seg] === off)
			return false;
		return off > 0 || this.parent[seg] >= 0;
	}

	/**
	 * @param {Plan} plan
	 * @param {number} seg
	 * @param {number} off
	 * @param {number} w
	 * @param {number} b
	 * @param {number} above
	 */
	enterCaller(plan, seg, off, w, b, above) {
		if (!this.mayGoUp(plan, plan.cuts, seg, off))
			return;
		if (off > 0)
			this.enterUp(plan, seg, off - 1, w, b, above);
		else
			this.enterUp(plan, this.parent[seg],
				this.length[this.parent[seg]] - 1, w, b, above);
	}

	/**
	 * What all stacks begin with.
	 * @param {Plan} plan
	 * @param {Weighed} w
	 */
	enterRoots(plan, w) {
		this.grouper.start();
		if (plan.root) {
			this.enterPlaces({...plan, cuts: null}, w, plan.root);
			return;
		}
		const {total} = w.now;
		const before = w.before.total;
		for (let s = 0; s < this.segments; s = this.end[s])
			if (total[s] > 0 || before[s] > 0)
				this.enter(plan, w, s, 0, -1);
	}

	/**
	 * The outermost places of functions.
	 * @param {Plan} plan
	 * @param {Weighed} w
	 * @param {Uint8Array} marks
	 */
	enterPlaces(plan, w, marks) {
		const {total} = w.now;
		const before = w.before.total;
		const visible = shown(marks, plan);
		if (plan.cuts) {
			this.enterCutPlaces(plan, w, visible);
			return;
		}
		for (const s of this.outermostSegments(visible)) {
			if (!(total[s] > 0 || before[s] > 0))
				continue;
			const off = this.offsetOf(s, visible, 0);
			const f = this.fn[this.first[s] + off];
			this.grouper.add(plan.map ? plan.map[f] : f, s, off, total[s],
				w.compare ? before[s] : 0);
		}
	}

	/**
	 * The same where stacks are cut: a place above the root is none.
	 * @param {Plan} plan
	 * @param {Weighed} w
	 * @param {Uint8Array} marks
	 */
	enterCutPlaces(plan, w, marks) {
		const {total} = w.now;
		const before = w.before.total;
		const {first, fn, end} = this;
		for (let s = 0; s < this.segments;) {
			if (!(total[s] > 0 || before[s] > 0)) {
				s = end[s];
				continue;
			}
			const last = first[s + 1];
			let i = first[s];
			while (i < last && !(marks[fn[i]] && this.isShown(plan, s, i)))
				i++;
			if (i === last) {
				s++;
				continue;
			}
			const id = plan.map ? plan.map[fn[i]] : fn[i];
			this.grouper.add(id, s, i - first[s], total[s],
				w.compare ? before[s] : 0);
			s = end[s];
		}
	}

	/**
	 * Whether an entry is left by hiding and cutting.
	 * @param {Plan} plan
	 * @param {number} s
	 * @param {number} i
	 */
	isShown(plan, s, i) {
		const {cuts} = plan;
		if (plan.hidden && plan.hidden[this.fn[i]])
			return false;
		if (!cuts)
			return true;
		const off = i - this.first[s];
		if (plan.root && (cuts.rootSeg[s] < 0 || (cuts.rootSeg[s] === s &&
		    off < cuts.rootOff[s])))
			return false;
		return !(cuts.leafSeg[s] >= 0 && (cuts.leafSeg[s] !== s ||
			off > cuts.leafOff[s]));
	}

	/**
	 * Where samples end.
	 * @param {Plan} plan
	 * @param {Weighed} w
	 */
	enterLeaves(plan, w) {
		const {cuts} = plan;
		const {own} = w.now;
		const before = w.before.own;
		this.grouper.start();
		for (let s = 0; s < this.segments; s++) {
			const b = w.compare ? before[s] : 0;
			if (!(own[s] > 0 || b > 0))
				continue;
			if (cuts && cuts.leafSeg[s] >= 0)
				this.enterUp(plan, cuts.leafSeg[s], cuts.leafOff[s],
					own[s], b, -1);
			else
				this.enterUp(plan, s, this.length[s] - 1, own[s], b,
					-1);
		}
	}

	/**
	 * What follows a group, in the direction of the walk.
	 * @param {Plan} plan
	 * @param {Weighed} w
	 * @param {Group} g
	 * @param {boolean} reverse
	 */
	enterNext(plan, w, g, reverse) {
		this.grouper.start();
		if (!reverse && plan.below && g.id < this.functions &&
		    plan.below[g.id])
			return;
		for (let i = 0; i < g.n; i++) {
			const seg = g.segs ? g.segs[i] : g.seg;
			const off = g.offs ? g.offs[i] : g.off;
			if (reverse)
				this.enterCaller(plan, seg, off,
					g.cws ? g.cws[i] : g.cw,
					g.cbs ? g.cbs[i] : g.cb, g.id);
			else
				this.enterCallees(plan, w, seg, off, g.id);
		}
	}

	/**
	 * The groups that follow one, those too small left out.
	 * @param {Plan} plan
	 * @param {Weighed} w
	 * @param {Group} g
	 * @param {{reverse: boolean, byName: boolean, least: number}} how
	 * @returns {Grouped}
	 */
	next(plan, w, g, how) {
		if (!how.reverse && !plan.shapes && g.n === 1) {
			if (g.off + 1 >= this.length[g.seg])
				return this.children(w, g.seg + 1, this.end[g.seg], how);
			const id = this.fn[this.first[g.seg] + g.off + 1];
			return {groups: [singleGroup(id, g.seg, g.off + 1, g.w, g.b)],
				small: 0, smallW: 0, smallB: 0};
		}
		this.enterNext(plan, w, g, how.reverse);
		return this.grouper.finish(how.least, how.byName);
	}

	/**
	 * Segments that follow one another as groups: where stacks are as they
	 * were, brothers are different functions, and need no grouping.
	 * @param {Weighed} w
	 * @param {number} from
	 * @param {number} to
	 * @param {{byName: boolean, least: number}} how
	 * @returns {Grouped}
	 */
	children(w, from, to, how) {
		const {total} = w.now;
		const before = w.before.total;
		const {end, fn, first} = this;
		const out = {groups: /** @type {Group[]} */ ([]), small: 0,
			smallW: 0, smallB: 0};
		for (let c = from; c < to; c = end[c]) {
			const weight = total[c];
			const b = w.compare ? before[c] : 0;
			if (weight >= how.least && weight > 0) {
				out.groups.push(singleGroup(fn[first[c]], c, 0, weight, b));
			} else if (weight > 0 || b > 0) {
				out.small++;
				out.smallW += weight;
				out.smallB += b;
			}
		}
		if (!how.byName && out.groups.length > 1)
			out.groups.sort((x, y) => y.w - x.w || x.id - y.id);
		return out;
	}

	/**
	 * The first row of a view: of everything, or of one function's places.
	 * @param {Query} query
	 * @param {{reverse: boolean, byName: boolean, least: number,
	 *   at?: number}} how
	 * @returns {Grouped}
	 */
	begin(query, how) {
		const plan = this.plan(query);
		const w = this.weigh(query);
		if (how.at !== undefined) {
			const marks = new Uint8Array(this.functions);
			if (how.at < this.functions)
				marks[how.at] = 1;
			else
				for (let f = 0; f < this.functions; f++)
					marks[f] = +(!!plan.map && plan.map[f] === how.at);
			this.grouper.start();
			this.enterPlaces(plan, w, marks);
		} else if (how.reverse) {
			this.enterLeaves(plan, w);
		} else if (!plan.shapes) {
			return this.children(w, 0, this.segments, how);
		} else {
			this.enterRoots(plan, w);
		}
		return this.grouper.finish(how.least, how.byName);
	}

	/** By entry: whether its function is not above it already. */
	findOutermost() {
		if (this.outermost)
			return this.outermost;
		const out = new Uint8Array(this.fn.length);
		const count = new Uint32Array(this.functions);
		this.walk(() => true, (s) => {
			for (let i = this.first[s]; i < this.first[s + 1]; i++)
				out[i] = +(count[this.fn[i]]++ === 0);
		}, (s) => {
			for (let i = this.first[s]; i < this.first[s + 1]; i++)
				count[this.fn[i]]--;
		});
		this.outermost = out;
		return out;
	}

	/**
	 * Goes over segments in preorder; what is not wanted is passed over with
	 * all below it.
	 * @param {(s: number) => boolean} wanted
	 * @param {(s: number) => void} open
	 * @param {(s: number) => void} close
	 */
	walk(wanted, open, close) {
		/** @type {number[]} */
		const path = [];
		for (let s = 0; s < this.segments;) {
			while (path.length && path[path.length - 1] !== this.parent[s])
				close(/** @type {number} */ (path.pop()));
			if (!wanted(s)) {
				s = this.end[s];
				continue;
			}
			open(s);
			path.push(s);
			s++;
		}
		while (path.length)
			close(/** @type {number} */ (path.pop()));
	}

	/**
	 * What each function spends itself and in all it calls.
	 * @param {Query} query
	 * @param {Sums} sums
	 * @returns {{self: Float64Array, total: Float64Array}}
	 */
	table(query, sums) {
		const plan = this.plan(query);
		return plan.shapes ? shapedTable(this, plan, sums)
			: plainTable(this, sums);
	}
}
