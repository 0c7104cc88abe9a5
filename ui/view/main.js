// SPDX-License-Identifier: MIT
// The page: it holds the state, draws what is around the views, and tells them
// when something has changed.

import {AboutView, LabelsView} from './about.js';
import {Client, Profile} from './client.js';
import {DetailsPane} from './details.js';
import {exportItems} from './export.js';
import {FlameView, SandwichView} from './flameview.js';
import {GraphView} from './graphview.js';
import {handleKey} from './keys.js';
import {closeMenu, copyText, openHelp, openMenu, toast} from './menu.js';
import {SourceView} from './sourceview.js';
import {clampState, queryOf, stateText, textState} from './state.js';
import {baseName, byId, el, shareText, valueText} from './text.js';
import {Timeline} from './timeline.js';
import {TopView} from './topview.js';
import {TreeView} from './treeview.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./query.js').Transform} Transform */

/**
 * A view: it draws itself for the app's state.
 * @typedef {object} View
 * @property {() => Promise<void>} render
 * @property {() => void} searched the marks have changed
 * @property {() => void} selected the selected function has changed
 * @property {() => void} focus
 * @property {(key: string) => boolean} [key]
 * @property {() => any} [shown]
 */

/** @type {[string, string, new (app: App, home: HTMLElement) => View][]} */
const VIEWS = [
	['flame', 'Flame graph', FlameView],
	['top', 'Top', TopView],
	['tree', 'Call tree', TreeView],
	['sandwich', 'Sandwich', SandwichView],
	['graph', 'Call graph', GraphView],
	['source', 'Source', SourceView],
	['labels', 'Labels', LabelsView],
	['about', 'About', AboutView],
];

/** @type {Record<string, string>} */
const OPS = {focus: 'focus', ignore: 'drop', hide: 'hide', only: 'only',
	root: 'root', below: 'collapse below', module: 'collapse',
	recursion: 'collapse recursion'};

const HINT = 'click selects · double click zooms · right click has more · ' +
	'? shows keys';

