// SPDX-License-Identifier: MIT
// Saving what is shown: as stacks, as a profile, as a picture.

import {changeFill} from './boxpaint.js';
import {inks, kindColour} from './colour.js';
import {openMenu} from './menu.js';
import {byId, el} from './text.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./flame.js').FlameCanvas} FlameCanvas */

const SVG_ROW = 18;
const LETTER = 7.2;

/**
 * @param {Blob} blob
 * @param {string} name
 */
function save(blob, name) {
	const url = URL.createObjectURL(blob);
	const link = /** @type {HTMLAnchorElement} */ (el('a',
		{href: url, download: name}));
	document.body.append(link);
	link.click();
	link.remove();
	setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** @param {string} text */
function escaped(text) {
	return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

/**
 * The boxes of a canvas as SVG, all of them.
 * @param {App} app
 * @param {FlameCanvas} canvas
 */
export function flameSvg(app, canvas) {
	const b = /** @type {import('./boxes.js').Boxes} */ (canvas.boxes);
	const width = 1200;
	const rows = b.rowStart.length - 1 - b.top;
	const scale = width / b.total;
	const out = ['<svg xmlns="http://www.w3.org/2000/svg" width="' + width +
		'" height="' + rows * SVG_ROW + '" font-family="monospace" ' +
		'font-size="12">'];
	for (let row = 0; row < rows; row++) {
		const y = (canvas.upsideDown ? rows - 1 - row : row) * SVG_ROW;
		const end = b.rowStart[b.top + row + 1];
		for (let i = b.rowStart[b.top + row]; i < end; i++) {
			const x = b.x[i] * scale;
			const w = b.w[i] * scale;
			const id = b.id[i];
			const fill = id < 0 ? '#dde0e4' : canvas.compare
				? changeFill(b, app.profile, i, false)
				: kindColour(app.profile.kind(id), !!b.inlined[i], id, false);
			const name = canvas.nameOf(i);
			const letters = Math.floor((w - 6) / LETTER);
			const cut = name.length > letters
				? name.slice(0, Math.max(0, letters - 1)) + '…' : name;
			out.push(`<g><title>${escaped(
				canvas.events.describe(i))}</title><rect x="${
				x.toFixed(2)}" y="${y}" width="${w.toFixed(2)}" height="${
				SVG_ROW - 1}" fill="${fill}"/>${letters > 2 ? `<text x="${
				(x + 3).toFixed(2)}" y="${y + 13}">${escaped(cut)
				}</text>` : ''}</g>`);
		}
	}
	out.push('</svg>');
	return out.join('\n');
}

/** What a style sheet says of SVG that has to be said in the file itself. */
const SAID = ['fill', 'stroke', 'stroke-width', 'opacity', 'font-family',
	'font-size'];

/**
 * A picture of the page as a file of its own, all of it.
 * @param {SVGElement} picture
 * @param {{x: number, y: number, w: number, h: number}} box
 */
function graphSvg(picture, box) {
	const copy = /** @type {SVGElement} */ (picture.cloneNode(true));
	const from = [...picture.querySelectorAll('rect, path, text')];
	[...copy.querySelectorAll('rect, path, text')].forEach((node, i) => {
		const style = getComputedStyle(from[i]);
		node.removeAttribute('style');
		for (const name of SAID)
			node.setAttribute(name, style.getPropertyValue(name));
	});
	copy.setAttribute('viewBox', `${box.x} ${box.y} ${box.w} ${box.h}`);
	copy.setAttribute('width', String(Math.round(box.w)));
	copy.setAttribute('height', String(Math.round(box.h)));
	return new XMLSerializer().serializeToString(copy);
}

/**
 * The same as dots.
 * @param {string} text
 * @returns {Promise<Blob|null>}
 */
async function svgToPng(text) {
	const url = URL.createObjectURL(new Blob([text], {type: 'image/svg+xml'}));
	const image = new Image();
	image.src = url;
	await image.decode();
	const canvas = /** @type {HTMLCanvasElement} */ (el('canvas',
		{width: image.width, height: image.height}));
	const ctx = canvas.getContext('2d');
	if (ctx) {
		ctx.fillStyle = inks().paper;
		ctx.fillRect(0, 0, image.width, image.height);
		ctx.drawImage(image, 0, 0);
	}
	URL.revokeObjectURL(url);
	return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
}

/**
 * The pictures of what is shown: SVG as text, PNG as a blob.
 * @param {App} app
 * @returns {{svg: () => string, png: () => Promise<Blob|null>}|null}
 */
function pictures(app) {
	const shown = app.view?.shown ? app.view.shown() : null;
	if (shown?.boxes)
		return {
			svg: () => flameSvg(app, shown),
			png: () => new Promise((resolve) =>
				shown.canvas.toBlob(resolve, 'image/png')),
		};
	if (!shown?.picture)
		return null;
	const svg = () => graphSvg(shown.picture, shown.whole);
	return {svg, png: () => svgToPng(svg())};
}

/**
 * @param {App} app
 * @returns {import('./menu.js').MenuItem[]}
 */
function exportItems(app) {
	const name = (app.sources[app.file].name || 'profile')
		.replace(/^.*\//, '').replace(/[^\w.-]/g, '_').slice(0, 60);
	const made = pictures(app);
	const items = [
		{title: 'Folded stacks', key: 'f', run: async () => {
			const text = await app.client.send('folded', app.query(), {}, 0);
			save(new Blob([text], {type: 'text/plain'}), name + '.folded');
		}},
		{title: 'Profile for pprof', key: 'p', run: async () => {
			const bytes = await app.client.send('pprof', app.query(), {}, 0);
			const packed = new Response(new Blob([bytes]).stream()
				.pipeThrough(new /** @type {any} */ (window).CompressionStream('gzip')));
			save(await packed.blob(), name + '.pb.gz');
		}},
	];
	if (!made)
		return items;
	return [...items,
		{title: 'Picture: SVG', key: 's', run: async () =>
			save(new Blob([made.svg()], {type: 'image/svg+xml'}),
				name + '.svg')},
		{title: 'Picture: PNG', key: 'i', run: async () => {
			const blob = await made.png();
			if (blob)
				save(blob, name + '.png');
		}},
	];
}

/** @param {App} app */
export function openExport(app) {
	const at = byId('export').getBoundingClientRect();
	openMenu('Save what is shown', exportItems(app), at.left, at.bottom);
}
