// SPDX-License-Identifier: MIT
// Boxes while they are made: how many there are is known when the last row is.

/** @typedef {import('./boxes.js').Boxes} Boxes */

export class BoxList {
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
