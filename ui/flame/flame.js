// SPDX-License-Identifier: MIT
// The flame graph's behaviour: zoom, search, details, keyboard.  The boxes are
// in the file already, so the picture is whole without this; everything here
// is read from them.  Names are hostile text: they are only ever compared, or
// set as textContent.
(() => {
'use strict';
const SVG = 'http://www.w3.org/2000/svg';
const HTML = 'http://www.w3.org/1999/xhtml';
const PAD = 10, ROW = 18, SMALLEST = 0.3;
const root = document.querySelector('svg.wick');
const frames = root.querySelector('.boxes');
const head = root.querySelector('.head');
const details = head.querySelector('.details');
const matched = head.querySelector('.matched');
const reset = head.querySelector('.reset');
const fixed = root.dataset.width !== undefined;
const icicle = root.dataset.icicle !== undefined;
const hint = details.textContent;

const number = (element, name) => Number(element.getAttribute(name));

// One object for each box, in the order of the file: parents first.
const boxes = [];
const path = [];
for (const g of frames.children) {
	const rect = g.querySelector('rect');
	const tip = g.querySelector('title').textContent;
	const cut = tip.lastIndexOf(' (');
	const box = {
		g, rect, text: g.querySelector('text'),
		x: number(rect, 'x'), w: number(rect, 'width'), y: number(rect, 'y'),
		name: tip.slice(0, cut), facts: tip.slice(cut + 2, -1),
		merged: g.classList.contains('rest'), index: boxes.length,
		depth: 0, end: 0, hit: false, left: 0, width: 0,
	};
	const first = boxes.length ? boxes[0] : box;
	box.depth = Math.round(Math.abs(box.y - first.y) / ROW);
	path.length = box.depth;
	box.parent = path[box.depth - 1] || null;
	path.push(box);
	g.wickBox = box;
	boxes.push(box);
}
// The first box behind the subtree of each.
for (let i = boxes.length - 1; i >= 0; i--) {
	const box = boxes[i];
	box.end = Math.max(box.end, i + 1);
	if (box.parent) box.parent.end = Math.max(box.parent.end, box.end);
}

const state = { zoom: boxes[0], selected: null, term: '' };

// The real width of a character here; the file was written for a usual one.
const measure = document.createElementNS(SVG, 'text');
measure.textContent = 'M'.repeat(50);
frames.append(measure);
const column = measure.getComputedTextLength() / 50 || 7.2;
measure.remove();

if (!fixed) root.setAttribute('width', '100%');
const page = () => Math.max(280, Math.round(root.getBoundingClientRect().width));

function fit(name, width) {
	let room = Math.floor((width - 6) / column);
	if (room < 4) return '';
	let shown = '';
	for (const c of name) {
		room -= c < '\x7f' ? 1 : 2;
		if (room < 0) return shown.slice(0, -2) + '..';
		shown += c;
	}
	return shown;
}

function place(box, left, width) {
	box.left = left;
	box.width = width;
	const seen = width >= SMALLEST;
	box.g.style.display = seen ? '' : 'none';
	if (!seen) return;
	box.rect.setAttribute('x', left.toFixed(2));
	box.rect.setAttribute('width', Math.max(width > 3 ? width - 0.6 : width, SMALLEST).toFixed(2));
	const label = fit(box.name, width);
	if (!box.text && label) {
		box.text = document.createElementNS(SVG, 'text');
		box.text.setAttribute('y', box.y + 13);
		box.g.append(box.text);
	}
	if (!box.text) return;
	box.text.textContent = label;
	box.text.setAttribute('x', (left + 3).toFixed(2));
}

const isAbove = (box, other) => box.index < other.index && box.end >= other.end;

function layout() {
	const width = page(), inner = width - 2 * PAD;
	const z = state.zoom, scale = inner / z.w;
	if (!fixed) root.setAttribute('viewBox', `0 0 ${width} ${number(root, 'height')}`);
	for (const box of boxes) {
		const above = isAbove(box, z);
		box.g.classList.toggle('up', above);
		if (above) place(box, PAD, inner);
		else if (box.index >= z.index && box.index < z.end)
			place(box, PAD + (box.x - z.x) * scale, box.w * scale);
		else place(box, 0, 0);
	}
	for (const wide of head.querySelectorAll('.paper, .rule'))
		wide.setAttribute(wide.tagName === 'line' ? 'x2' : 'width', width);
	const search = Math.min(260, inner / 2);
	field.setAttribute('width', search);
	matched.setAttribute('x', search + 2 * PAD);
	reset.setAttribute('x', width - PAD);
	describe(state.selected);
	stick();
}

// The head stays in sight, however tall the picture is.
function stick() {
	const top = root.getBoundingClientRect().top;
	const down = root.parentNode === document ? window.scrollY : Math.max(0, -top);
	head.setAttribute('transform', `translate(0 ${down})`);
}

const percent = (part, whole) => (100 * part / whole).toFixed(2) + '%';

function describe(box) {
	const z = state.zoom;
	const here = box && z.parent && !isAbove(box, z) ? `, ${percent(box.w, z.w)} of what is shown` : '';
	const text = box ? `${box.facts}${here} · ${box.name}` : hint;
	details.textContent = fit(text, page() - 2 * PAD + 6);
}

function select(box) {
	if (state.selected) state.selected.g.classList.remove('on');
	state.selected = box;
	if (box) {
		box.g.classList.add('on');
		box.g.scrollIntoView({ block: 'nearest' });
	}
	describe(box);
}

function zoom(box) {
	state.zoom = box;
	reset.style.display = box.parent ? '' : 'none';
	layout();
	count();
	remember();
}

// A text is a regular expression if it can be one; lower case finds both.
function pattern(text) {
	const flags = text === text.toLowerCase() ? 'iu' : 'u';
	try {
		return new RegExp(text, flags);
	} catch {
		return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), flags);
	}
}

