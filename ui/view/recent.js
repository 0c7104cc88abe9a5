// SPDX-License-Identifier: MIT
// Results that may be asked for again.

const CACHED = 6;

/**
 * Remembers the last few results.
 * @template T
 */
export class Recent {
	constructor() {
		/** @type {Map<string, T>} */
		this.map = new Map();
	}

	/**
	 * @param {string} key
	 * @param {() => T} make
	 * @returns {T}
	 */
	get(key, make) {
		let value = this.map.get(key);
		if (value === undefined) {
			value = make();
			if (this.map.size >= CACHED)
				this.map.delete(this.map.keys().next().value || '');
		} else {
			this.map.delete(key);
		}
		this.map.set(key, value);
		return value;
	}
}
