/* SPDX-License-Identifier: MIT */
/*
 * Drawing a flame graph as SVG.  Every box is in the file, at the place where a
 * window of the usual width shows it, so that the picture is whole in programs
 * that run no scripts; the script (ui/flame) makes it fit and answer.
 *
 * Names are hostile text and go through flame_put_name(); everything else in
 * the file is ours or a number.
 */
#include "picture/flame_picture.h"

#include <string.h>

#include "base/arena.h"
#include "base/decimal.h"
#include "base/markup.h"
#include "base/sink.h"
#include "picture/flame.h"
#include "picture/flame_page.h"
#include "profile/loss.h"
#include "profile/number.h"

/* Pixels.  The script knows PAD, ROW and where the text of a box stands. */
enum {
	PAD = 10,
	HEAD = 104,
	FOOT = 12,
	NOTE = 18,
	ROW = 18,
	BOX = 17,
	BASELINE = 13,
};

#define COLUMN 7.2 /* of a character of 12 pixels */

#define HINT "hover for details, click to zoom, / to search, arrow keys to walk"

struct drawing {
	const struct flame_picture *f;
	const struct flame_options *o;
	const struct flame_subject *s;
	struct arena *arena;
	struct sink *out;
	unsigned side; /* the one that decides widths */
	unsigned width;
	unsigned height;
	double total;
	double scale; /* pixels for a value */
	struct span losses;
};

/* A number with at most three decimals, as short as it can be. */
static void put_number(struct sink *out, double value)
{
	struct decimal d = decimal_fixed(value, 3);
	size_t len = strlen(d.text);

	while (d.text[len - 1] == '0')
		len--;
	if (d.text[len - 1] == '.')
		len--;
	sink_write(out, d.text, len);
}

static void put_attribute(struct sink *out, const char *name, double value)
{
	sink_format(out, " %s=\"", name);
	put_number(out, value);
	sink_char(out, '"');
}

static void put_share(struct sink *out, double share)
{
	sink_text(out, decimal_fixed(100 * share, 2).text);
	sink_char(out, '%');
}

static void put_value(struct drawing *d, double value)
{
	const char *unit = d->s->unit;
	int64_t whole = value < 0x1p62 ? (int64_t)(value + 0.5) : INT64_MAX;
	bool samples = !strcmp(d->s->type_name, "samples");

	sink_text(d->out, number_label(d->arena, whole, unit, "auto"));
	if (samples && !strcmp(unit, "count"))
		sink_text(d->out, whole == 1 ? " sample" : " samples");
}

/* What a box has become of: parts of the whole before, and now. */
struct change {
	double before;
	double now;
};

static struct change change_of(const struct drawing *d, const struct box *box)
{
	const struct box *root = &d->f->tree.boxes.at[0];
	double before = root->value[0];

	return (struct change){
		.before = before > 0 ? box->value[0] / before : 0,
		.now = box->value[1] / root->value[1],
	};
}

static struct span box_name(const struct drawing *d, const struct box *box)
{
	struct sink text;

	if (box->node)
		return d->f->name[box->node];
	if (!box->merged)
		return span_text("all");
	text = sink_to_memory(d->arena);
	sink_format(&text, "%u smaller", box->merged);
	return sink_bytes(&text);
}

/* "(1.2s, 12.00%, self 1.00%)", which the script finds by its bracket. */
static void put_facts(struct drawing *d, const struct box *box)
{
	double value = box->value[d->side];

	sink_text(d->out, " (");
	put_value(d, value);
	sink_text(d->out, ", ");
	put_share(d->out, value / d->total);
	if (d->o->compare) {
		struct change change = change_of(d, box);

		sink_text(d->out, ", was ");
		put_share(d->out, change.before);
		sink_text(d->out, change.now < change.before ? ": " : ": +");
		put_share(d->out, change.now - change.before);
	}
	if (box->self[d->side] > 0 && !box->merged) {
		sink_text(d->out, ", self ");
		put_share(d->out, box->self[d->side] / d->total);
	}
	sink_char(d->out, ')');
}

static struct colour box_colour(const struct drawing *d, const struct box *box)
{
	enum flame_kind kind = d->f->kind[box->node];

