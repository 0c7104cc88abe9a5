// SPDX-License-Identifier: MIT
// What has changed between two profiles, in parts of the whole, and whether
// chance explains it: samples are counts of independent events, so that a count
// of n is off by its root.

import {shareText, signed} from './text.js';

/** @typedef {import('./client.js').Profile} Profile */

/**
 * A value now and before, and what both are parts of.
 * @typedef {{now: number, was: number, sum: number, sumBefore: number}} Pair
 */

/** @param {Pair} p */
export function changeOf(p) {
	return (p.sum ? p.now / p.sum : 0) -
		(p.sumBefore ? p.was / p.sumBefore : 0);
}

/**
 * Whether a change is no more than twice what is to be expected of so many
 * samples, as "wick diff" has it.
 * @param {Profile} profile
 * @param {Pair} p
 */
export function isChance(profile, p) {
	const [before, after] = profile.each;
	const n = p.sum / after;
	const m = p.sumBefore / before;
	if (!(n > 0) || !(m > 0))
		return false;
	const spread = Math.sqrt(Math.max(1, p.now / after) / (n * n) +
		Math.max(1, p.was / before) / (m * m));
	return Math.abs(changeOf(p)) <= 2 * spread;
}

/**
 * The change as text: "+1.20%", and with "~" in front if it may be chance.
 * @param {Profile} profile
 * @param {Pair} p
 */
export function changeText(profile, p) {
	const change = changeOf(p);
	return (isChance(profile, p) ? '~ ' : '') +
		signed(change, shareText(change, 1));
}

/**
 * The class that the style sheet has a colour for.
 * @param {Profile} profile
 * @param {Pair} p
 */
export function changeClass(profile, p) {
	return isChance(profile, p) ? 'noise' : changeOf(p) > 0 ? 'more' : 'less';
}

/**
 * @param {HTMLElement} cell
 * @param {Profile} profile
 * @param {Pair} p
 */
export function fillChange(cell, profile, p) {
	cell.classList.remove('noise', 'more', 'less');
	cell.classList.add(changeClass(profile, p));
	cell.textContent = changeText(profile, p);
	cell.title = isChance(profile, p) ? 'no more than chance explains' : '';
}
