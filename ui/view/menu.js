// SPDX-License-Identifier: MIT
// Menus, the sheet of keys, and short remarks.

import {el} from './text.js';

/**
 * @typedef {{title: string, key?: string, run: () => void}} MenuItem
 */

/** @type {(() => void)|null} */
let closeOpen = null;

export function closeMenu() {
	if (closeOpen)
		closeOpen();
}

/**
 * Opens a menu; keys walk in it, a letter chooses.
 * @param {string} title
 * @param {MenuItem[]} items
 * @param {number} x
 * @param {number} y
 */
export function openMenu(title, items, x, y) {
	closeMenu();
	const before = /** @type {HTMLElement|null} */ (document.activeElement);
	const buttons = items.map((item) => el('button', {type: 'button',
		role: 'menuitem', tabindex: '-1', onclick: () => {
			close();
			item.run();
		}}, item.title, item.key ? el('kbd', null, item.key) : null));
	const menu = el('div', {class: 'menu', role: 'menu', 'aria-label': title,
		onkeydown: (/** @type {KeyboardEvent} */ e) => {
			const at = buttons.indexOf(
				/** @type {HTMLElement} */ (document.activeElement));
			const step = e.key === 'ArrowDown' ? 1
				: e.key === 'ArrowUp' ? -1 : 0;
			const item = items.find((i) => i.key === e.key);
			if (step)
				buttons[(at + step + buttons.length) % buttons.length]
					.focus();
			else if (e.key === 'Escape' || e.key === 'Tab')
				close();
			else if (item) {
				close();
				item.run();
			} else
				return;
			e.preventDefault();
			e.stopPropagation();
		}},
	el('div', {class: 'title', role: 'presentation'}, title.slice(0, 300)),
	...buttons);
	document.body.append(menu);
	const room = menu.getBoundingClientRect();
	menu.style.left = Math.max(4, Math.min(x, innerWidth - room.width - 4)) +
		'px';
	menu.style.top = Math.max(4, Math.min(y, innerHeight - room.height - 4)) +
		'px';
	/** @param {Event} e */
	const outside = (e) => {
		if (!menu.contains(/** @type {Node} */ (e.target)))
			close();
	};
	document.addEventListener('pointerdown', outside, true);
	closeOpen = close;
	buttons[0]?.focus();

	function close() {
		closeOpen = null;
		document.removeEventListener('pointerdown', outside, true);
		menu.remove();
		before?.focus?.();
	}
}

/** @type {[string, string][]} */
const KEYS = [
	['1 – 8', 'views, from left to right'],
	['/', 'search; Enter and Shift-Enter go to the next and last match'],
	['Esc', 'leave the search, zoom out, deselect'],
	['arrows', 'walk in the graph, table or tree'],
	['Enter', 'zoom; open or close'],
	['.', 'menu of the selected function'],
	['f', 'focus: only stacks with it'],
	['d', 'drop: only stacks without it'],
	['F', 'root: begin stacks with it'],
	['h', 'hide it; its cost goes to its caller'],
	['H', 'only functions of its module'],
	['c', 'collapse what it calls'],
	['C', 'collapse its module'],
	['r', 'collapse recursion'],
	['w', 'my code: only functions of the program itself'],
	['p', 'sandwich: its callers and callees'],
	['x', 'take the last filter back'],
	['u', 'undo; Back does the same'],
	['i', 'bottom up: from what ran to its callers'],
	['o', 'root at the top or at the bottom'],
	['b', 'order by weight or by name'],
	['[ ]', 'thread before, thread after'],
	['{ }', 'range of time before, after'],
	['< >', 'phase before, phase after'],
	['P', 'tracks of processes or of threads'],
	['t', 'all threads, all time'],
	['m', 'next sample type'],
	['*', 'open the heaviest calls below (tree)'],
	['a', 'machine code of all lines (source)'],
	['+ − 0', 'zoom (call graph)'],
	['y', 'copy the stack'],
	['Y', 'copy the name'],
	['l', 'copy a link to this view'],
	['e', 'export'],
	['?', 'this sheet'],
];

export function openHelp() {
	const dialog = /** @type {HTMLDialogElement} */ (el('dialog',
		{'aria-label': 'Keys'},
		el('h2', {tabindex: '-1', autofocus: true}, 'Keys'),
		el('div', {class: 'keys'}, ...KEYS.map(([key, what]) =>
			el('div', null, el('span', null, what), el('kbd', null, key)))),
		el('div', {class: 'actions'}, el('button', {type: 'button',
			onclick: () => dialog.close()}, 'Close'))));
	dialog.addEventListener('close', () => dialog.remove());
	document.body.append(dialog);
	dialog.showModal();
}

/**
 * A remark that goes away by itself.
 * @param {string} text
 */
export function toast(text) {
	document.querySelector('.toast')?.remove();
	const note = el('div', {class: 'toast', role: 'status'}, text);
	document.body.append(note);
	setTimeout(() => note.remove(), 2500);
}

/**
 * Copies text, and says so.
 * @param {string} text
 * @param {string} what
 */
export async function copyText(text, what) {
	try {
		await navigator.clipboard.writeText(text);
	} catch {
		// Without permission, or from a file: the old way.
		const area = /** @type {HTMLTextAreaElement} */ (el('textarea',
			{class: 'unseen', 'aria-label': what}));
		area.value = text;
		document.body.append(area);
		area.select();
		document.execCommand('copy');
		area.remove();
	}
	toast(`copied ${what}`);
}