	if (d->o->compare && !box->merged) {
		struct change change = change_of(d, box);

		return flame_change_colour(change.before, change.now);
	}
	if (!box->node)
		return flame_neutral_colour();
	if (box->inlined && kind != FLAME_UNNAMED)
		kind = FLAME_INLINED;
	return flame_colour(d->o->palette, kind, d->f->name[box->node]);
}

/* The beginning of the name that fits the box; none if that is too little. */
static void put_label(struct drawing *d, struct span name, double left,
		      double width, double top)
{
	size_t columns = width > 6 ? (size_t)((width - 6) / COLUMN) : 0;
	struct span shown = markup_fit(name, columns);

	if (columns < 4)
		return;
	if (shown.len < name.len)
		shown = markup_fit(name, columns - 2);
	sink_text(d->out, "<text");
	put_attribute(d->out, "x", left + 3);
	put_attribute(d->out, "y", top + BASELINE);
	sink_char(d->out, '>');
	sink_markup(d->out, shown, SIZE_MAX);
	sink_text(d->out, shown.len < name.len ? "..</text>" : "</text>");
}

static void put_box(struct drawing *d, const struct box *box)
{
	double left = PAD + box->start * d->scale;
	double width = box->value[d->side] * d->scale;
	uint32_t row = d->o->icicle ? box->depth
				    : d->f->tree.depth - box->depth;
	double top = HEAD + (double)row * ROW;
	struct colour c = box_colour(d, box);
	struct span name = box_name(d, box);

	sink_text(d->out,
		  box->merged ? "<g class=\"rest\"><title>" : "<g><title>");
	flame_put_name(d->out, name);
	put_facts(d, box);
	sink_text(d->out, "</title><rect");
	put_attribute(d->out, "x", left);
	put_attribute(d->out, "y", top);
	put_attribute(d->out, "width", width);
	put_attribute(d->out, "height", BOX);
	sink_format(d->out, " fill=\"#%02x%02x%02x\"/>", c.part[0], c.part[1],
		    c.part[2]);
	put_label(d, name, left, width, top);
	sink_text(d->out, "</g>\n");
}

static void put_plain(struct drawing *d, const char *text)
{
	flame_put_name(d->out, span_text(text));
}

static void put_title(struct drawing *d)
{
	if (d->o->title)
		put_plain(d, d->o->title);
	else if (d->o->compare)
		put_plain(d, "what changed");
	else
		flame_put_name(d->out, d->s->title);
}

/* How much it is of what, and what of it can not be seen. */
static void put_subtitle(struct drawing *d)
{
	const struct boxtree *t = &d->f->tree;
	struct sink text = sink_to_memory(d->arena);

	if (d->o->subtitle) {
		put_plain(d, d->o->subtitle);
		return;
	}
	if (d->o->compare)
		sink_text(
			&text,
			"red has grown, blue has shrunk; the totals made equal");
	else
		sink_span(&text, d->s->subtitle);
	if (d->o->reverse)
		sink_text(&text, "; callers above what they called");
	if (t->cut)
		sink_format(&text, "; cut at %u levels", t->depth);
	flame_put_name(d->out, sink_bytes(&text));
	if (!t->merged)
		return;
	sink_text(d->out, "; boxes under ");
	put_number(d->out, 100 * t->least / d->total);
	sink_text(d->out, "% merged");
}

static void put_head(struct drawing *d)
{
	struct sink *out = d->out;

	sink_format(
		out,
		"<g class=\"head\"><rect class=\"paper\" width=\"%u\" height=\"%d\"/>"
		"<text class=\"title\" x=\"%d\" y=\"22\">",
		d->width, HEAD - 6, PAD);
	put_title(d);
	sink_format(out, "</text><text class=\"dim\" x=\"%d\" y=\"40\">", PAD);
	put_subtitle(d);
	sink_format(
		out,
		"</text><g class=\"tools\">"
		"<text class=\"dim matched\" x=\"280\" y=\"64\" aria-live=\"polite\"/>"
		"<text class=\"link reset\" x=\"%u\" y=\"22\" text-anchor=\"end\" style=\"display:none\">reset zoom</text></g>"
		"<text class=\"details\" x=\"%d\" y=\"89\">" HINT "</text>"
		"<line class=\"rule\" x2=\"%u\" y1=\"%d\" y2=\"%d\"/></g>\n",
		d->width - PAD, PAD, d->width, HEAD - 6, HEAD - 6);
}