export class App {
	/**
	 * @param {{url?: string, blocks?: string[], places?: string,
	 *   source?: string, placeBlocks?: string[], sourceBlocks?: string[],
	 *   name: string}[]} sources
	 */
	constructor(sources) {
		this.sources = sources;
		/** @type {{view: string, transforms: Transform[], type: string,
		 *   code: boolean, name: string}|null}
		 *   what an address of pprof's asked for */
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
			this.drawBar();
			this.fresh = true;
		}
		if (this.asked) {
			const {view, transforms, type, code, name} = this.asked;
			this.asked = null;
			this.state = {...this.state, view, transforms, code,
				type: this.typeCalled(type)};
			this.clamp();
			if (name && /source|sandwich/.test(view))
				this.state.fn = await this.heaviest(name);
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

	/**
	 * The function that takes most of those that a name is about; -1: none.
	 * @param {string} text
	 */
	async heaviest(text) {
		const query = this.query();
		const rows = await this.client.send('rows', query, {}, 0);
		const {marks} = await this.client.send('search', query, {text}, 0);
		let best = -1;
		for (let i = 0; i < rows.ids.length; i++)
			if (marks[rows.ids[i]] && !(best >= 0 &&
			    rows.total[best] >= rows.total[i]))
				best = i;
		return best < 0 ? -1 : rows.ids[best];
	}

	/**
	 * A sample type by its name or number; -1: the usual one.
	 * @param {string} name
	 */
	typeCalled(name) {
		const {types} = this.profile.meta;
		const at = types.findIndex((t) => t.type === name);
		return at >= 0 || !/^\d+$/.test(name) ? at : Number(name);
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
			this.drawViews();
			this.openView();
			await Promise.all([this.view?.render(), this.drawSums(),
				this.search(), this.timeline?.render(),
				this.details.render()]);
			this.drawCrumbs();
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
		this.status(-1, '', '');
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

	drawBar() {
		const {meta} = this.profile;
		const name = this.sources[this.file].name || meta.name || '';
		document.title = `${baseName(name) || 'profile'} – wick`;
		const samples = meta.compare ? meta.counts : [meta.samples];
		byId('what').textContent = [baseName(meta.program || ''),
			meta.duration > 0 ? valueText(meta.duration, 'ns') : '',
			`${samples.map((n) => valueText(n, '')).join(' → ')} samples`]
			.filter(Boolean).join(' · ');
		byId('what').title = name;
		const files = byId('files');
		files.replaceChildren(...(this.sources.length < 2 ? []
			: this.sources.map((s, i) => el('button', {type: 'button',
				'aria-current': i === this.file ? 'true' : null,
				onclick: () => this.change({file: i, zoom: [], fn: -1,
					transforms: [], threads: null, range: null, labels: [],
					open: [], type: -1})}, baseName(s.name)))));
		const type = byId('type');
		type.replaceChildren(...meta.types.map((t, i) =>
			el('option', {value: i}, `${t.type} (${t.unit})`)));
		type.parentElement.hidden = meta.types.length < 2 || meta.compare;
	}

	drawViews() {
		const {state} = this;
		byId('type').value = String(state.type);
		const tabs = VIEWS.map(([name, title], i) => el('button', {
			type: 'button', role: 'tab', id: 'tab-' + name,
			'aria-selected': name === state.view,
			'aria-controls': 'stage', title: `${title} (${i + 1})`,
			onclick: () => this.change({view: name}),
		}, title));
		byId('views').replaceChildren(...tabs);
		tabs.find((t) => t.getAttribute('aria-selected') === 'true')
			?.scrollIntoView({block: 'nearest', inline: 'nearest'});
		byId('stage').setAttribute('aria-label',
			VIEWS.find(([n]) => n === state.view)?.[1] || '');
	}

	/** What can be switched for this view. */
	options() {
		const s = this.state;
		const flames = s.view === 'flame';
		/**
		 * @param {string} title
		 * @param {string} say
		 * @param {boolean} on
		 * @param {Partial<State>} patch
		 */
		const option = (title, say, on, patch) => el('button', {
			type: 'button', title: say, 'aria-pressed': on, class: 'option',
			onclick: () => this.change(patch)}, title);
		const out = [];
		const own = this.ownCode();
		if (own)
			out.push(option('my code', 'only functions of the program ' +
				'itself: what they call counts for them (w)', this.isOwn(),
			this.ownPatch()));
		if (flames || s.view === 'tree')
			out.push(option('bottom up',
				'from the functions that ran to their callers (i)',
				s.reverse, {reverse: !s.reverse, zoom: [], open: []}));
		if (flames)
			out.push(option('root below', 'as flames, not as icicles (o)',
				s.flame, {flame: !s.flame}));
		if (flames || s.view === 'sandwich')
			out.push(option('by name', 'ordered by name, not weight (b)',
				s.byName, {byName: !s.byName}));
		return out;
	}

	/** The filter that leaves the program's own functions; null: all are. */
	ownCode() {
		const p = this.profile;
		const {program} = p.meta;
		if (!program)
			return null;
		let others = false;
		let module = 0;
		for (let f = 0; f < p.functions; f++) {
			if (p.module(f) === program)
				module = p.functionModule[f];
			else
				others = true;
		}
		return module && others ? {op: 'only', module} : null;
	}

	/** Whether that filter is in force. */
	isOwn() {
		const own = JSON.stringify(this.ownCode());
		return this.state.transforms.some((t) => JSON.stringify(t) === own);
	}

	/** The change that switches it. */
	ownPatch() {
		const own = this.ownCode();
		const same = JSON.stringify(own);
		const rest = this.state.transforms.filter((t) =>
			JSON.stringify(t) !== same);
		return {zoom: [], transforms: this.isOwn() || !own ? rest
			: [...rest, own]};
	}

	/** The selection: what was filtered, and where the view is zoomed to. */
	drawCrumbs() {
		const s = this.state;
		/** @type {HTMLElement[]} */
		const chips = [];
		/**
		 * @param {string} what
		 * @param {string} name
		 * @param {Partial<State>} without
		 */
		const chip = (what, name, without) => chips.push(el('span',
			{class: 'chip'}, el('b', null, what),
			name ? el('span', {class: 'name', title: name.slice(0, 500)},
				'\u00a0' + name) : null,
			el('button', {type: 'button', 'aria-label':
				`remove ${what} ${name}`.slice(0, 200),
			onclick: () => this.change(without)}, '×')));
		if (s.range)
			chip('time', s.range.map((t) => valueText(t *
				(this.profile.meta.tick || 1), 'ns')).join(' – '),
			{range: null});
		for (const t of s.threads || []) {
			const rest = (s.threads || []).filter((one) => one !== t);
			chip('thread', this.profile.threadName(t),
				{threads: rest.length ? rest : null});
		}
		s.labels.forEach((l, i) => chip(l.not ? 'without' : 'label',
			`${this.profile.string(l.key)} ${this.profile.string(l.value)}`,
			{labels: s.labels.filter((_, at) => at !== i)}));
		if (s.group)
			chip('by', this.profile.string(s.group), {group: 0, zoom: []});
		s.transforms.forEach((t, i) => chip(OPS[t.op] || t.op,
			this.transformName(t), {transforms:
				s.transforms.filter((_, at) => at !== i)}));
		byId('crumbs').replaceChildren(...chips, ...this.zoomCrumbs(),
			el('span', {id: 'total'}, this.totalText()), ...this.options());
	}

	/** @param {Transform} t */
	transformName(t) {
		if (t.text !== undefined)
			return `/${t.text}/`;
		if (t.module !== undefined)
			return baseName(this.profile.string(t.module));
		return t.fn !== undefined ? this.profile.name(t.fn) : '';
	}

	zoomCrumbs() {
		const {zoom, view} = this.state;
		if (view !== 'flame' || !zoom.length)
			return [];
		const crumbs = [el('button', {class: 'crumb', type: 'button',
			onclick: () => this.change({zoom: []})}, 'all')];
		const skip = zoom.length > 6 ? zoom.length - 5 : 0;
		zoom.forEach((id, i) => {
			if (i < skip && i > 0)
				return;
			const last = i === zoom.length - 1;
			crumbs.push(el('span', {class: 'sep', 'aria-hidden': 'true'},
				i && i === skip ? '› … ›' : '›'),
			el('button', {class: 'crumb', type: 'button',
				'aria-current': last ? 'location' : null,
				onclick: () => this.change({zoom: zoom.slice(0, i + 1)})},
			this.profile.name(id)));
		});
		return crumbs;
	}

	totalText() {
		const unit = this.unit();
		const sum = valueText(this.sum, unit);
		if (this.compares())
			return `${sum} now · red has grown, blue has shrunk, ` +
				'grey may be chance';
		if (this.sum === this.all)
			return `total ${sum}`;
		return `${sum} of ${valueText(this.all, unit)} (${
			shareText(this.sum, this.all)})`;
	}

	/**
	 * The line at the bottom: what the pointer is at.
	 * @param {number} id
	 * @param {string} name
	 * @param {string} facts
	 */
	status(id, name, facts) {
		const p = this.profile;
		const line = id >= 0 && id < p.functions ? p.functionLine[id] : 0;
		const where = id >= 0 ? [baseName(p.module(id)),
			p.file(id) ? baseName(p.file(id)) + (line ? ':' + line : '') : '']
			.filter(Boolean).join(' · ') : '';
		byId('status-name').textContent = name;
		byId('status-facts').textContent = id === -1 && !name ? HINT
			: [facts, where].filter(Boolean).join(' · ');
	}

	/** @param {string} text */
	say(text) {
		byId('voice').textContent = text;
	}

	/**
	 * @param {string} op
	 * @param {number} id
	 */
	transform(op, id) {
		const p = this.profile;
		/** @type {Transform} */
		let t = {op, fn: id};
		if (op === 'recursion')
			t = {op};
		else if (id >= p.functions)
			t = {op, module: id - p.functions};
		else if (op === 'module' || op === 'only')
			t = {op, module: p.functionModule[id]};
		const same = JSON.stringify(t);
		if (this.state.transforms.some((one) => JSON.stringify(one) === same))
			return;
		this.change({transforms: [...this.state.transforms, t], zoom: []});
	}

	/**
	 * What can be done with a function.
	 * @param {number} id
	 * @param {number[]|null} path
	 * @param {number} x
	 * @param {number} y
	 */
	menu(id, path, x, y) {
		const p = this.profile;
		this.select(id);
		/**
		 * @param {string} title
		 * @param {string} key
		 * @param {string} op
		 */
		const op = (title, key, op) => ({title, key,
			run: () => this.transform(op, id)});
		const items = [
			op('Focus: only stacks with it', 'f', 'focus'),
			op('Drop: only stacks without it', 'd', 'ignore'),
			op('Root: begin stacks with it', 'F', 'root'),
			op('Hide: its cost goes to its caller', 'h', 'hide'),
			op('Collapse what it calls', 'c', 'below'),
			op('Collapse recursion', 'r', 'recursion'),
			{title: 'Callers and callees', key: 'p',
				run: () => this.change({fn: id, view: 'sandwich'})},
			...(path ? [{title: 'Zoom to it', key: 'z',
				run: () => this.change({zoom: path, view: 'flame'})},
			{title: 'Copy the stack', key: 'y',
				run: () => this.copyStack()}] : []),
			{title: 'Copy the name', key: 'Y',
				run: () => copyText(p.name(id), 'the name')},
		];
		const module = baseName(p.module(id));
		if (module)
			items.splice(6, 0,
				op(`Collapse ${module}`, 'C', 'module'),
				op(`Only functions of ${module}`, 'H', 'only'));
		openMenu(p.name(id), items, x, y);
	}

	copyStack() {
		const path = this.stack || (this.state.fn >= 0 ? [this.state.fn] : []);
		if (path.length)
			copyText(path.map((id) => this.profile.name(id)).join('\n'),
				'the stack');
	}

	copyLink() {
		copyText(location.href, 'a link');
	}

	openExport() {
		const at = byId('export').getBoundingClientRect();
		openMenu('Save what is shown', exportItems(this), at.left, at.bottom);
	}

	listen() {
		byId('type').addEventListener('change', () =>
			this.change({type: Number(byId('type').value)}));
		byId('link').addEventListener('click', () => this.copyLink());
		byId('export').addEventListener('click', () => this.openExport());
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
