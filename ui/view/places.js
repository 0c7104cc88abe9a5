// SPDX-License-Identifier: MIT
// Where in its source a function spends: stacks as they were sampled, line by
// line.  They are a file of their own, asked for when source is looked at.
// Filters count here as in every other view.

import {planOf} from './plan.js';
import {keptSegments, stackWeights} from './sums.js';

/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./query.js').Query} Query */
/** @typedef {import('./columns.js').PageFile} PageFile */

export class Places {
	/** @param {PageFile} file */
	constructor(file) {
		const up = file.column('runUp');
		this.runs = up.length;
		this.parent = new Int32Array(up.length).fill(-1);
		this.first = new Uint32Array(up.length + 1);
		const length = file.column('runLength');
		for (let r = 0; r < up.length; r++) {
			if (up[r])
				this.parent[r] = r - up[r];
			this.first[r + 1] = this.first[r] + length[r];
		}
		this.frames = file.column('frames');
		this.stackRun = file.column('stackRun');
		this.placeEnd = file.column('placeEnd');
		this.address = file.real('placeAddress') || new Float64Array(0);
		this.lineFunction = file.column('lineFunction');
		this.lineNumber = file.column('lineNumber');
		this.lineFile = file.column('lineFile');
		/** @type {string[]} */
		this.files = /** @type {any} */ (file.meta).files || [''];
	}

	/** @param {number} place */
	entries(place) {
		return [place ? this.placeEnd[place - 1] : 0, this.placeEnd[place]];
	}
}

/**
 * What runs weigh, with and without those that continue them.
 * @param {Engine} e
 * @param {Places} p
 * @param {Query} query
 */
function weighRuns(e, p, query) {
	const weights = stackWeights(e, query, query.type);
	const keep = keptSegments(e, query);
	const own = new Float64Array(p.runs);
	for (let k = 0; k < weights.length; k++) {
		const s = e.stackSegment[k];
		if (!keep || (s && keep[s - 1]))
			own[p.stackRun[k]] += weights[k];
	}
	const total = own.slice();
	for (let r = p.runs - 1; r > 0; r--)
		if (p.parent[r] >= 0)
			total[p.parent[r]] += total[r];
	return {own, total};
}

/** Sums by key, of which what is on the path already adds nothing. */
class PathSums {
	constructor() {
		/** @type {Map<number, number>} */
		this.self = new Map();
		/** @type {Map<number, number>} */
		this.total = new Map();
		/** @type {Map<number, number>} */
		this.open = new Map();
	}

	/**
	 * @param {number} key
	 * @param {number} weight
	 */
	enter(key, weight) {
		const n = this.open.get(key) || 0;
		if (!n)
			this.total.set(key, (this.total.get(key) || 0) + weight);
		this.open.set(key, n + 1);
	}

	/** @param {number} key */
	leave(key) {
		this.open.set(key, (this.open.get(key) || 1) - 1);
	}

	/**
	 * @param {number} key
	 * @param {number} weight
	 */
	end(key, weight) {
		this.self.set(key, (this.self.get(key) || 0) + weight);
	}

	/** @returns {[number, number, number][]} */
	rows() {
		return [...this.total].map(([key, total]) =>
			[key, this.self.get(key) || 0, total]);
	}
}

/** Files and lines in one number: lines have 32 bits. */
const FILE = 2 ** 32;

/**
 * How far a path has come: whether its root has been met, whether it has been
 * cut, and the last of its entries that is shown (-1: none), with its place.
 * @typedef {{begun: boolean, cut: boolean, last: number, place: number}} Way
 */

/** A walk over all runs, which adds up what one function's lines take. */
class LineWalk {
	/**
	 * @param {Engine} e
	 * @param {Places} p
	 * @param {Query} query
	 * @param {number} fn
	 */
	constructor(e, p, query, fn) {
		this.p = p;
		this.fn = fn;
		const {own, total} = weighRuns(e, p, query);
		this.own = own;
		this.total = total;
		const {hidden, root, below} = planOf(e, query);
		this.hidden = hidden;
		this.root = root;
		this.below = below;
		this.shapes = !!(hidden || root || below);
		this.lines = new PathSums();
		this.addresses = new PathSums();
		/** @type {Set<number>} */
		this.inlined = new Set();
		/** @type {number[]} keys that were entered, to be left again */
		this.entered = [];
		this.has = this.placesOf(fn);
	}