/* What the user wants said, and what is missing from the profile. */
static void put_notes(struct drawing *d)
{
	unsigned y = d->height - FOOT;
	struct span rest = d->losses;

	if (d->o->notes) {
		sink_format(d->out, "<text class=\"notes\" x=\"%d\" y=\"%u\">",
			    PAD, y);
		put_plain(d, d->o->notes);
		sink_text(d->out, "</text>\n");
		y -= NOTE;
	}
	while (rest.len) {
		const uint8_t *end = memchr(rest.at, '\n', rest.len);
		size_t len = end ? (size_t)(end - rest.at) : rest.len;

		sink_format(d->out, "<text class=\"notes\" x=\"%d\" y=\"%u\">",
			    PAD, y);
		flame_put_name(d->out, span_part(rest, 0, len));
		sink_text(d->out, "</text>\n");
		y -= NOTE;
		len += end != NULL;
		rest = span_part(rest, len, rest.len - len);
	}
}

static unsigned note_count(const struct drawing *d)
{
	unsigned count = d->o->notes != NULL;

	for (size_t i = 0; i < d->losses.len; i++)
		count += d->losses.at[i] == '\n';
	return count;
}

static void put_svg(struct drawing *d)
{
	const struct boxtree *t = &d->f->tree;
	struct sink *out = d->out;

	sink_format(
		out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"wick\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\"%s%s>\n<title>",
		d->width, d->height, d->width, d->height,
		d->o->width ? " data-width=\"\"" : "",
		d->o->icicle ? " data-icicle=\"\"" : "");
	put_title(d);
	sink_format(out,
		    "</title>\n<style>%s</style>\n"
		    "<rect class=\"paper\" width=\"100%%\" height=\"100%%\"/>\n"
		    "<g class=\"boxes\">\n",
		    flame_css);
	for (uint32_t i = 0; i < t->boxes.count; i++)
		put_box(d, &t->boxes.at[i]);
	sink_text(out, "</g>\n");
	put_notes(d);
	put_head(d);
}

const char flame_policy[] =
	"default-src 'none'; style-src 'unsafe-inline'; script-src '" FLAME_JS_HASH
	"'; base-uri 'none'; form-action 'none'; "
	"frame-ancestors 'none'";

static void put_page(struct drawing *d)
{
	struct sink *out = d->out;

	sink_text(
		out,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src '" FLAME_JS_HASH
		"'; base-uri 'none'; form-action 'none'\">\n"
		"<meta name=\"viewport\" content=\"width=device-width\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
	put_title(d);
	sink_text(
		out,
		"</title>\n<style>body{margin:0;background:#fff}@media(prefers-color-scheme:dark){body{background:#17191d}}</style>\n</head>\n<body>\n");
	put_svg(d);
	sink_format(out, "</svg>\n<script>%s</script>\n</body>\n</html>\n",
		    flame_js);
}

static void put_picture(struct drawing *d)
{
	sink_text(d->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	put_svg(d);
	sink_format(d->out, "<script><![CDATA[%s]]></script>\n</svg>\n",
		    flame_js);
}

void flame_picture_write(const struct flame_picture *f, struct sink *out)
{
	const struct flame_options *o = f->options;
	struct sink losses = sink_to_memory(f->arena);
	struct drawing d = {
		.f = f,
		.o = o,
		.s = f->subject,
		.arena = f->arena,
		.out = out,
		.side = o->compare,
		.width = o->width ? o->width : FLAME_WIDTH,
	};

	loss_write(f->subject->loss, &losses);
	d.losses = sink_bytes(&losses);
	d.height = HEAD + (f->tree.depth + 1) * ROW + FOOT +
		   note_count(&d) * NOTE;
	d.total = f->tree.boxes.at[0].value[d.side];
	d.scale = (d.width - 2.0 * PAD) / d.total;
	if (o->form == FLAME_HTML)
		put_page(&d);
	else
		put_picture(&d);
}
