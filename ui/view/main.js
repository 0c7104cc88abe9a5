// SPDX-License-Identifier: MIT
// The page: it holds the state and the profile, and has everything drawn when
// something has changed.

import {drawBar, drawTabs} from './bar.js';
import {Client, Profile} from './client.js';
import {drawCrumbs} from './crumbs.js';
import {DetailsPane} from './details.js';
import {openExport} from './export.js';
import {handleKey} from './keys.js';
import {closeMenu, copyText, openHelp, toast} from './menu.js';
import {followAddress} from './pprofaddress.js';
import {clampState, queryOf, stateText, textState} from './state.js';
import {drawStatus} from './statusline.js';
import {byId, shareText} from './text.js';
import {Timeline} from './timeline.js';
import {VIEWS} from './views.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./views.js').View} View */

export class App {
	/**
	 * @param {{url?: string, blocks?: string[], places?: string,
	 *   source?: string, placeBlocks?: string[], sourceBlocks?: string[],
	 *   name: string}[]} sources
	 */
	constructor(sources) {
		this.sources = sources;
		/** @type {import('./pprofaddress.js').Asked|null} */
		this.asked = null;
		/** @type {State} */
		this.state = textState(location.hash.slice(1));
		this.file = -1;
		/** @type {Client} */
		this.client = /** @type {any} */ (null);
		/** @type {Profile} */
		this.profile = /** @type {any} */ (null);
		/** @type {View|null} */
		this.view = null;
		this.viewName = '';
		/** @type {Uint8Array|null} which functions the search is about */
		this.marks = null;
		this.searched = '';
		this.sum = 0; // of the selection
		this.all = 0; // of everything
		/** @type {number[]|null} the stack of what is selected, root first */
		this.stack = null;
		this.rendered = 0; // for tests and measurements
		this.busy = 0;
		this.fresh = false; // the profile has just been opened
		/** @type {Timeline|null} */
		this.timeline = null;
		this.details = new DetailsPane(this, byId('details'));
		this.listen();
	}

	query() {
		return queryOf(this.state);
	}

	unit() {
		return this.profile.meta.types[this.state.type]?.unit || '';
	}

	compares() {
		return this.profile.meta.compare;
	}

	/** Opens the profile that the state is about, and shows it. */
	async start() {
		const {sources} = this;
		if (!(this.state.file >= 0 && this.state.file < sources.length))
			this.state.file = 0;
		if (this.file !== this.state.file) {
			this.file = this.state.file;
			this.client = new Client(sources[this.file]);
			this.profile = new Profile(await this.client.open());
			this.client.onRestart = () => {
				toast('that took too long; it was taken back');
				this.change({search: '', transforms:
					this.state.transforms.filter((t) => !t.text)});
			};
			this.view = null;
			this.viewName = '';
			this.marks = null;
			this.searched = '';
			this.timeline = new Timeline(this, byId('timeline'));
			drawBar(this);
			this.fresh = true;
		}
		if (this.asked) {
			const {asked} = this;
			this.asked = null;
			await followAddress(this, asked);
		}
		this.clamp();
		await this.render();
		if (this.fresh)
			this.warmUp(this.client, 0);
		this.fresh = false;
	}

	/**
	 * Has the Worker prepare itself while nothing is asked of it.
	 * @param {Client} client
	 * @param {number} step
	 */
	async warmUp(client, step) {
		if (client !== this.client)
			return;
		if (!this.busy && !client.waiting.size) {
			const more = await client.send('warm', this.query(), {step}, 0)
				.catch(() => false);
			if (!more)
				return;
			step++;
		}
		setTimeout(() => this.warmUp(client, step), 20);
	}

	clamp() {
		const {meta} = this.profile;
		clampState(this.state, {
			functions: this.profile.functions, types: meta.types.length,
			threads: meta.threads.length,
			strings: this.profile.strings.ends.length,
			usualType: meta.compare ? 1 : meta.usualType,
			extent: this.profile.extent, views: VIEWS.map(([v]) => v),
		});
	}