	/** @param {number} fn */
	placesOf(fn) {
		const {p} = this;
		const has = new Uint8Array(p.placeEnd.length);
		for (let place = 0; place < has.length; place++) {
			const [from, to] = p.entries(place);
			for (let i = from; i < to; i++)
				if (p.lineFunction[i] === fn)
					has[place] = 1;
		}
		return has;
	}

	/** @param {number} i */
	key(i) {
		return this.p.lineFile[i] * FILE + this.p.lineNumber[i];
	}

	/**
	 * Whether an entry is shown, which may begin or cut the path.
	 * @param {Way} way
	 * @param {number} f
	 */
	passes(way, f) {
		if (way.cut || (this.hidden && this.hidden[f]))
			return false;
		if (this.root && !way.begun) {
			way.begun = !!this.root[f];
			if (!way.begun)
				return false;
		}
		way.cut = !!(this.below && this.below[f]);
		return true;
	}

	/**
	 * Goes along a run, from callers to callees.
	 * @param {number} r
	 * @param {Way} way
	 */
	enter(r, way) {
		const {p} = this;
		for (let f = p.first[r]; f < p.first[r + 1]; f++) {
			const place = p.frames[f];
			const [from, to] = p.entries(place);
			if (!this.shapes && !this.has[place]) {
				way.last = from < to ? from : -1;
				way.place = place;
				continue;
			}
			for (let i = to - 1; i >= from; i--) {
				if (!this.passes(way, p.lineFunction[i]))
					continue;
				way.last = i;
				way.place = place;
				if (p.lineFunction[i] === this.fn)
					this.meet(i, place, r, i + 1 < to);
			}
		}
	}

	/**
	 * @param {number} i
	 * @param {number} place
	 * @param {number} r
	 * @param {boolean} inlined
	 */
	meet(i, place, r, inlined) {
		const key = this.key(i);
		this.lines.enter(key, this.total[r]);
		this.addresses.enter(this.p.address[place], this.total[r]);
		this.entered.push(key, this.p.address[place]);
		if (inlined)
			this.inlined.add(key);
	}

	/** @param {number} to how much was entered before */
	leave(to) {
		while (this.entered.length > to) {
			this.addresses.leave(/** @type {number} */ (this.entered.pop()));
			this.lines.leave(/** @type {number} */ (this.entered.pop()));
		}
	}

	/**
	 * @param {number} r
	 * @param {Way} way
	 */
	end(r, way) {
		const {p} = this;
		if (!this.own[r] || way.last < 0 ||
		    p.lineFunction[way.last] !== this.fn)
			return;
		this.lines.end(this.key(way.last), this.own[r]);
		this.addresses.end(p.address[way.place], this.own[r]);
	}

	run() {
		const {p} = this;
		/** @type {{r: number, way: Way, entered: number}[]} */
		const path = [];
		for (let r = 1; r < p.runs; r++) {
			while (path.length && path[path.length - 1].r !== p.parent[r])
				this.leave(/** @type {any} */ (path.pop()).entered);
			const above = path[path.length - 1];
			const way = above ? {...above.way}
				: {begun: false, cut: false, last: -1, place: 0};
			path.push({r, way, entered: this.entered.length});
			this.enter(r, way);
			this.end(r, way);
		}
	}
}

/**
 * What a function spends on each of its lines, and at each address.
 * @param {Engine} e
 * @param {Places} p
 * @param {Query} query
 * @param {number} fn
 */
export function linesOf(e, p, query, fn) {
	const walk = new LineWalk(e, p, query, fn);
	walk.run();
	/** @param {number} key */
	const split = (key) => [key % FILE, p.files[Math.floor(key / FILE)]];
	return {
		lines: walk.lines.rows().map(([key, self, total]) => {
			const [line, file] = split(key);
			return {line, file, self, total};
		}),
		addresses: walk.addresses.rows(),
		inlined: [...walk.inlined].map((key) => {
			const [line, file] = split(key);
			return {line, file};
		}),
	};
}

/**
 * Adds to lines what they took before; those that take nothing any more are in
 * it, too.
 * @param {ReturnType<typeof linesOf>} now
 * @param {ReturnType<typeof linesOf>} before
 */
export function withBefore(now, before) {
	/** @param {{line: number|string, file: number|string}} r */
	const key = (r) => `${r.line} ${r.file}`;
	const was = new Map(before.lines.map((r) => [key(r), r]));
	const lines = now.lines.map((r) => {
		const old = was.get(key(r));
		was.delete(key(r));
		return {...r, before: old ? old.total : 0};
	});
	for (const r of was.values())
		lines.push({...r, self: 0, total: 0, before: r.total});
	return {...now, lines};
}
