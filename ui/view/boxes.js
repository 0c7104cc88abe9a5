// SPDX-License-Identifier: MIT
// The boxes of a flame graph as the Worker sends them, and where one is.

// Boxes that stand for no function: the root, and what was too small.
export const BOX_ROOT = -1;
export const BOX_SMALL = -2;

/**
 * Boxes row by row, each row from left to right.  x and w are where they are
 * drawn, in values; value, self and before are what they stand for.
 * @typedef {object} Boxes
 * @property {number} count
 * @property {number} total what the whole width stands for
 * @property {number} all what the view's root stands for
 * @property {number} allBefore
 * @property {number} zoomed rows above what is zoomed to
 * @property {number} top rows that are not drawn
 * @property {Uint32Array} rowStart first box of each row, and the end
 * @property {Int32Array} id
 * @property {Int32Array} parent
 * @property {Float64Array} x
 * @property {Float64Array} w
 * @property {Float64Array} value
 * @property {Float64Array} self
 * @property {Float64Array} before
 * @property {Uint32Array} small how many functions a small box stands for
 * @property {Uint8Array} inlined
 */

/**
 * The box at a place of a row; -1: none.
 * @param {Boxes} b
 * @param {number} row
 * @param {number} x in values
 */
export function boxAt(b, row, x) {
	if (row < 0 || row + 1 >= b.rowStart.length)
		return -1;
	let low = b.rowStart[row];
	let high = b.rowStart[row + 1];
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (b.x[middle] <= x)
			low = middle + 1;
		else
			high = middle;
	}
	const found = low - 1;
	return found >= b.rowStart[row] && x < b.x[found] + b.w[found]
		? found : -1;
}

/**
 * The row that a box is in.
 * @param {Boxes} b
 * @param {number} box
 */
export function boxRow(b, box) {
	let low = 0;
	let high = b.rowStart.length - 1;
	while (low < high) {
		const middle = (low + high + 1) >>> 1;
		if (b.rowStart[middle] <= box)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/**
 * The box beside one in its row; -1: none.
 * @param {Boxes} b
 * @param {number} box
 * @param {number} by
 */
export function boxBeside(b, box, by) {
	const row = boxRow(b, box);
	const to = box + by;
	return to >= b.rowStart[row] && to < b.rowStart[row + 1] ? to : -1;
}

/**
 * The widest box that a box calls; -1: none.
 * @param {Boxes} b
 * @param {number} box
 */
export function boxBelow(b, box) {
	const row = boxRow(b, box) + 1;
	let best = -1;
	if (row >= b.rowStart.length - 1)
		return -1;
	for (let i = b.rowStart[row]; i < b.rowStart[row + 1]; i++)
		if (b.parent[i] === box && b.id[i] >= 0 &&
		    (best < 0 || b.w[i] > b.w[best]))
			best = i;
	return best;
}

/**
 * What a box is a part of, now and before.
 * @param {Boxes} b
 * @param {number} box
 */
export function boxPair(b, box) {
	return {now: b.value[box], was: b.before[box], sum: b.all,
		sumBefore: b.allBefore};
}

/**
 * The ids from the root's callee to a box.
 * @param {Boxes} b
 * @param {number} box
 * @returns {number[]}
 */
export function boxPath(b, box) {
	const path = [];
	for (let at = box; at > 0; at = b.parent[at])
		path.push(b.id[at]);
	return path.reverse();
}

/**
 * The box that a path leads to; -1: it is not shown.
 * @param {Boxes} b
 * @param {number[]} path
 */
export function boxOfPath(b, path) {
	let at = 0;
	for (let row = 1; row <= path.length; row++) {
		let next = -1;
		const end = b.rowStart[row + 1];
		for (let i = b.rowStart[row]; i < end; i++)
			if (b.parent[i] === at && b.id[i] === path[row - 1])
				next = i;
		if (next < 0)
			return -1;
		at = next;
	}
	return at;
}
