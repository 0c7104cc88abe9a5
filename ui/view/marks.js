// SPDX-License-Identifier: MIT
// Which functions are meant: by name, by file, by module or by a regular
// expression.  Marks are a byte for each function.

/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./query.js').Transform} Transform */

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

/**
 * Which functions a regular expression is about.  wide: also by their
 * files and modules, as filters do.
 * @param {Engine} e
 * @param {string} text
 * @param {boolean} wide
 * @returns {Uint8Array}
 */
export function matching(e, text, wide) {
	return e.recent.matches.get((wide ? 'w' : 'n') + text, () => {
		const re = regexOf(text, !wide);
		const marks = new Uint8Array(e.functions);
		/** @type {Map<number, boolean>} */
		const known = new Map();
		/** @param {number} id */
		const test = (id) => {
			let is = known.get(id);
			if (is === undefined) {
				is = re.test(e.string(id));
				known.set(id, is);
			}
			return is;
		};
		for (let f = 0; f < e.functions; f++) {
			if (test(e.functionName[f]) || (wide &&
			    ((e.functionFile[f] &&
			      test(e.functionFile[f])) ||
			     (e.functionModule[f] &&
			      test(e.functionModule[f])))))
				marks[f] = 1;
		}
		return marks;
	});
}

/**
 * @param {Engine} e
 * @param {Transform} t
 * @returns {Uint8Array}
 */
export function marksOf(e, t) {
	if (t.text !== undefined)
		return matching(e, t.text, true);
	const marks = new Uint8Array(e.functions);
	if (t.module !== undefined) {
		for (let f = 0; f < e.functions; f++)
			marks[f] = +(e.functionModule[f] === t.module);
	} else if (t.fn !== undefined) {
		marks[t.fn] = 1;
	}
	return marks;
}
