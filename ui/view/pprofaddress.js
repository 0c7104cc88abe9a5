// SPDX-License-Identifier: MIT
// Addresses that pprof's page has: they lead to the same view of this one.

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./query.js').Transform} Transform */

/**
 * What such an address asks for.
 * @typedef {{view: string, transforms: Transform[], type: string,
 *   code: boolean, name: string}} Asked
 */

/** @type {Record<string, string>} */
const PPROF_VIEWS = {top: 'top', flamegraph: 'flame', graph: 'graph',
	peek: 'sandwich', source: 'source', disasm: 'source'};

/**
 * What an address of pprof's asks for: its path is a view, and f, i, h, s, sf
 * and si are filters and the sample type.
 * @returns {Asked}
 */
export function pprofState() {
	const params = new URLSearchParams(location.search);
	/** @type {Transform[]} */
	const transforms = [];
	for (const [key, op] of [['f', 'focus'], ['i', 'ignore'], ['h', 'hide'],
		['s', 'only'], ['sf', 'root'], ['p', 'below']]) {
		const text = params.get(key);
		if (text)
			transforms.push({op, text});
	}
	const last = location.pathname.replace(/^.*\//, '');
	return {view: PPROF_VIEWS[last] || 'flame', transforms,
		type: params.get('si') || '', code: last === 'disasm',
		name: params.get('f') || ''};
}

/**
 * The function that takes most of those that a name is about; -1: none.
 * @param {App} app
 * @param {string} text
 */
async function heaviest(app, text) {
	const query = app.query();
	const rows = await app.client.send('rows', query, {}, 0);
	const {marks} = await app.client.send('search', query, {text}, 0);
	let best = -1;
	for (let i = 0; i < rows.ids.length; i++)
		if (marks[rows.ids[i]] && !(best >= 0 &&
		    rows.total[best] >= rows.total[i]))
			best = i;
	return best < 0 ? -1 : rows.ids[best];
}

/**
 * A sample type by its name or number; -1: the usual one.
 * @param {App} app
 * @param {string} name
 */
function typeCalled(app, name) {
	const {types} = app.profile.meta;
	const at = types.findIndex((t) => t.type === name);
	return at >= 0 || !/^\d+$/.test(name) ? at : Number(name);
}

/**
 * Changes the state to what was asked for.
 * @param {App} app
 * @param {Asked} asked
 */
export async function followAddress(app, asked) {
	const {view, transforms, type, code, name} = asked;
	app.state = {...app.state, view, transforms, code,
		type: typeCalled(app, type)};
	app.clamp();
	if (name && /source|sandwich/.test(view))
		app.state.fn = await heaviest(app, name);
}
