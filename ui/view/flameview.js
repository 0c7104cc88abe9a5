// SPDX-License-Identifier: MIT
// The views made of flame graphs: everything from the root or from the leaves,
// and one function between its callers and its callees.

import {BOX_SMALL, boxPair} from './boxes.js';
import {changeText, isChance} from './change.js';
import {FlameCanvas} from './flame.js';
import {functionMenu} from './functionmenu.js';
import {drawStatus, say} from './statusline.js';
import {el, exactText, shareText, valueText} from './text.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./boxes.js').Boxes} Boxes */

/**
 * What is said of a box.
 * @param {App} app
 * @param {FlameCanvas} canvas
 * @param {number} box
 */
function boxFacts(app, canvas, box) {
	const b = /** @type {Boxes} */ (canvas.boxes);
	const unit = app.unit();
	const facts = [`total ${valueText(b.value[box], unit)} (${
		shareText(b.value[box], b.all)})`];
	if (b.id[box] !== BOX_SMALL)
		facts.push(`self ${valueText(b.self[box], unit)} (${
			shareText(b.self[box], b.all)})`);
	if (b.all !== app.all)
		facts.push(`${shareText(b.value[box], app.all)} of everything`);
	if (app.compares()) {
		const pair = boxPair(b, box);
		facts.push(`was ${shareText(pair.was, pair.sumBefore)}, ` +
			changeText(app.profile, pair) +
			(isChance(app.profile, pair) ? ' (may be chance)' : ''));
	}
	return facts.join(' · ');
}

/**
 * @param {App} app
 * @param {() => FlameCanvas} canvas
 * @param {(path: number[]) => void} zoom
 * @param {() => boolean} upwards paths go from callees to callers
 * @returns {import('./flame.js').FlameEvents}
 */
function flameEvents(app, canvas, zoom, upwards) {
	return {
		hover: (box) => {
			const c = canvas();
			const b = c.boxes;
			if (box < 0 || !b) {
				drawStatus(app, -1, '', '');
				return;
			}
			drawStatus(app, b.id[box], c.nameOf(box), boxFacts(app, c, box));
		},
		select: (id, path) => app.select(id, upwards() ? path.slice().reverse()
			: path),
		zoom,
		menu: (id, path, x, y) => functionMenu(app, id, path, x, y),
		say,
		describe: (box) => {
			const c = canvas();
			const b = /** @type {Boxes} */ (c.boxes);
			return `${c.nameOf(box)}, ${shareText(b.value[box], b.all)}, ` +
				exactText(b.value[box], app.unit());
		},
	};
}

export class FlameView {
	/**
	 * @param {App} app
	 * @param {HTMLElement} home
	 */
	constructor(app, home) {
		this.app = app;
		this.home = el('div', {class: 'flame-home'});
		home.append(this.home);
		/** @type {FlameCanvas} */
		this.canvas = new FlameCanvas(this.home, 'Flame graph',
			flameEvents(app, () => this.canvas, (path) =>
				app.change({zoom: path}), () => app.state.reverse));
	}

	async render() {
		const {app} = this;
		const s = app.state;
		const boxes = await app.client.latest('flame', 'layout', app.query(), {
			width: this.canvas.width(), zoom: s.zoom, reverse: s.reverse,
			byName: s.byName, group: s.group,
		});
		if (!boxes)
			return;
		this.canvas.show({boxes, profile: app.profile,
			compare: app.compares(), upsideDown: s.flame,
			marks: app.marks, selected: s.fn});
	}

	searched() {
		this.canvas.fills.clear();
		this.canvas.setMarks(this.app.marks);
	}

	selected() {
		this.canvas.setSelected(this.app.state.fn);
	}

	focus() {
		this.canvas.canvas.focus();
	}

	/** The boxes that an export is made of. */
	shown() {
		return this.canvas;
	}
}

export class SandwichView {
	/**
	 * @param {App} app
	 * @param {HTMLElement} home
	 */
	constructor(app, home) {
		this.app = app;
		const zoomless = () => {};
		this.empty = el('div', {class: 'empty'}, 'Select a function, in any ' +
			'view: its callers are shown above it and what it calls below.');
		this.title = el('div', {class: 'pane-title'});
		this.above = el('div', {class: 'flame-home'});
		this.below = el('div', {class: 'flame-home'});
		home.append(this.empty, this.title, this.above,
			el('div', {class: 'pane-title'}, 'and what it calls'),
			this.below);
		this.parts = [...home.children].slice(1);
		/** @type {FlameCanvas} */
		this.callers = new FlameCanvas(this.above, 'Callers',
			flameEvents(app, () => this.callers, zoomless, () => true));
		/** @type {FlameCanvas} */
		this.callees = new FlameCanvas(this.below, 'Callees',
			flameEvents(app, () => this.callees, zoomless, () => false));
	}

	async render() {
		const {app} = this;
		const {fn, byName} = app.state;
		this.empty.hidden = fn >= 0;
		for (const part of this.parts)
			/** @type {HTMLElement} */ (part).hidden = fn < 0;
		if (fn < 0)
			return;
		const wish = {width: this.callees.width(), zoom: [fn], byName, at: fn};
		const [up, down] = await Promise.all([
			app.client.latest('callers', 'layout', app.query(),
				{...wish, reverse: true}),
			app.client.latest('callees', 'layout', app.query(),
				{...wish, reverse: false})]);
		if (!up || !down)
			return;
		this.title.textContent = `Callers of ${app.profile.name(fn)}: ` +
			`${valueText(up.total, app.unit())} ` +
			`(${shareText(up.total, app.sum)})`;
		const how = {profile: app.profile, compare: app.compares(),
			marks: app.marks, selected: fn};
		this.callers.show({...how, boxes: withoutRoot(up), upsideDown: true});
		this.callees.show({...how, boxes: withoutRoot(down),
			upsideDown: false});
	}

	searched() {
		for (const c of [this.callers, this.callees]) {
			c.fills.clear();
			c.setMarks(this.app.marks);
		}
	}

	selected() {
		this.render();
	}

	focus() {
		this.callees.canvas.focus();
	}

	shown() {
		return this.callees;
	}
}

/**
 * Boxes whose first row is the function itself.
 * @param {Boxes} b
 * @returns {Boxes}
 */
function withoutRoot(b) {
	return {...b, zoomed: 0, all: b.total, top: 1};
}
