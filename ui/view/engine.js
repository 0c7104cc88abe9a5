// SPDX-License-Identifier: MIT
// A profile as the Worker holds it: its columns, what is looked up in them, and
// recent results.  Every number that a view shows is made from one of these, for
// one selection at a time.  It touches neither the document nor the network.

import {Grouper} from './groups.js';
import {indexFunctions, indexSets, readTimes, readTree} from './model.js';
import {Recent} from './recent.js';
import {Strings} from './strings.js';

/** @typedef {import('./columns.js').PageFile} PageFile */
/** @typedef {import('./query.js').Plan} Plan */
/** @typedef {import('./query.js').Sums} Sums */

/** What has been asked for of late, by what decides it. */
function recentResults() {
	return {
		/** @type {Recent<Plan>} */
		plans: new Recent(),
		/** @type {Recent<Uint8Array>} */
		matches: new Recent(),
		/** @type {Recent<Sums>} */
		sums: new Recent(),
		/** @type {Recent<Uint8Array>} */
		kept: new Recent(),
		/** @type {Recent<Float64Array>} */
		weights: new Recent(),
		/** @type {Recent<any>} */
		timelines: new Recent(),
	};
}

export class Engine {
	/** @param {PageFile} file */
	constructor(file) {
		this.file = file;
		this.meta = file.meta;
		this.functionName = file.column('functionName');
		this.functionFile = file.column('functionFile');
		this.functionModule = file.column('functionModule');
		this.functions = this.functionName.length;
		this.stringEnd = file.column('stringEnd');
		this.stringBytes = file.column('stringBytes');
		this.ids = this.functions + this.stringEnd.length;
		const tree = readTree(file);
		this.segments = tree.parent.length;
		this.length = tree.length;
		this.parent = tree.parent;
		this.first = tree.first;
		this.end = tree.end;
		this.fn = tree.fn;
		this.inlined = tree.inlined;
		this.stackSegment = file.column('stackSegment');
		this.stacks = this.stackSegment.length;
		this.sampleStack = file.column('sampleStack');
		this.sampleSet = file.column('sampleSet');
		this.samples = this.sampleStack.length;
		this.time = readTimes(file);
		this.setEnd = file.column('setEnd');
		this.setThread = file.column('setThread');
		this.labelKey = file.column('labelKey');
		this.labelValue = file.column('labelValue');
		this.recent = recentResults();
		this.grouper = new Grouper(this.ids);
		/** @type {Uint8Array|null} */
		this.outermost = null;
		/** @type {{start: Uint32Array, segments: Uint32Array}|null} */
		this.occurs = null;
		/** @type {{start: Uint32Array, rows: Uint32Array}|null} */
		this.bySet = null;
		this.strings = new Strings(this.stringEnd,
			/** @type {Uint8Array} */ (this.stringBytes));
	}

	/**
	 * The values of a type, and what they are to be multiplied with.
	 * @param {number} type
	 */
	values(type) {
		const own = this.file.real('value' + type);
		if (own)
			return {at: own, factor: 1};
		return {
			at: this.file.real('value0') || new Uint8Array(this.samples),
			factor: this.meta.types[type]?.factor || 0,
		};
	}

	/** @param {number} id */
	string(id) {
		return this.strings.at(id);
	}

	/** Where functions occur; made when first needed, or before. */
	index() {
		if (!this.occurs)
			this.occurs = indexFunctions(this.functions, this);
		return this.occurs;
	}

	/** Which samples have which labels; made when first needed, or before. */
	setRows() {
		if (!this.bySet)
			this.bySet = indexSets(this.sampleSet, this.setEnd.length);
		return this.bySet;
	}
}
