// SPDX-License-Identifier: MIT
// A selection written down: folded stacks, or a profile that pprof reads.

import {walkTree} from './calltree.js';
import {isShown, planOf} from './plan.js';
import {weigh} from './sums.js';

/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./query.js').Query} Query */

/**
 * Calls back for each stack of the selection, as it is shown.
 * @param {Engine} e
 * @param {Query} query
 * @param {(path: number[], weight: number) => void} take
 */
function eachStack(e, query, take) {
	const plan = planOf(e, query);
	const {now} = weigh(e, query);
	/** @type {number[]} */
	const path = [];
	/** @type {number[]} */
	const lengths = [];
	walkTree(e, (s) => now.total[s] > 0, (s) => {
		lengths.push(path.length);
		for (let i = e.first[s]; i < e.first[s + 1]; i++) {
			const id = plan.map ? plan.map[e.fn[i]] : e.fn[i];
			const again = (plan.fold || id >= e.functions) &&
				path[path.length - 1] === id;
			if (isShown(e, plan, s, i) && !again)
				path.push(id);
		}
		if (now.own[s] > 0 && path.length)
			take(path, now.own[s]);
	}, () => {
		path.length = lengths.pop() || 0;
	});
}

/**
 * @param {Engine} e
 * @param {number} id
 */
function nameOf(e, id) {
	return id < e.functions ? e.string(e.functionName[id])
		: '[' + e.string(id - e.functions) + ']';
}

/**
 * The selection as lines of "a;b;c 12".
 * @param {Engine} e
 * @param {Query} query
 */
export function folded(e, query) {
	/** @type {Map<string, number>} */
	const lines = new Map();
	/** @type {Map<number, string>} */
	const names = new Map();
	eachStack(e, query, (path, weight) => {
		const line = path.map((id) => {
			let name = names.get(id);
			if (name === undefined) {
				name = nameOf(e, id).replace(/;/g, ':');
				names.set(id, name);
			}
			return name;
		}).join(';');
		lines.set(line, (lines.get(line) || 0) + weight);
	});
	return [...lines].map(([line, w]) => `${line} ${Math.round(w)}\n`)
		.join('');
}

/** Protocol buffers, as far as pprof needs them. */
class Proto {
	constructor() {
		this.bytes = new Uint8Array(1 << 16);
		this.length = 0;
	}

	/** @param {number} byte */
	push(byte) {
		if (this.length === this.bytes.length) {
			const more = new Uint8Array(2 * this.length);
			more.set(this.bytes);
			this.bytes = more;
		}
		this.bytes[this.length++] = byte;
	}

	/** @param {number} n not negative; may be beyond 32 bits */
	varint(n) {
		while (n >= 0x80) {
			this.push(n % 0x80 + 0x80);
			n = Math.floor(n / 0x80);
		}
		this.push(n);
	}

	/**
	 * @param {number} field
	 * @param {number} n
	 */
	number(field, n) {
		if (n) {
			this.varint(field * 8);
			this.varint(n);
		}
	}

	/**
	 * @param {number} field
	 * @param {Uint8Array} bytes
	 */
	block(field, bytes) {
		this.varint(field * 8 + 2);
		this.varint(bytes.length);
		for (const b of bytes)
			this.push(b);
	}

	/**
	 * @param {number} field
	 * @param {(p: Proto) => void} fill
	 */
	message(field, fill) {
		const inner = new Proto();
		fill(inner);
		this.block(field, inner.done());
	}

	done() {
		return this.bytes.subarray(0, this.length);
	}
}

/**
 * The selection as a profile of one type, uncompressed.
 * @param {Engine} e
 * @param {Query} query
 * @returns {Uint8Array}
 */
export function pprof(e, query) {
	const out = new Proto();
	/** @type {Map<string, number>} */
	const strings = new Map([['', 0]]);
	/** @param {string} text */
	const string = (text) => {
		let id = strings.get(text);
		if (id === undefined) {
			id = strings.size;
			strings.set(text, id);
		}
		return id;
	};
	const type = e.meta.types[query.type] || {type: '', unit: ''};
	out.message(1, (m) => {
		m.number(1, string(type.type));
		m.number(2, string(type.unit));
	});
	/** @type {Set<number>} */
	const used = new Set();
	eachStack(e, query, (path, weight) => {
		path.forEach((id) => used.add(id));
		out.message(2, (m) => {
			const ids = new Proto();
			for (let i = path.length - 1; i >= 0; i--)
				ids.varint(path[i] + 1);
			m.block(1, ids.done());
			const values = new Proto();
			values.varint(Math.round(weight));
			m.block(2, values.done());
		});
	});
	for (const id of used) {
		const file = id < e.functions ? e.string(e.functionFile[id]) : '';
		out.message(4, (m) => {
			m.number(1, id + 1);
			m.message(4, (line) => line.number(1, id + 1));
		});
		out.message(5, (m) => {
			m.number(1, id + 1);
			m.number(2, string(nameOf(e, id)));
			m.number(3, string(nameOf(e, id)));
			m.number(4, string(file));
		});
	}
	const encoder = new TextEncoder();
	for (const text of strings.keys())
		out.block(6, encoder.encode(text));
	if (e.meta.time > 0)
		out.number(9, e.meta.time);
	if (e.meta.duration > 0)
		out.number(10, e.meta.duration);
	return out.done().slice();
}