function search(text) {
	const wanted = text ? pattern(text) : null;
	state.term = text;
	for (const box of boxes) {
		box.hit = wanted !== null && !box.merged && box.index > 0 && wanted.test(box.name);
		box.g.classList.toggle('hit', box.hit);
	}
	frames.classList.toggle('searched', wanted !== null);
	count();
	remember();
}

// What the matches take of what is shown.  One within another counts once.
function count() {
	const z = state.zoom;
	let sum = 0, found = 0;
	for (let i = z.index, skip = 0; i < z.end; i++) {
		if (!boxes[i].hit) continue;
		found++;
		if (i < skip) continue;
		sum += boxes[i].w;
		skip = boxes[i].end;
	}
	matched.textContent = state.term === '' ? ''
		: `Matched: ${percent(sum, z.w)} (${found} ${found === 1 ? 'box' : 'boxes'})`;
}

// The state is in the address, so that a reload or a copied link keeps it.
function remember() {
	const parts = [];
	if (state.zoom.parent) parts.push('zoom=' + state.zoom.index);
	if (state.term) parts.push('search=' + encodeURIComponent(state.term));
	try {
		history.replaceState(null, '', parts.length ? '#' + parts.join('&')
			: location.pathname + location.search);
	} catch { /* an address that can not change: then it does not */ }
}

function recall() {
	const parts = new URLSearchParams(location.hash.slice(1));
	const box = boxes[Number(parts.get('zoom') || 0)] || boxes[0];
	input.value = parts.get('search') || '';
	zoom(box);
	search(input.value);
	select(null);
}

// The search field can only be an element of HTML.
const field = document.createElementNS(SVG, 'foreignObject');
const input = document.createElementNS(HTML, 'input');
input.type = 'search';
input.placeholder = 'search: text or regular expression';
input.setAttribute('aria-label', 'search functions');
input.spellcheck = false;
for (const [name, value] of [['x', PAD], ['y', 48], ['width', 260], ['height', 24]])
	field.setAttribute(name, value);
field.append(input);
head.querySelector('.tools').prepend(field);
let typing = 0;
input.addEventListener('input', () => {
	clearTimeout(typing);
	typing = setTimeout(() => search(input.value), 60);
});

const boxOf = (event) => {
	const g = event.target.closest('.boxes > g');
	return g ? g.wickBox : null;
};
frames.addEventListener('mouseover', (event) => describe(boxOf(event) || state.selected));
frames.addEventListener('mouseleave', () => describe(state.selected));
document.addEventListener('click', (event) => {
	const box = boxOf(event);
	if (box) {
		select(null);
		zoom(box === state.zoom || box.merged ? boxes[0] : box);
	} else if (!head.contains(event.target) || event.target === reset) {
		select(null);
		zoom(boxes[0]);
	}
});

const shown = (box) => box && box.width >= SMALLEST;

function child(box) {
	let widest = null;
	for (let i = box.index + 1; i < box.end; i = boxes[i].end)
		if (shown(boxes[i]) && (!widest || boxes[i].w > widest.w)) widest = boxes[i];
	return widest;
}

function beside(box, step) {
	for (let i = box.index + step; i > 0 && i < boxes.length; i += step)
		if (boxes[i].depth === box.depth && shown(boxes[i])) return boxes[i];
	return null;
}

function match(step) {
	const hits = boxes.filter((box) => box.hit && shown(box));
	const at = hits.indexOf(state.selected);
	const next = at < 0 && step < 0 ? hits.length - 1 : at + step;
	if (hits.length) select(hits[(next + hits.length) % hits.length]);
}

function escape() {
	if (state.term || document.activeElement === input) {
		input.value = '';
		input.blur();
		search('');
	} else {
		zoom(boxes[0]);
	}
	select(null);
}

function move(key) {
	const box = state.selected;
	if (!box) return state.zoom;
	const away = icicle ? 'ArrowDown' : 'ArrowUp';
	if (key === 'ArrowLeft') return beside(box, -1);
	if (key === 'ArrowRight') return beside(box, 1);
	return key === away ? child(box) : box.parent;
}

const keys = {
	Enter: () => zoom(state.selected && !state.selected.merged ? state.selected : state.zoom),
	Backspace: () => zoom(state.zoom.parent || state.zoom),
	n: () => match(1),
	N: () => match(-1),
	'/': () => input.focus(),
};
for (const arrow of ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'])
	keys[arrow] = () => {
		const box = move(arrow);
		if (box) select(box);
	};

window.addEventListener('keydown', (event) => {
	const key = event.key;
	const control = event.ctrlKey || event.metaKey;
	if (key === 'Escape') escape();
	else if (key === 'F3' || (control && key === 'f')) {
		input.focus();
		input.select();
	} else if (document.activeElement === input) {
		if (key !== 'Enter') return;
		search(input.value);
		match(event.shiftKey ? -1 : 1);
	} else if (!control && !event.altKey && Object.hasOwn(keys, key)) keys[key]();
	else return;
	event.preventDefault();
});
window.addEventListener('resize', layout);
window.addEventListener('scroll', stick);
window.addEventListener('hashchange', recall);
recall();
if (!icicle) window.scrollTo(0, document.documentElement.scrollHeight);
stick();
})();
