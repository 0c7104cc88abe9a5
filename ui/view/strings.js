// SPDX-License-Identifier: MIT
// The texts of a profile, decoded when they are first asked for: most never
// are.

export class Strings {
	/**
	 * @param {ArrayLike<number>} ends where each text ends
	 * @param {Uint8Array} bytes all of them, one behind the other
	 */
	constructor(ends, bytes) {
		this.ends = ends;
		this.bytes = bytes;
		this.decoder = new TextDecoder();
		/** @type {Map<number, string>} */
		this.texts = new Map();
	}

	/**
	 * @param {number} id
	 * @returns {string}
	 */
	at(id) {
		let text = this.texts.get(id);
		if (text === undefined) {
			const from = id ? this.ends[id - 1] : 0;
			text = this.decoder.decode(
				this.bytes.subarray(from, this.ends[id]));
			this.texts.set(id, text);
		}
		return text;
	}
}
