// SPDX-License-Identifier: MIT
// A track for the phases of each process, as the program's marks name them.  A
// click selects one: its range of time or, without times, its samples.

import {drawStatus} from './statusline.js';
import {el, shareText, valueText} from './text.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./phases.js').Phase} Phase */
/** @typedef {import('./phases.js').PhaseTrack} PhaseTrack */

const SHADES = 3;

export class PhaseTracks {
	/** @param {App} app */
	constructor(app) {
		this.app = app;
		/** @type {{key: number, timed: boolean, whole: number,
		 *   tracks: PhaseTrack[]}|null} */
		this.answer = null;
	}

	/** @param {number} width */
	async ask(width) {
		const {app} = this;
		if (!app.profile.phases)
			return;
		const answer = await app.client.latest('phases', 'phases',
			app.query(), {width});
		if (answer)
			this.answer = answer;
	}

	/**
	 * Name and track of each, as cells of the timeline.
	 * @param {number} width
	 */
	cells(width) {
		if (!this.answer)
			return [];
		const {tracks} = this.answer;
		return tracks.flatMap((track) => {
			const name = this.trackName(track, tracks.length > 1);
			return [el('div', {class: 'phases-name', title: name}, name),
				this.track(track, name, width)];
		});
	}

	/**
	 * @param {PhaseTrack} track
	 * @param {boolean} many
	 */
	trackName(track, many) {
		const p = this.app.profile;
		const process = p.string(track.process);
		const pid = p.string(track.pid);
		return many ? ['phases of', process, pid].filter(Boolean).join(' ')
			: 'phases';
	}

	/**
	 * @param {PhaseTrack} track
	 * @param {string} name
	 * @param {number} width
	 */
	track(track, name, width) {
		const scale = width / (this.answer?.whole || 1);
		const buttons = track.phases.map((phase, i) => {
			const text = this.nameOf(phase);
			const about = this.describe(phase);
			const button = el('button', {type: 'button', title: about,
				class: `phase shade${phase.value < 0 ? SHADES
					: phase.value % SHADES}`,
				'aria-label': about, 'aria-pressed': this.isChosen(phase),
				tabindex: i ? '-1' : '0',
				onclick: () => this.choose(phase),
				onpointerenter: () => drawStatus(this.app, -1, text,
					about.slice(text.length + 2)),
				onpointerleave: () => drawStatus(this.app, -1, '', '')}, text);
			button.style.left = phase.from * scale + 'px';
			button.style.width = Math.max(1,
				(phase.to - phase.from) * scale) + 'px';
			return button;
		});
		return el('div', {class: 'track phases', role: 'group',
			'aria-label': name,
			onkeydown: (/** @type {KeyboardEvent} */ e) => {
				const at = buttons.indexOf(
					/** @type {HTMLElement} */ (e.target));
				const to = buttons[at + (e.key === 'ArrowRight' ? 1
					: e.key === 'ArrowLeft' ? -1 : NaN)];
				if (!to)
					return;
				e.preventDefault();
				e.stopPropagation();
				to.focus();
			}}, ...buttons);
	}

	/** @param {Phase} phase */
	nameOf(phase) {
		return phase.value < 0 ? `${phase.count} phases`
			: this.app.profile.string(phase.value);
	}

	/** @param {Phase} phase */
	describe(phase) {
		const {app} = this;
		const name = this.nameOf(phase);
		if (!this.answer?.timed) {
			const spent = phase.to - phase.from;
			return `${name}: ${valueText(spent, app.unit())} (${
				shareText(spent, this.answer?.whole || 0)})`;
		}
		/** @param {number} ticks */
		const clock = (ticks) => valueText(ticks * (app.profile.meta.tick ||
			1), 'ns');
		return `${name}: ${clock(phase.to - phase.from)}, ${
			clock(phase.from)} – ${clock(phase.to)}`;
	}

	/** @param {Phase} phase */
	isChosen(phase) {
		const {range, labels} = this.app.state;
		if (this.answer?.timed)
			return !!range && range[0] === phase.from && range[1] === phase.to;
		return labels.some((l) => l.key === this.answer?.key &&
			l.value === phase.value && !l.not);
	}

	/** @param {Phase} phase */
	choose(phase) {
		const {app} = this;
		const was = this.isChosen(phase);
		const key = this.answer?.key || 0;
		if (this.answer?.timed) {
			app.change({range: was ? null : [phase.from, phase.to]});
			return;
		}
		const others = app.state.labels.filter((l) => l.key !== key);
		app.change({labels: was ? others
			: [...others, {key, value: phase.value}]});
	}

	/**
	 * Chooses the phase before or after the chosen one.
	 * @param {number} by
	 */
	step(by) {
		const all = (this.answer?.tracks || []).flatMap((t) => t.phases);
		if (!all.length)
			return;
		const at = all.findIndex((p) => this.isChosen(p));
		const to = at < 0 ? (by > 0 ? 0 : all.length - 1)
			: Math.max(0, Math.min(all.length - 1, at + by));
		if (to !== at)
			this.choose(all[to]);
	}
}
