// SPDX-License-Identifier: MIT
// What is asked, and what it is turned into before anything is added up: the
// words that all modules of the engine share.

/**
 * A change of what counts, or of what is shown of it.
 * @typedef {object} Transform
 * @property {string} op
 * @property {number} [fn]
 * @property {string} [text] a regular expression
 * @property {number} [module] its string
 *
 * @typedef {{key: number, value: number, not?: boolean}} LabelFilter
 *
 * What all views are about.
 * @typedef {object} Query
 * @property {number} type
 * @property {[number, number]|null} range in ticks
 * @property {number[]|null} threads
 * @property {LabelFilter[]} labels
 * @property {Transform[]} transforms
 *
 * @typedef {object} Plan transforms, made ready
 * @property {Uint8Array[]} need marks of functions that stacks must have
 * @property {Uint8Array[]} refuse and of those that they must not
 * @property {string} sumKey what of the transforms changes sums
 * @property {Uint8Array|null} hidden
 * @property {Uint8Array|null} root
 * @property {Uint8Array|null} below
 * @property {Uint32Array|null} map
 * @property {boolean} fold
 * @property {boolean} shapes anything but focus and ignore
 * @property {Cuts|null} cuts
 *
 * Where stacks begin and end once they are cut, by segment; -1: nowhere.
 * @typedef {{rootSeg: Int32Array, rootOff: Int32Array, leafSeg: Int32Array,
 *   leafOff: Int32Array}} Cuts
 *
 * @typedef {{own: Float64Array, total: Float64Array, empty: number,
 *   sum: number}} Sums
 * @typedef {{now: Sums, before: Sums, compare: boolean}} Weighed
 */

/**
 * The question without its filters: what the same would be of everything.
 * @param {Query} query
 * @returns {Query}
 */
export function everything(query) {
	return {...query, range: null, threads: null, labels: [], transforms: []};
}
