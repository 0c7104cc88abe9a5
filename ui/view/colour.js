// SPDX-License-Identifier: MIT
// The colours of boxes.  Any two kinds differ for normal sight and for the
// three kinds of colour blindness, and text on them has a contrast of 4.8:1;
// nothing is told by colour alone.

const LIGHT = ['#d9963b', '#9db4c5', '#f7ac90', '#a0e6d8', '#c4c4c4'];
const DARK = ['#7a5024', '#3c5865', '#6a3417', '#2e7f68', '#4d4d4d'];
const LIGHT_INLINED = '#eee07a';
const DARK_INLINED = '#6d740f';
const LIGHT_MODULE = '#c9a9f5';
const DARK_MODULE = '#4b4686';

export const KIND_NAMES = ['program', 'library', 'kernel', 'compiled at run time',
	'no name'];

/** Whether the page is dark now. */
export function isDark() {
	return matchMedia('(prefers-color-scheme: dark)').matches;
}

/** @param {string} hex */
function parts(hex) {
	const n = parseInt(hex.slice(1), 16);
	return [n >> 16, n >> 8 & 255, n & 255];
}

const BOX_SHADES = 8;
/** @type {Map<string, string[]>} */
const knownShades = new Map();

/** @param {string} hex */
function shadesOf(hex) {
	const out = [];
	for (let i = 0; i < BOX_SHADES; i++) {
		const shift = (i / (BOX_SHADES - 1) - 0.5) * 0.09;
		const [r, g, b] = parts(hex).map((c) =>
			Math.round(Math.min(255, Math.max(0, c * (1 + shift)))));
		out.push(`rgb(${r},${g},${b})`);
	}
	return out;
}

/**
 * A colour a little lighter or darker, by a number.  Few different ones are
 * drawn faster than many.
 * @param {string} hex
 * @param {number} seed
 */
function vary(hex, seed) {
	let known = knownShades.get(hex);
	if (!known) {
		known = shadesOf(hex);
		knownShades.set(hex, known);
	}
	return known[(Math.imul(seed + 1, 0x9e3779b1) >>> 24) % BOX_SHADES];
}

/**
 * The fill of a function's boxes.
 * @param {number} kind
 * @param {boolean} inlined
 * @param {number} seed
 * @param {boolean} dark
 */
export function kindColour(kind, inlined, seed, dark) {
	if (kind < 0)
		return vary(dark ? DARK_MODULE : LIGHT_MODULE, seed);
	if (inlined && kind !== 4)
		return vary(dark ? DARK_INLINED : LIGHT_INLINED, seed);
	return vary((dark ? DARK : LIGHT)[kind] || LIGHT[4], seed);
}

/**
 * @param {string} from
 * @param {string} to
 * @param {number} share
 */
function mix(from, to, share) {
	const a = parts(from);
	const b = parts(to);
	return `rgb(${a.map((c, i) => Math.round(c + (b[i] - c) * share))
		.join(',')})`;
}

/**
 * The fill of what was and is so many parts of the whole: red has grown, blue
 * has shrunk; changes of next to nothing are pale, and what chance explains is
 * grey.
 * @param {number} before
 * @param {number} now
 * @param {boolean} chance
 * @param {boolean} dark
 */
export function changeColour(before, now, chance, dark) {
	const same = dark ? '#3a3a3c' : '#e4e4e6';
	const largest = Math.max(before, now);
	if (!(largest > 0) || chance)
		return same;
	const change = now - before;
	const strength = Math.sqrt(Math.abs(change) / largest *
		Math.min(1, Math.abs(change) / 0.002));
	if (change > 0)
		return mix(same, dark ? '#a83a32' : '#f08a73', strength);
	return mix(same, dark ? '#2b62a8' : '#7db6e8', strength);
}

/** The colours of everything that is not a box, from the style sheet. */
export function inks() {
	const style = getComputedStyle(document.documentElement);
	/** @param {string} name */
	const get = (name) => style.getPropertyValue(name).trim();
	return {
		text: get('--box-text'), paper: get('--paper'), line: get('--line'),
		accent: get('--accent'), dim: get('--dim'), root: get('--box-root'),
		fade: get('--fade'), ink: get('--ink'), lit: get('--lit'),
		unlit: get('--unlit'),
	};
}
