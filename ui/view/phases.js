// SPDX-License-Identifier: MIT
// The phases that a program went through, as its marks name them: a label of
// all samples that were taken in one.  With times they are ranges, of which a
// name may have many; without, they are shares.

import {everything} from './query.js';
import {sumsOf} from './sums.js';

/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./query.js').Query} Query */

/**
 * A phase, or several that are too short to be seen (value -1).
 * @typedef {{value: number, from: number, to: number, count: number}} Phase
 * @typedef {{process: number, pid: number, phases: Phase[]}} PhaseTrack
 */

const PHASE_LABEL = 'phase'; // what wick_mark() sets
const SHORT = 2; // pixels
const JOINED = 8;

/**
 * The string of the label that marks set; 0: nobody did.
 * @param {Engine} e
 */
export function phaseKey(e) {
	const keys = new Set(/** @type {Iterable<number>} */ (e.labelKey));
	for (const key of keys)
		if (key && e.string(key) === PHASE_LABEL)
			return key;
	return 0;
}

/**
 * By set of labels: the phase, 0 for none.
 * @param {Engine} e
 * @param {number} key
 */
function phaseOfSets(e, key) {
	const out = new Uint32Array(e.setEnd.length);
	for (let s = 0; s < out.length; s++)
		for (let i = s ? e.setEnd[s - 1] : 0; i < e.setEnd[s]; i++)
			if (e.labelKey[i] === key)
				out[s] = e.labelValue[i];
	return out;
}

/**
 * The processes, each with a track; and by thread, which one is its.
 * @param {Engine} e
 */
function processes(e) {
	/** @type {PhaseTrack[]} */
	const tracks = [];
	/** @type {Map<string, number>} */
	const seen = new Map();
	const of = e.meta.threads.map(([, , process, pid]) => {
		const name = `${process}.${pid}`;
		const at = seen.get(name) ?? tracks.length;
		if (at === tracks.length)
			tracks.push({process, pid, phases: []});
		seen.set(name, at);
		return at;
	});
	return {tracks, of};
}

/**
 * Neighbours that are too short to be seen become one.
 * @param {Phase[]} phases
 * @param {number} pixel in ticks
 */
function joinShort(phases, pixel) {
	/** @type {Phase[]} */
	const out = [];
	for (const p of phases) {
		const last = out[out.length - 1];
		const short = p.to - p.from < SHORT * pixel;
		if (short && last && last.to === p.from &&
		    last.to - last.from < JOINED * pixel &&
		    (last.count > 1 || last.to - last.from < SHORT * pixel)) {
			last.to = p.to;
			last.count++;
			last.value = -1;
		} else {
			out.push({...p});
		}
	}
	return out;
}

/**
 * Samples are in the order of their times: a phase lasts until a sample of the
 * process is in another.
 * @param {Engine} e
 * @param {Uint32Array} phaseOf
 * @param {number} pixel
 */
function phasesInTime(e, phaseOf, pixel) {
	const {tracks, of} = processes(e);
	const time = /** @type {Uint32Array} */ (e.time);
	const now = new Uint32Array(tracks.length);
	const end = new Uint32Array(tracks.length);
	for (let i = 0; i < e.samples; i++) {
		const set = e.sampleSet[i];
		const t = of[e.setThread[set]];
		const value = phaseOf[set];
		const {phases} = tracks[t];
		end[t] = time[i] + 1;
		if (value === now[t])
			continue;
		if (now[t])
			phases[phases.length - 1].to = time[i];
		if (value)
			phases.push({value, from: time[i], to: time[i] + 1, count: 1});
		now[t] = value;
	}
	tracks.forEach((track, t) => {
		if (now[t])
			track.phases[track.phases.length - 1].to = end[t];
		track.phases = joinShort(track.phases, pixel);
	});
	return tracks;
}

/**
 * Without times a phase is as long as what was spent in it.
 * @param {Engine} e
 * @param {Query} query
 * @param {Uint32Array} phaseOf
 */
function phasesByWeight(e, query, phaseOf) {
	const {tracks, of} = processes(e);
	const {at, factor} = e.values(query.type);
	/** @type {Map<number, number>[]} */
	const sums = tracks.map(() => new Map());
	for (let i = 0; i < e.samples; i++) {
		const set = e.sampleSet[i];
		const value = phaseOf[set];
		const mine = sums[of[e.setThread[set]]];
		if (value)
			mine.set(value, (mine.get(value) || 0) + at[i] * factor);
	}
	tracks.forEach((track, t) => {
		let from = 0;
		const heavy = [...sums[t]].sort((a, b) => b[1] - a[1]);
		for (const [value, weight] of heavy) {
			track.phases.push({value, from, to: from + weight, count: 1});
			from += weight;
		}
	});
	return tracks;
}

/**
 * The phases of each process that has any.  Where there are times, from and to
 * are ticks; else they are what was spent, of all that was.
 * @param {Engine} e
 * @param {Query} query
 * @param {{width: number}} wish
 */
export function phases(e, query, wish) {
	const key = phaseKey(e);
	const extent = e.time && e.samples ? e.time[e.samples - 1] + 1 : 0;
	const make = () => {
		const phaseOf = phaseOfSets(e, key);
		const tracks = extent
			? phasesInTime(e, phaseOf, extent / wish.width)
			: phasesByWeight(e, query, phaseOf);
		return {key, timed: !!extent,
			tracks: tracks.filter((t) => t.phases.length),
			whole: extent || sumsOf(e, everything(query), query.type).sum};
	};
	return e.recent.timelines.get(JSON.stringify(['phases', wish,
		extent ? 0 : query.type]), make);
}
