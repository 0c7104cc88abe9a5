// SPDX-License-Identifier: MIT
// The page's side of the Worker: questions go out, the newest answer of each
// kind comes back.  A Worker that does not answer, because of a hostile regular
// expression, is ended and started anew.

import {Strings} from './strings.js';

/** @typedef {import('./columns.js').Meta} Meta */

const PATIENCE = 8000; // ms, of a question on a busy machine

/** @type {{url?: string, blob?: string}} */
const workerSource = {};

/**
 * Where the Worker's program is: a file, or text in a saved page.
 * @param {{url?: string, text?: string}} source
 */
export function setWorkerSource(source) {
	if (source.text !== undefined)
		workerSource.blob = URL.createObjectURL(new Blob([source.text],
			{type: 'text/javascript'}));
	else
		workerSource.url = source.url;
}

export class Client {
	/** @param {{url?: string, blocks?: string[]}} source */
	constructor(source) {
		this.source = source;
		this.number = 0;
		/** @type {Map<number, {resolve: (v: any) => void,
		 *   reject: (e: Error) => void, timer: any}>} */
		this.waiting = new Map();
		/** @type {Map<string, {busy: boolean, next: (() => void)|null}>} */
		this.channels = new Map();
		this.spent = 0;
		this.patience = PATIENCE;
		/** @type {(() => void)|null} called after a restart */
		this.onRestart = null;
		this.start();
	}

	start() {
		this.worker = new Worker(workerSource.blob || workerSource.url || '');
		this.worker.onmessage = (event) => {
			const {id, result, error, spent} = event.data;
			const one = this.waiting.get(id);
			if (!one)
				return;
			this.waiting.delete(id);
			clearTimeout(one.timer);
			this.spent = spent;
			if (error)
				one.reject(new Error(error));
			else
				one.resolve(result);
		};
		this.worker.onerror = (event) => {
			this.fail(new Error(event.message || 'the worker failed'));
		};
	}

	/** @param {Error} error */
	fail(error) {
		for (const one of this.waiting.values()) {
			clearTimeout(one.timer);
			one.reject(error);
		}
		this.waiting.clear();
	}

	open() {
		return this.send('open', null, this.source, 0);
	}

	async restart() {
		this.worker?.terminate();
		this.fail(new Error('that took too long'));
		this.start();
		await this.open();
		if (this.onRestart)
			this.onRestart();
	}

	/**
	 * @param {string} ask
	 * @param {any} query
	 * @param {any} wish
	 * @param {number} patience 0: without end
	 * @returns {Promise<any>}
	 */
	send(ask, query, wish, patience) {
		const id = ++this.number;
		return new Promise((resolve, reject) => {
			const timer = patience
				? setTimeout(() => this.restart(), patience) : 0;
			this.waiting.set(id, {resolve, reject, timer});
			this.worker?.postMessage({id, ask, query, wish});
		});
	}

	/**
	 * Asks, and gives null instead of an answer that a newer question of
	 * the channel has made stale.
	 * @param {string} channel
	 * @param {string} ask
	 * @param {any} query
	 * @param {any} wish
	 * @returns {Promise<any>}
	 */
	async latest(channel, ask, query, wish) {
		const c = this.channels.get(channel) || {busy: false, next: null};
		this.channels.set(channel, c);
		if (c.busy) {
			if (c.next)
				c.next();
			let stale = false;
			await new Promise((resolve) => {
				c.next = () => {
					stale = true;
					resolve(null);
				};
				/** @type {any} */ (c).go = resolve;
			});
			if (stale)
				return null;
		}
		c.busy = true;
		try {
			return await this.send(ask, query, wish, this.patience);
		} finally {
			c.busy = false;
			if (c.next) {
				c.next = null;
				/** @type {any} */ (c).go(null);
			}
		}
	}
}

/** A profile as the page knows it: names, threads, types. */
export class Profile {
	/** @param {any} opened what the Worker answered */
	constructor(opened) {
		/** @type {Meta} */
		this.meta = opened.meta;
		this.strings = new Strings(opened.stringEnd, opened.stringBytes);
		this.functionName = opened.functionName;
		this.functionFile = opened.functionFile;
		this.functionModule = opened.functionModule;
		this.functionLine = opened.functionLine;
		this.functionKind = opened.functionKind;
		this.functions = opened.functionName.length;
		this.stacks = opened.stacks;
		/** @type {[number, number]} what a sample weighs, before and now */
		this.each = opened.each;
		/** @type {boolean} whether the program named any */
		this.phases = opened.phases;
		this.extent = opened.extent;
	}

	/**
	 * @param {number} id
	 * @returns {string}
	 */
	string(id) {
		return this.strings.at(id);
	}

	/**
	 * The name of a function, or of a module that stands for its functions.
	 * @param {number} id
	 */
	name(id) {
		if (id < 0)
			return 'all';
		return id < this.functions ? this.string(this.functionName[id])
			: '[' + this.string(id - this.functions) + ']';
	}

	/** @param {number} id */
	file(id) {
		return id >= 0 && id < this.functions
			? this.string(this.functionFile[id]) : '';
	}

	/** @param {number} id */
	module(id) {
		return id >= 0 && id < this.functions
			? this.string(this.functionModule[id]) : '';
	}

	/** @param {number} id -1: a module */
	kind(id) {
		return id < this.functions ? this.functionKind[id] : -1;
	}

	/** @param {number} thread */
	processName(thread) {
		const [name, , process, pid] = this.meta.threads[thread];
		const own = this.string(process) || (this.string(pid) ? 'process'
			: this.string(name));
		return [own, this.string(pid)].filter(Boolean).join(' ') || 'process';
	}

	/** @param {number} thread */
	threadName(thread) {
		const [name, tid, process, pid] = this.meta.threads[thread];
		const own = this.string(name) || this.string(process) || 'thread';
		const id = this.string(tid) || this.string(pid);
		return id ? `${own} ${id}` : own;
	}
}
