// SPDX-License-Identifier: MIT
// Where functions are in the call tree, whatever is asked.  It came in preorder
// with chains joined (lib/profile/mergetree.h), so a subtree is a range of
// segments.

/** @typedef {import('./engine.js').Engine} Engine */

/**
 * outermostSegments() where there are many places: looking at each segment
 * takes less than sorting them.
 * @param {Engine} e
 * @param {number[]} chosen functions
 */
function outermostOfMany(e, chosen) {
	const {start, segments} = e.index();
	const has = new Uint8Array(e.segments);
	for (const f of chosen)
		for (let i = start[f]; i < start[f + 1]; i++)
			has[segments[i]] = 1;
	const out = [];
	for (let s = 0; s < has.length;)
		if (has[s]) {
			out.push(s);
			s = e.end[s];
		} else {
			s++;
		}
	return out;
}

/**
 * The segments in which marked functions occur first on their paths,
 * ascending.
 * @param {Engine} e
 * @param {Uint8Array} marks
 * @returns {Uint32Array|number[]}
 */
export function outermostSegments(e, marks) {
	const {start, segments} = e.index();
	/** @type {number[]} */
	const chosen = [];
	let count = 0;
	for (let f = 0; f < e.functions; f++)
		if (marks[f]) {
			chosen.push(f);
			count += start[f + 1] - start[f];
		}
	if (count > e.segments / 8)
		return outermostOfMany(e, chosen);
	let all;
	if (chosen.length === 1) {
		all = segments.subarray(start[chosen[0]], start[chosen[0] + 1]);
	} else {
		all = new Uint32Array(count);
		let at = 0;
		for (const f of chosen) {
			all.set(segments.subarray(start[f], start[f + 1]), at);
			at += start[f + 1] - start[f];
		}
		all.sort();
	}
	const out = [];
	let end = 0;
	for (let i = 0; i < all.length; i++)
		if (all[i] >= end) {
			out.push(all[i]);
			end = e.end[all[i]];
		}
	return out;
}

/**
 * By segment: whether a marked function is on the way to its end.
 * @param {Engine} e
 * @param {Uint8Array} marks
 */
export function covered(e, marks) {
	const out = new Uint8Array(e.segments);
	for (const s of outermostSegments(e, marks))
		out.fill(1, s, e.end[s]);
	return out;
}

/**
 * The first place of marked functions in a segment; -1: none.
 * @param {Engine} e
 * @param {number} s
 * @param {Uint8Array} marks
 * @param {number} from
 */
export function offsetOf(e, s, marks, from) {
	for (let off = from; off < e.length[s]; off++)
		if (marks[e.fn[e.first[s] + off]])
			return off;
	return -1;
}

/**
 * Goes over segments in preorder; what is not wanted is passed over with
 * all below it.
 * @param {Engine} e
 * @param {(s: number) => boolean} wanted
 * @param {(s: number) => void} open
 * @param {(s: number) => void} close
 */
export function walkTree(e, wanted, open, close) {
	/** @type {number[]} */
	const path = [];
	for (let s = 0; s < e.segments;) {
		while (path.length && path[path.length - 1] !== e.parent[s])
			close(/** @type {number} */ (path.pop()));
		if (!wanted(s)) {
			s = e.end[s];
			continue;
		}
		open(s);
		path.push(s);
		s++;
	}
	while (path.length)
		close(/** @type {number} */ (path.pop()));
}
