// SPDX-License-Identifier: MIT
// Small things that the engine is made of: which functions are meant, and
// results that may be asked for again.

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

/**
 * @param {Uint8Array|null} a
 * @param {Uint8Array} b
 */
export function either(a, b) {
	if (!a)
		return b;
	const out = a.slice();
	for (let i = 0; i < out.length; i++)
		out[i] |= b[i];
	return out;
}

/**
 * Marks without those of hidden functions.
 * @param {Uint8Array} marks
 * @param {{hidden: Uint8Array|null}} plan
 */
export function shown(marks, plan) {
	const {hidden} = plan;
	return hidden ? marks.map((m, f) => hidden[f] ? 0 : m) : marks;
}

/** @param {number} n */
export function identity(n) {
	const out = new Uint32Array(n);
	for (let i = 0; i < n; i++)
		out[i] = i;
	return out;
}

/**
 * A regular expression as people write it for pprof: (?i) in front folds case.
 * What can not be parsed is taken as it is.  smart: lower case matches both.
 * @param {string} text
 * @param {boolean} smart
 */
export function regexOf(text, smart) {
	let flags = 'u';
	if (text.startsWith('(?i)')) {
		text = text.slice(4);
		flags += 'i';
	} else if (smart && text === text.toLowerCase()) {
		flags += 'i';
	}
	for (const f of [flags, flags.replace('u', '')]) {
		try {
			return new RegExp(text, f);
		} catch {
			// Tried with fewer rules, then as plain text.
		}
	}
	return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), flags);
}
