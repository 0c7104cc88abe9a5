// SPDX-License-Identifier: MIT
// Work ahead: what later questions need is made while nobody waits.

import {search} from './functions.js';
import {layout} from './layout.js';
import {findOutermost} from './tables.js';

/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./query.js').Query} Query */

/**
 * Makes what later questions need, while nobody waits; and asks some, so that
 * they have been compiled when somebody does.
 * @param {Engine} e
 * @param {Query} query
 * @param {{step: number}} wish
 * @returns {boolean} whether there is more to do
 */
export function warm(e, query, wish) {
	const plain = {width: 1000, zoom: [], reverse: false, byName: false};
	const threads = [0];
	const steps = [
		() => e.index(),
		() => e.setRows(),
		() => search(e, query, {text: 'warm'}),
		() => layout(e, {...query, threads}, plain),
		() => layout(e, {...query, transforms: [{op: 'hide', fn: 0}]}, plain),
		() => layout(e, {...query, transforms: [{op: 'root', fn: 0}]}, plain),
		() => layout(e, query, {...plain, reverse: true}),
		() => findOutermost(e),
	];
	if (e.functions)
		steps[wish.step]();
	return wish.step + 1 < steps.length;
}
