// SPDX-License-Identifier: MIT
// Places of the call tree, grouped by what they show.  A box of a transformed
// view is a list of real places; grouping only what is wide enough to be seen
// is what makes every transformation cost no more than the picture.

/**
 * A group: one place (seg, off, weight), or lists of them.
 * @typedef {object} Group
 * @property {number} id function, or a module's number behind the last one
 * @property {number} w what its samples weigh
 * @property {number} b the same before, in a comparison
 * @property {number} n how many places
 * @property {number} seg
 * @property {number} off
 * @property {number} cw
 * @property {number} cb
 * @property {Uint32Array|null} segs
 * @property {Uint32Array|null} offs
 * @property {Float64Array|null} cws
 * @property {Float64Array|null} cbs
 */

/** @typedef {{groups: Group[], small: number, smallW: number,
 *   smallB: number}} Grouped */

/**
 * @param {number} id
 * @param {number} seg
 * @param {number} off
 * @param {number} w
 * @param {number} b
 * @returns {Group}
 */
export function singleGroup(id, seg, off, w, b) {
	return {id, w, b, n: 1, seg, off, cw: w, cb: b, segs: null, offs: null,
		cws: null, cbs: null};
}

/**
 * @template {Uint32Array|Float64Array} T
 * @param {T} old
 * @param {T} to
 * @returns {T}
 */
function larger(old, to) {
	to.set(/** @type {any} */ (old));
	return to;
}

/**
 * What groups weigh together, now and before, with those left out.
 * @param {{groups: Group[], smallW: number, smallB: number}} grouped
 * @returns {[number, number]}
 */
export function sumOfGroups(grouped) {
	let w = grouped.smallW;
	let b = grouped.smallB;
	for (const g of grouped.groups) {
		w += g.w;
		b += g.b;
	}
	return [w, b];
}

export class Grouper {
	/** @param {number} ids how many ids there can be */
	constructor(ids) {
		this.slot = new Int32Array(ids);
		this.stamp = new Uint32Array(ids);
		this.now = 0;
		this.count = 0;
		this.n = 0;
		this.seg = new Uint32Array(1024);
		this.off = new Uint32Array(1024);
		this.group = new Uint32Array(1024);
		this.w = new Float64Array(1024);
		this.b = new Float64Array(1024);
		this.gid = new Uint32Array(256);
		this.gn = new Uint32Array(256);
		this.gw = new Float64Array(256);
		this.gb = new Float64Array(256);
	}

	/** @param {number} room */
	reserve(room) {
		this.seg = larger(this.seg, new Uint32Array(room));
		this.off = larger(this.off, new Uint32Array(room));
		this.group = larger(this.group, new Uint32Array(room));
		this.w = larger(this.w, new Float64Array(room));
		this.b = larger(this.b, new Float64Array(room));
	}

	/** @param {number} room */
	reserveGroups(room) {
		this.gid = larger(this.gid, new Uint32Array(room));
		this.gn = larger(this.gn, new Uint32Array(room));
		this.gw = larger(this.gw, new Float64Array(room));
		this.gb = larger(this.gb, new Float64Array(room));
	}

	start() {
		this.now++;
		this.count = 0;
		this.n = 0;
	}

	/**
	 * @param {number} id
	 * @param {number} seg
	 * @param {number} off
	 * @param {number} w
	 * @param {number} b
	 */
	add(id, seg, off, w, b) {
		let g;
		if (this.stamp[id] !== this.now) {
			if (this.count === this.gid.length)
				this.reserveGroups(2 * this.count);
			this.stamp[id] = this.now;
			g = this.slot[id] = this.count++;
			this.gid[g] = id;
			this.gn[g] = 0;
			this.gw[g] = 0;
			this.gb[g] = 0;
		} else {
			g = this.slot[id];
		}
		this.gw[g] += w;
		this.gb[g] += b;
		this.gn[g]++;
		const n = this.n++;
		if (n === this.seg.length)
			this.reserve(2 * n);
		this.seg[n] = seg;
		this.off[n] = off;
		this.group[n] = g;
		this.w[n] = w;
		this.b[n] = b;
	}

	/**
	 * The groups that weigh at least that much, the heaviest first or in
	 * the order of their ids.
	 * @param {number} least
	 * @param {boolean} byName
	 * @returns {Grouped}
	 */
	finish(least, byName) {
		/** @type {Group[]} */
		const groups = [];
		let small = 0;
		let smallW = 0;
		let smallB = 0;
		/** @type {(Group|null)[]} */
		const by = new Array(this.count);
		for (let g = 0; g < this.count; g++) {
			const w = this.gw[g];
			if (!(w >= least)) {
				small++;
				smallW += w;
				smallB += this.gb[g];
				by[g] = null;
				continue;
			}
			const group = singleGroup(this.gid[g], 0, 0, w, this.gb[g]);
			group.n = 0;
			const n = this.gn[g];
			if (n > 1) {
				group.segs = new Uint32Array(n);
				group.offs = new Uint32Array(n);
				group.cws = new Float64Array(n);
				group.cbs = new Float64Array(n);
			}
			by[g] = group;
			groups.push(group);
		}
		this.fill(by);
		groups.sort(byName ? (x, y) => x.id - y.id
			: (x, y) => y.w - x.w || x.id - y.id);
		return {groups, small, smallW, smallB};
	}

	/** @param {(Group|null)[]} by */
	fill(by) {
		for (let i = 0; i < this.n; i++) {
			const group = by[this.group[i]];
			if (!group)
				continue;
			const at = group.n++;
			if (group.segs && group.offs && group.cws && group.cbs) {
				group.segs[at] = this.seg[i];
				group.offs[at] = this.off[i];
				group.cws[at] = this.w[i];
				group.cbs[at] = this.b[i];
			} else {
				group.seg = this.seg[i];
				group.off = this.off[i];
				group.cw = this.w[i];
				group.cb = this.b[i];
			}
		}
	}
}
