// SPDX-License-Identifier: MIT
// Numbers as people read them, and elements made of text.  Names come from
// anywhere: they are only ever set as text.

const TIME = [['ns', 1], ['µs', 1e3], ['ms', 1e6], ['s', 1e9], ['min', 6e10],
	['h', 3.6e12]];
const BYTES = [['B', 1], ['kB', 1024], ['MB', 1024 ** 2], ['GB', 1024 ** 3],
	['TB', 1024 ** 4]];
const COUNT = [['', 1], ['k', 1e3], ['M', 1e6], ['G', 1e9]];

/** @type {Record<string, [(string|number)[][], number]>} */
const FAMILIES = {
	ns: [TIME, 1], nanoseconds: [TIME, 1], nanosecond: [TIME, 1],
	us: [TIME, 1e3], microseconds: [TIME, 1e3], microsecond: [TIME, 1e3],
	ms: [TIME, 1e6], milliseconds: [TIME, 1e6], millisecond: [TIME, 1e6],
	s: [TIME, 1e9], seconds: [TIME, 1e9], second: [TIME, 1e9],
	bytes: [BYTES, 1], byte: [BYTES, 1], b: [BYTES, 1],
	kb: [BYTES, 1024], mb: [BYTES, 1024 ** 2], gb: [BYTES, 1024 ** 3],
};

/** @param {number} n */
function digits(n) {
	const size = Math.abs(n);
	return size >= 1000 || Number.isInteger(n) ? n.toFixed(0)
		: size >= 100 ? n.toFixed(1) : n.toFixed(2);
}

/**
 * A value in the unit that suits it: 1.25s, 12.0MB, 3.4k.
 * @param {number} value
 * @param {string} unit
 */
export function valueText(value, unit) {
	const family = FAMILIES[unit.toLowerCase()];
	const [steps, factor] = family || [COUNT, 1];
	const base = value * factor;
	let [name, size] = steps[0];
	if (!family && Math.abs(base) < 10000) {
		name = '';
		size = 1;
	} else {
		for (const [n, s] of steps)
			if (Math.abs(base) >= Number(s))
				[name, size] = [n, s];
	}
	return digits(base / Number(size)) + name;
}

/**
 * A value in full, with its unit.
 * @param {number} value
 * @param {string} unit
 */
export function exactText(value, unit) {
	return `${Math.round(value).toLocaleString('en')} ${unit}`;
}

/**
 * @param {number} part
 * @param {number} whole
 */
export function shareText(part, whole) {
	if (!whole)
		return '–';
	const share = 100 * part / whole;
	const size = Math.abs(share);
	return (size >= 99.95 || size === 0 ? share.toFixed(0)
		: size >= 9.995 ? share.toFixed(1)
			: size >= 0.005 ? share.toFixed(2) : '<0.01') + '%';
}

/**
 * A change with its sign.
 * @param {number} change
 * @param {string} text of its size
 */
export function signed(change, text) {
	return (change > 0 ? '+' : change < 0 ? '−' : '') +
		text.replace(/^-/, '');
}

/**
 * An element.  Properties that begin with "on" are listeners, others are
 * attributes; null and false leave one out.
 * @param {string} tag
 * @param {Record<string, any>|null} [props]
 * @param {...(Node|string|null|undefined)} children
 * @returns {HTMLElement}
 */
export function el(tag, props, ...children) {
	const node = document.createElement(tag);
	for (const [key, value] of Object.entries(props || {})) {
		if (key.startsWith('on'))
			node.addEventListener(key.slice(2), value);
		else if (value === true && !key.startsWith('aria-'))
			node.setAttribute(key, '');
		else if (value === false && key.startsWith('aria-'))
			node.setAttribute(key, 'false');
		else if (value !== false && value !== null && value !== undefined)
			node.setAttribute(key, String(value));
	}
	for (const child of children)
		if (child !== null && child !== undefined)
			node.append(child);
	return node;
}

/**
 * An element of the page, which is there.
 * @param {string} id
 * @returns {any}
 */
export function byId(id) {
	return document.getElementById(id);
}

/**
 * The last part of a path.
 * @param {string} path
 */
export function baseName(path) {
	return path.slice(path.lastIndexOf('/') + 1);
}
