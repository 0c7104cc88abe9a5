// SPDX-License-Identifier: MIT
// From box to box of one selection: what it begins with, and what follows a
// group of places, be it what they call or who calls them.  Places that are not
// shown are stepped over, so views that change stacks need no tree of their own.

import {offsetOf, outermostSegments} from './calltree.js';
import {singleGroup} from './groups.js';
import {shown} from './marks.js';
import {isShown, planOf} from './plan.js';
import {weigh} from './sums.js';

/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./groups.js').Group} Group */
/** @typedef {import('./groups.js').Grouped} Grouped */
/** @typedef {import('./query.js').Query} Query */

/**
 * Which way a walk goes, and what it leaves out.
 * @typedef {{reverse: boolean, byName: boolean, least: number}} How
 */

export class CallWalk {
	/**
	 * @param {Engine} e
	 * @param {Query} query
	 */
	constructor(e, query) {
		this.e = e;
		this.plan = planOf(e, query);
		this.weighed = weigh(e, query);
		// What is asked for at each step lies here, not further away.
		this.total = this.weighed.now.total;
		this.before = this.weighed.before.total;
		this.compare = this.weighed.compare;
		this.parent = e.parent;
		this.first = e.first;
		this.length = e.length;
		this.end = e.end;
		this.fn = e.fn;
		this.functions = e.functions;
		this.grouper = e.grouper;
		/** @type {number[]} segments that are still to be entered */
		this.pending = [];
	}

