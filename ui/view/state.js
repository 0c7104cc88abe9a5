// SPDX-License-Identifier: MIT
// What is looked at, and how: one object, which the address keeps.  Every
// change is a step of the browser's history, so Back is undo and a link is the
// view.

/** @typedef {import('./query.js').Transform} Transform */
/** @typedef {import('./query.js').LabelFilter} LabelFilter */
/** @typedef {import('./query.js').Query} Query */

/**
 * @typedef {object} State
 * @property {number} file which profile
 * @property {string} view
 * @property {number} type
 * @property {[number, number]|null} range in ticks
 * @property {number[]|null} threads
 * @property {LabelFilter[]} labels
 * @property {Transform[]} transforms
 * @property {number[]} zoom
 * @property {string} search
 * @property {number} fn the selected function; -1: none
 * @property {boolean} reverse
 * @property {boolean} flame the root is at the bottom
 * @property {boolean} byName
 * @property {string} sort column of the table, "-" in front: backwards
 * @property {string[]} open paths of the tree
 * @property {boolean} code all machine code of a source is shown
 * @property {boolean} byProcess a track for each process, not thread
 * @property {number} group key of the label to group by; 0: none
 */

/** @returns {State} */
export function firstState() {
	return {file: 0, view: 'flame', type: -1, range: null, threads: null,
		labels: [], transforms: [], zoom: [], search: '', fn: -1,
		reverse: false, flame: false, byName: false, sort: 'self', open: [],
		code: false, byProcess: false,
		group: 0};
}

/** @param {State} s */
export function queryOf(s) {
	/** @type {Query} */
	const query = {type: s.type, range: s.range, threads: s.threads,
		labels: s.labels, transforms: s.transforms};
	return query;
}

/** @param {Transform} t */
function transformText(t) {
	if (t.text !== undefined)
		return `${t.op}:t${t.text}`;
	if (t.module !== undefined)
		return `${t.op}:m${t.module}`;
	return t.fn !== undefined ? `${t.op}:f${t.fn}` : t.op;
}

/**
 * @param {string} text
 * @returns {Transform}
 */
function textTransform(text) {
	const colon = text.indexOf(':');
	if (colon < 0)
		return {op: text};
	const op = text.slice(0, colon);
	const rest = text.slice(colon + 2);
	switch (text[colon + 1]) {
	case 't': return {op, text: rest};
	case 'm': return {op, module: Number(rest)};
	default: return {op, fn: Number(rest)};
	}
}

/**
 * The part of the address behind '#'.
 * @param {State} s
 */
export function stateText(s) {
	const out = new URLSearchParams();
	const usual = firstState();
	/**
	 * @param {string} key
	 * @param {any} value
	 * @param {any} unless
	 */
	const put = (key, value, unless) => {
		if (value !== unless)
			out.set(key, String(value));
	};
	put('p', s.file, usual.file);
	put('v', s.view, usual.view);
	put('t', s.type, usual.type);
	put('r', s.range ? s.range.join('-') : '', '');
	put('th', s.threads ? s.threads.join('.') : null, null);
	put('z', s.zoom.join('.'), '');
	put('s', s.search, '');
	put('f', s.fn, -1);
	put('i', +s.reverse, 0);
	put('o', +s.flame, 0);
	put('n', +s.byName, 0);
	put('c', s.sort, usual.sort);
	put('g', s.group, 0);
	put('tp', +s.byProcess, 0);
	put('a', +s.code, 0);
	for (const l of s.labels)
		out.append('l', `${l.not ? '-' : ''}${l.key}.${l.value}`);
	for (const t of s.transforms)
		out.append('x', transformText(t));
	for (const path of s.open)
		out.append('e', path);
	return out.toString();
}

/** @param {string} text */
function numbers(text) {
	return text.split('.').map(Number).filter((n) => Number.isInteger(n));
}

/**
 * The state that an address asks for.  Nothing in it is trusted: numbers are
 * numbers, and clampState() sees to their ranges.
 * @param {string} text
 * @returns {State}
 */
export function textState(text) {
	const from = new URLSearchParams(text);
	const s = firstState();
	/** @param {string} key */
	const get = (key) => from.get(key) || '';
	s.file = Number(get('p')) || 0;
	s.view = get('v') || s.view;
	s.type = from.has('t') ? Number(get('t')) : -1;
	const range = get('r').split('-').map(Number);
	if (range.length === 2 && range[0] < range[1])
		s.range = [range[0], range[1]];
	if (from.has('th'))
		s.threads = numbers(get('th'));
	if (get('z'))
		s.zoom = numbers(get('z'));
	s.search = get('s');
	s.fn = from.has('f') ? Number(get('f')) : -1;
	s.reverse = get('i') === '1';
	s.flame = get('o') === '1';
	s.byName = get('n') === '1';
	s.sort = get('c') || s.sort;
	s.byProcess = get('tp') === '1';
	s.code = get('a') === '1';
	s.group = Number(get('g')) || 0;
	s.labels = from.getAll('l').map((l) => {
		const [key, value] = numbers(l.replace(/^-/, ''));
		return {key, value, not: l.startsWith('-')};
	});
	s.transforms = from.getAll('x').map(textTransform);
	s.open = from.getAll('e');
	return s;
}

/**
 * Brings what came from an address into what the profile has.
 * @param {State} s
 * @param {{functions: number, types: number, threads: number,
 *   strings: number, usualType: number, extent: number,
 *   views: string[]}} limits
 */
export function clampState(s, limits) {
	if (!(s.type >= 0 && s.type < limits.types))
		s.type = limits.usualType;
	if (!(s.fn >= 0 && s.fn < limits.functions + limits.strings))
		s.fn = -1;
	if (!limits.views.includes(s.view))
		s.view = 'flame';
	if (s.threads)
		s.threads = s.threads.filter((t) => t >= 0 && t < limits.threads);
	if (s.threads && !s.threads.length)
		s.threads = null;
	if (!(s.group > 0 && s.group < limits.strings))
		s.group = 0;
	if (!limits.extent)
		s.range = null;
	s.labels = s.labels.filter((l) => l.key < limits.strings &&
		l.value < limits.strings);
	s.transforms = s.transforms.filter((t) =>
		(t.fn === undefined || (t.fn >= 0 && t.fn < limits.functions)) &&
		(t.module === undefined || t.module < limits.strings));
}
