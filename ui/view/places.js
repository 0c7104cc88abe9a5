// SPDX-License-Identifier: MIT
// Where in its source a function spends: stacks as they were sampled, line by
// line.  They are a file of their own, asked for when source is looked at.

/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./engine.js').Query} Query */
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
	const weights = e.stackWeights(query, query.type);
	const keep = e.kept(query);
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

/**
 * What a function spends on each of its lines, and at each address.
 * @param {Engine} e
 * @param {Places} p
 * @param {Query} query
 * @param {number} fn
 */
export function linesOf(e, p, query, fn) {
	const {own, total} = weighRuns(e, p, query);
	const lines = new PathSums();
	const addresses = new PathSums();
	const inlined = new Set();
	const has = new Uint8Array(p.placeEnd.length);
	for (let place = 0; place < has.length; place++) {
		const [from, to] = p.entries(place);
		for (let i = from; i < to; i++)
			if (p.lineFunction[i] === fn)
				has[place] = 1;
	}
	/**
	 * @param {number} r
	 * @param {boolean} enter
	 */
	const pass = (r, enter) => {
		for (let f = p.first[r]; f < p.first[r + 1]; f++) {
			const place = p.frames[f];
			if (!has[place])
				continue;
			const [from, to] = p.entries(place);
			for (let i = from; i < to; i++) {
				if (p.lineFunction[i] !== fn)
					continue;
				if (enter)
					lines.enter(p.lineNumber[i], total[r]);
				else
					lines.leave(p.lineNumber[i]);
				if (i + 1 < to)
					inlined.add(p.lineNumber[i]);
			}
			if (enter)
				addresses.enter(p.address[place], total[r]);
			else
				addresses.leave(p.address[place]);
		}
	};
	/** @param {number} r */
	const atEnd = (r) => {
		const place = p.frames[p.first[r + 1] - 1];
		if (!own[r] || !has[place])
			return;
		const [from] = p.entries(place);
		if (p.lineFunction[from] !== fn)
			return;
		lines.end(p.lineNumber[from], own[r]);
		addresses.end(p.address[place], own[r]);
	};
	/** @type {number[]} */
	const path = [];
	for (let r = 1; r < p.runs; r++) {
		while (path.length && path[path.length - 1] !== p.parent[r])
			pass(/** @type {number} */ (path.pop()), false);
		pass(r, true);
		atEnd(r);
		path.push(r);
	}
	return {lines: lines.rows(), addresses: addresses.rows(),
		inlined: [...inlined]};
}
