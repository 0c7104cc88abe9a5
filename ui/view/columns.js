// SPDX-License-Identifier: MIT
// Reads the file that tool/serve/pagefile.c writes: a JSON object and named
// columns of numbers.  It knows nothing of what they mean.

/**
 * @typedef {Uint8Array|Uint16Array|Uint32Array} Column
 * @typedef {{type: string, unit: string, factor?: number}} ValueType
 * @typedef {{file?: string, build?: string, addresses: number,
 *   unnamed: number}} Mapping
 * @typedef {object} Meta
 * @property {number} version
 * @property {string} [name]
 * @property {string} [program]
 * @property {boolean} compare
 * @property {[number, number]} counts samples before and after
 * @property {number} usualType
 * @property {number} samples
 * @property {number} time
 * @property {number} duration
 * @property {number} period
 * @property {string} [periodType]
 * @property {string} [periodUnit]
 * @property {string[]} losses
 * @property {number[]} comments
 * @property {Mapping[]} mappings
 * @property {ValueType[]} types
 * @property {number[][]} threads
 * @property {number} [tick]
 * @property {number} [start]
 * @property {boolean} planes
 * @property {Record<string, [string, number, number]>} columns
 * @typedef {{meta: Meta, column: (name: string) => Column,
 *   real: (name: string) => (Column|Float64Array|null)}} PageFile
 */

const HEAD_BYTES = 16;
const VERSION = 1;
const WIDTHS = {u8: 1, u16: 2, u32: 4, f64: 8};

/**
 * Puts numbers whose bytes lie in planes together again.
 * @param {Uint8Array} from
 * @param {number} width
 * @returns {ArrayBuffer}
 */
function joinPlanes(from, width) {
	const count = from.length / width;
	const to = new Uint8Array(from.length);
	for (let plane = 0; plane < width; plane++) {
		const base = plane * count;
		for (let i = 0, at = plane; i < count; i++, at += width)
			to[at] = from[base + i];
	}
	return to.buffer;
}

/**
 * @param {ArrayBuffer} buffer
 * @returns {PageFile}
 */
export function readPageFile(buffer) {
	const head = new DataView(buffer, 0, HEAD_BYTES);
	const magic = new TextDecoder().decode(new Uint8Array(buffer, 0, 8));
	if (magic !== 'wickpage')
		throw new Error('this is not data of wick view');
	if (head.getUint32(8, true) !== VERSION)
		throw new Error('the data is of another version of wick');
	const length = head.getUint32(12, true);
	/** @type {Meta} */
	const meta = JSON.parse(new TextDecoder().decode(
		new Uint8Array(buffer, HEAD_BYTES, length)));
	const base = HEAD_BYTES + length;

	/** @param {string} name */
	function real(name) {
		const row = meta.columns[name];
		if (!row)
			return null;
		const [type, at, count] = row;
		const width = WIDTHS[/** @type {keyof WIDTHS} */ (type)];
		let data = buffer;
		let offset = base + at;
		if (meta.planes && width > 1) {
			data = joinPlanes(new Uint8Array(buffer, offset,
				count * width), width);
			offset = 0;
		}
		switch (type) {
		case 'u8': return new Uint8Array(data, offset, count);
		case 'u16': return new Uint16Array(data, offset, count);
		case 'u32': return new Uint32Array(data, offset, count);
		default: return new Float64Array(data, offset, count);
		}
	}

	/** @param {string} name */
	function column(name) {
		const found = real(name);
		return /** @type {Column} */ (found || new Uint8Array(0));
	}
	return {meta, column, real};
}