	/**
	 * Changes the state: a step of the history, unless it is too small for
	 * one.
	 * @param {Partial<State>} patch
	 * @param {boolean} [small]
	 */
	change(patch, small) {
		const file = this.state.file;
		this.state = {...this.state, ...patch};
		if (patch.transforms || patch.threads !== undefined ||
		    patch.range !== undefined || patch.reverse !== undefined)
			this.state.zoom = patch.zoom || (patch.reverse === undefined &&
				!patch.transforms ? this.state.zoom : []);
		this.remember(!!small);
		if (Object.keys(patch).join() === 'search')
			return this.searchAlone();
		return file === this.state.file ? this.render() : this.start();
	}

	/** Shows what is searched for, where nothing else has changed. */
	async searchAlone() {
		this.busy++;
		try {
			await this.search();
		} catch {
			// It took too long, which has been said.
		} finally {
			this.busy--;
			this.rendered++;
		}
	}

	/** @param {boolean} small */
	remember(small) {
		const url = '#' + stateText(this.state);
		if (url === location.hash)
			return;
		if (small)
			history.replaceState(null, '', url);
		else
			history.pushState(null, '', url);
	}

	/**
	 * Selects a function, in all views.
	 * @param {number} id
	 * @param {number[]} [stack] in which it was met, root first
	 */
	select(id, stack) {
		if (stack)
			this.stack = stack;
		else if (id !== this.state.fn)
			this.stack = null;
		if (id === this.state.fn)
			return;
		this.state = {...this.state, fn: id};
		this.remember(true);
		this.view?.selected();
		this.details.render();
		this.timeline?.render();
	}

	/** Draws everything for the state. */
	async render() {
		closeMenu();
		this.busy++;
		try {
			drawTabs(this);
			this.openView();
			await Promise.all([this.view?.render(), this.drawSums(),
				this.search(), this.timeline?.render(),
				this.details.render()]);
			drawCrumbs(this);
		} catch (error) {
			if (!/too long/.test(String(error)))
				toast(String(error));
		} finally {
			this.busy--;
			this.rendered++;
		}
	}

	openView() {
		const {view} = this.state;
		if (view === this.viewName)
			return;
		const make = VIEWS.find(([name]) => name === view);
		const stage = byId('stage');
		stage.replaceChildren();
		this.viewName = view;
		drawStatus(this, -1, '', '');
		if (make)
			this.view = new make[2](this, stage);
	}

	async drawSums() {
		const answer = await this.client.latest('sums', 'sumOfAll',
			this.query(), {});
		if (!answer)
			return;
		this.sum = answer.sum;
		this.all = answer.all;
	}

	/** Finds what the search is about and tells the view. */
	async search() {
		const {search} = this.state;
		const box = byId('search');
		if (document.activeElement !== box)
			box.value = search;
		if (!search) {
			byId('matched').textContent = '';
			if (this.marks) {
				this.marks = null;
				this.view?.searched();
			}
			return;
		}
		const answer = await this.client.latest('search', 'search',
			this.query(), {text: search});
		if (!answer)
			return;
		this.marks = answer.marks;
		byId('matched').textContent = `${
			shareText(answer.matched, answer.sum)} in ${
			answer.functions} function${answer.functions === 1 ? '' : 's'}`;
		this.view?.searched();
	}

	copyLink() {
		copyText(location.href, 'a link');
	}

	listen() {
		byId('type').addEventListener('change', () =>
			this.change({type: Number(byId('type').value)}));
		byId('link').addEventListener('click', () => this.copyLink());
		byId('export').addEventListener('click', () => openExport(this));
		byId('help').addEventListener('click', openHelp);
		let timer = 0;
		const box = byId('search');
		box.addEventListener('input', () => {
			clearTimeout(timer);
			timer = setTimeout(() => this.change({search: box.value}, true),
				60);
		});
		window.addEventListener('popstate', () => {
			this.state = textState(location.hash.slice(1));
			this.start();
		});
		window.addEventListener('hashchange', () => {
			if ('#' + stateText(this.state) !== location.hash) {
				this.state = textState(location.hash.slice(1));
				this.start();
			}
		});
		window.addEventListener('resize', () => this.render());
		matchMedia('(prefers-color-scheme: dark)').addEventListener('change',
			() => this.render());
		document.addEventListener('keydown', (e) => handleKey(this, e));
	}

	/** @param {number} n */
	showView(n) {
		if (VIEWS[n])
			this.change({view: VIEWS[n][0]});
	}
}