	/**
	 * Puts what is at a place into the grouper, or what it calls if it is
	 * not shown itself.
	 * @param {number} seg
	 * @param {number} off
	 * @param {number} above id of the caller that is shown
	 */
	enter(seg, off, above) {
		const {hidden, map, fold} = this.plan;
		const {total, before} = this;
		const stack = this.pending;
		const floor = stack.length;
		for (;;) {
			const f = this.fn[this.first[seg] + off];
			const id = map ? map[f] : f;
			if (!(hidden && hidden[f]) &&
			    !((fold || id >= this.functions) && id === above)) {
				this.grouper.add(id, seg, off, total[seg],
					this.compare ? before[seg] : 0);
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
	 * @param {number} seg
	 * @param {number} off
	 * @param {number} above
	 */
	enterCallees(seg, off, above) {
		if (off + 1 < this.length[seg]) {
			this.enter(seg, off + 1, above);
			return;
		}
		const {total, before} = this;
		const end = this.end[seg];
		for (let c = seg + 1; c < end; c = this.end[c])
			if (total[c] > 0 || before[c] > 0)
				this.enter(c, 0, above);
	}

	/**
	 * Puts the nearest caller that is shown, from this place on, into the
	 * grouper.
	 * @param {number} seg
	 * @param {number} off
	 * @param {number} w
	 * @param {number} b
	 * @param {number} above
	 */
	enterUp(seg, off, w, b, above) {
		const {hidden, map, fold} = this.plan;
		for (;;) {
			const f = this.fn[this.first[seg] + off];
			const id = map ? map[f] : f;
			if (!(hidden && hidden[f]) &&
			    !((fold || id >= this.functions) && id === above)) {
				this.grouper.add(id, seg, off, w, b);
				return;
			}
			if (!this.mayGoUp(seg, off))
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
	 * @param {number} seg
	 * @param {number} off
	 */
	mayGoUp(seg, off) {
		const {root, cuts} = this.plan;
		if (root && cuts && cuts.rootSeg[seg] === seg &&
		    cuts.rootOff[seg] === off)
			return false;
		return off > 0 || this.parent[seg] >= 0;
	}

	/**
	 * @param {number} seg
	 * @param {number} off
	 * @param {number} w
	 * @param {number} b
	 * @param {number} above
	 */
	enterCaller(seg, off, w, b, above) {
		if (!this.mayGoUp(seg, off))
			return;
		if (off > 0)
			this.enterUp(seg, off - 1, w, b, above);
		else
			this.enterUp(this.parent[seg],
				this.length[this.parent[seg]] - 1, w, b, above);
	}

	/** What all stacks begin with. */
	enterRoots() {
		const {root} = this.plan;
		if (root) {
			this.enterOutermost(shown(root, this.plan));
			return;
		}
		const {total, before} = this;
		const {segments} = this.e;
		for (let s = 0; s < segments; s = this.end[s])
			if (total[s] > 0 || before[s] > 0)
				this.enter(s, 0, -1);
	}

	/**
	 * The outermost places of functions.
	 * @param {Uint8Array} marks of those that are shown
	 */
	enterOutermost(marks) {
		const {total, before} = this;
		const {map} = this.plan;
		for (const s of outermostSegments(this.e, marks)) {
			if (!(total[s] > 0 || before[s] > 0))
				continue;
			const off = offsetOf(this.e, s, marks, 0);
			const f = this.fn[this.first[s] + off];
			this.grouper.add(map ? map[f] : f, s, off, total[s],
				this.compare ? before[s] : 0);
		}
	}

	/**
	 * The same where stacks are cut: a place above the root is none.
	 * @param {Uint8Array} marks
	 */
	enterCutPlaces(marks) {
		const {e, plan, total, before, first, fn, end} = this;
		for (let s = 0; s < e.segments;) {
			if (!(total[s] > 0 || before[s] > 0)) {
				s = end[s];
				continue;
			}
			const last = first[s + 1];
			let i = first[s];
			while (i < last && !(marks[fn[i]] && isShown(e, plan, s, i)))
				i++;
			if (i === last) {
				s++;
				continue;
			}
			const id = plan.map ? plan.map[fn[i]] : fn[i];
			this.grouper.add(id, s, i - first[s], total[s],
				this.compare ? before[s] : 0);
			s = end[s];
		}
	}

	/**
	 * The places of a function, or of a module that is shown as one.
	 * @param {number} id
	 */
	enterPlaces(id) {
		const {map, cuts} = this.plan;
		const marks = new Uint8Array(this.functions);
		if (id < this.functions)
			marks[id] = 1;
		else
			for (let f = 0; f < this.functions; f++)
				marks[f] = +(!!map && map[f] === id);
		const visible = shown(marks, this.plan);
		if (cuts)
			this.enterCutPlaces(visible);
		else
			this.enterOutermost(visible);
	}

	/** Where samples end. */
	enterLeaves() {
		const {cuts} = this.plan;
		const {own} = this.weighed.now;
		const before = this.weighed.before.own;
		const {segments} = this.e;
		for (let s = 0; s < segments; s++) {
			const b = this.compare ? before[s] : 0;
			if (!(own[s] > 0 || b > 0))
				continue;
			if (cuts && cuts.leafSeg[s] >= 0)
				this.enterUp(cuts.leafSeg[s], cuts.leafOff[s], own[s], b,
					-1);
			else
				this.enterUp(s, this.length[s] - 1, own[s], b, -1);
		}
	}

	/**
	 * What follows a group, in the direction of the walk.
	 * @param {Group} g
	 * @param {boolean} reverse
	 */
	enterNext(g, reverse) {
		const {below} = this.plan;
		if (!reverse && below && g.id < this.functions && below[g.id])
			return;
		for (let i = 0; i < g.n; i++) {
			const seg = g.segs ? g.segs[i] : g.seg;
			const off = g.offs ? g.offs[i] : g.off;
			if (reverse)
				this.enterCaller(seg, off, g.cws ? g.cws[i] : g.cw,
					g.cbs ? g.cbs[i] : g.cb, g.id);
			else
				this.enterCallees(seg, off, g.id);
		}
	}

	/**
	 * Segments that follow one another as groups: where stacks are as they
	 * were, brothers are different functions, and need no grouping.
	 * @param {number} from
	 * @param {number} to
	 * @param {{byName: boolean, least: number}} how
	 * @returns {Grouped}
	 */
	children(from, to, how) {
		const {total, before, end, fn, first} = this;
		const out = {groups: /** @type {Group[]} */ ([]), small: 0,
			smallW: 0, smallB: 0};
		for (let c = from; c < to; c = end[c]) {
			const weight = total[c];
			const b = this.compare ? before[c] : 0;
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
	 * @param {How & {at?: number}} how
	 * @returns {Grouped}
	 */
	begin(how) {
		if (how.at === undefined && !how.reverse && !this.plan.shapes)
			return this.children(0, this.e.segments, how);
		this.grouper.start();
		if (how.at !== undefined)
			this.enterPlaces(how.at);
		else if (how.reverse)
			this.enterLeaves();
		else
			this.enterRoots();
		return this.grouper.finish(how.least, how.byName);
	}

	/**
	 * The groups that follow one, those too small left out.
	 * @param {Group} g
	 * @param {How} how
	 * @returns {Grouped}
	 */
	next(g, how) {
		if (!how.reverse && !this.plan.shapes && g.n === 1) {
			if (g.off + 1 >= this.length[g.seg])
				return this.children(g.seg + 1, this.end[g.seg], how);
			const id = this.fn[this.first[g.seg] + g.off + 1];
			return {groups: [singleGroup(id, g.seg, g.off + 1, g.w, g.b)],
				small: 0, smallW: 0, smallB: 0};
		}
		this.grouper.start();
		this.enterNext(g, how.reverse);
		return this.grouper.finish(how.least, how.byName);
	}
}
