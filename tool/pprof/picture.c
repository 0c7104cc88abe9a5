/* SPDX-License-Identifier: MIT */
/* See picture.h. */
#include "pprof/picture.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/fmt.h"
#include "base/sink.h"
#include "pprof/child.h"

#define PICTURE_LIMIT ((uint64_t)1 << 30)

int picture_draw(struct span graph, const char *format, struct sink *out,
		 struct error *err)
{
	char type[16];
	const char *argv[] = { "dot", type, NULL };
	const struct child dot = {
		.argv = argv,
		.input = graph,
		.error_fd = -1,
		.third_fd = -1,
		.limit = PICTURE_LIMIT,
	};
	int r;

	fmt_text(type, sizeof(type), "-T%s", format);
	r = child_run(&dot, out, err);
	if (r < 0)
		error_prefix(err,
			     "failed to execute dot. Is Graphviz installed? "
			     "Error");
	if (r <= 0)
		return r;
	return error_set(err, -EIO,
			 "failed to execute dot. Is Graphviz installed? "
			 "Error: exit status %d",
			 r);
}

/* Ours; the page's element #viewport is moved, nothing else. */
static const char script[] =
	"(function () {\n"
	"'use strict';\n"
	"var svg = document.documentElement;\n"
	"var view = document.getElementById('viewport');\n"
	"var scale = 1, x = 0, y = 0, fingers = {};\n"
	"function show() {\n"
	"  view.setAttribute('transform',\n"
	"    'translate(' + x + ',' + y + ') scale(' + scale + ')');\n"
	"}\n"
	"function fit() {\n"
	"  var box = view.getBBox();\n"
	"  var w = window.innerWidth, h = window.innerHeight;\n"
	"  scale = Math.min(w / (box.width || 1), h / (box.height || 1), 1);\n"
	"  x = (w - box.width * scale) / 2 - box.x * scale;\n"
	"  y = (h - box.height * scale) / 2 - box.y * scale;\n"
	"  show();\n"
	"}\n"
	"function zoom(factor, atX, atY) {\n"
	"  var wanted = Math.min(40, Math.max(0.01, scale * factor));\n"
	"  x = atX - (atX - x) * wanted / scale;\n"
	"  y = atY - (atY - y) * wanted / scale;\n"
	"  scale = wanted;\n"
	"  show();\n"
	"}\n"
	"function pan(dx, dy) { x += dx; y += dy; show(); }\n"
	"svg.addEventListener('wheel', function (e) {\n"
	"  var pixels = e.deltaMode ? 33 : 1;\n"
	"  zoom(Math.exp(-e.deltaY * pixels / 400), e.clientX, e.clientY);\n"
	"  e.preventDefault();\n"
	"}, { passive: false });\n"
	"svg.addEventListener('pointerdown', function (e) {\n"
	"  fingers[e.pointerId] = [e.clientX, e.clientY];\n"
	"});\n"
	"svg.addEventListener('pointermove', function (e) {\n"
	"  var was = fingers[e.pointerId], ids = Object.keys(fingers), other;\n"
	"  if (!was) { return; }\n"
	"  var now = [e.clientX, e.clientY];\n"
	"  if (ids.length === 1) {\n"
	"    pan(now[0] - was[0], now[1] - was[1]);\n"
	"  } else if (ids.length === 2) {\n"
	"    other = fingers[ids[0] === String(e.pointerId) ? ids[1] : "
	"ids[0]];\n"
	"    zoom(Math.hypot(now[0] - other[0], now[1] - other[1]) /\n"
	"      (Math.hypot(was[0] - other[0], was[1] - other[1]) || 1),\n"
	"      other[0], other[1]);\n"
	"  }\n"
	"  fingers[e.pointerId] = now;\n"
	"  e.preventDefault();\n"
	"});\n"
	"function lift(e) { delete fingers[e.pointerId]; }\n"
	"['pointerup', 'pointercancel', 'pointerleave'].forEach(\n"
	"  function (name) { svg.addEventListener(name, lift); });\n"
	"window.addEventListener('keydown', function (e) {\n"
	"  var w = window.innerWidth / 2, h = window.innerHeight / 2;\n"
	"  var keys = {\n"
	"    '+': function () { zoom(1.25, w, h); },\n"
	"    '=': function () { zoom(1.25, w, h); },\n"
	"    '-': function () { zoom(0.8, w, h); },\n"
	"    '0': fit,\n"
	"    'ArrowLeft': function () { pan(60, 0); },\n"
	"    'ArrowRight': function () { pan(-60, 0); },\n"
	"    'ArrowUp': function () { pan(0, 60); },\n"
	"    'ArrowDown': function () { pan(0, -60); }\n"
	"  };\n"
	"  if (keys[e.key] && !e.ctrlKey && !e.metaKey) {\n"
	"    keys[e.key]();\n"
	"    e.preventDefault();\n"
	"  }\n"
	"});\n"
	"svg.style.touchAction = 'none';\n"
	"fit();\n"
	"}());\n";

/* The place of text in s from offset on; s.len if it is not there. */
static size_t find(struct span s, size_t offset, const char *text)
{
	const uint8_t *at = memmem(s.at + offset, s.len - offset, text,
				   strlen(text));

	return at ? (size_t)(at - s.at) : s.len;
}

/* Copies a part, mending an ampersand that dot forgets to quote. */
static void copy(struct sink *out, struct span svg, size_t from, size_t to)
{
	while (from < to) {
		size_t bad = find(span_part(svg, 0, to), from, "&;");

		sink_span(out, span_part(svg, from, bad - from));
		if (bad < to)
			sink_text(out, "&amp;;");
		from = bad < to ? bad + 2 : to;
	}
}

/*
 * <svg width="8pt" height="8pt" viewBox="…" xmlns=…> <g id="graph0" …> … </svg>
 * becomes <svg width="100%" height="100%" xmlns=…> <g id="viewport"> <g
 * id="graph0" …> … </g> script </svg>.
 */
void picture_make_pannable(struct span svg, struct sink *out)
{
	size_t head = find(svg, 0, "<svg ");
	size_t box = find(svg, head, "viewBox=\"");
	size_t box_end = find(svg, box, "\" ");
	size_t graph = find(svg, box_end, "<g id=\"graph");
	size_t end = find(svg, graph, "</svg>");

	if (end == svg.len) {
		copy(out, svg, 0, svg.len);
		return;
	}
	copy(out, svg, 0, head);
	sink_text(out, "<svg width=\"100%\" height=\"100%\"");
	copy(out, svg, box_end + 1, graph);
	sink_text(out, "<g id=\"viewport\">\n");
	copy(out, svg, graph, end);
	sink_text(out, "</g>\n<script><![CDATA[\n");
	sink_text(out, script);
	sink_text(out, "]]></script>\n");
	copy(out, svg, end, svg.len);
}
