// SPDX-License-Identifier: MIT
// "My code": the filter that leaves the program's own functions, to which what
// they call then counts.

/** @typedef {import('./main.js').App} App */

/**
 * The filter that leaves the program's own functions; null: all are.
 * @param {App} app
 */
export function ownCode(app) {
	const p = app.profile;
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

/**
 * Whether that filter is in force.
 * @param {App} app
 */
export function isOwn(app) {
	const own = JSON.stringify(ownCode(app));
	return app.state.transforms.some((t) => JSON.stringify(t) === own);
}

/**
 * The change that switches it.
 * @param {App} app
 */
export function ownPatch(app) {
	const own = ownCode(app);
	const same = JSON.stringify(own);
	const rest = app.state.transforms.filter((t) =>
		JSON.stringify(t) !== same);
	return {zoom: [], transforms: isOwn(app) || !own ? rest
		: [...rest, own]};
}
