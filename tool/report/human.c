/* SPDX-License-Identifier: MIT */
/* What the reports for people have in common: see human.h. */
#include "report/human.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/sink.h"
#include "picture/caption.h"
#include "profile/loss.h"
#include "profile/number.h"
#include "report/context.h"
#include "report/report.h"
#include "report/shorten.h"
#include "term/colour.h"

void put_bar(struct sink *out, int64_t part, int64_t whole, unsigned width)
{
	/* Eighths of a character, so that short bars differ too. */
	static const char *const eighths[] = { "",  "▏", "▎", "▍",
					       "▌", "▋", "▊", "▉" };
	double share = whole ? (double)part / (double)whole : 0;
	unsigned length;

	if (share < 0)
		share = -share;
	if (share > 1)
		share = 1;
	length = (unsigned)(share * width * 8 + 0.5);
	for (unsigned i = 0; i < length / 8; i++)
		sink_text(out, "█");
	sink_text(out, eighths[length % 8]);
	sink_repeat(out, ' ', width - (length + 7) / 8);
}

/* Names can be a megabyte: what is behind these bytes is not looked at. */
static size_t most_bytes(size_t width)
{
	return 4 * (width + 1);
}

static bool is_longer(struct span text, size_t width)
{
	return text.len > most_bytes(width) || rune_count(text) > width;
}

void put_cut(struct sink *out, struct span text, size_t width)
{
	bool cut = is_longer(text, width);

	if (text.len > most_bytes(width))
		text.len = most_bytes(width);
	while (cut && text.len && rune_count(text) >= width)
		text.len--;
	sink_clean(out, text);
	if (cut)
		sink_text(out, "…");
}

void put_function(struct sink *out, struct span name, size_t width,
		  struct arena *arena)
{
	struct span end = name;

	if (is_longer(name, width))
		end = shorten_function(name, arena);
	if (end.len < name.len) {
		sink_text(out, "…");
		width--;
	}
	put_cut(out, end, width);
}

void put_percent(struct sink *out, int64_t part, int64_t whole)
{
	double share = whole ? 100 * (double)part / (double)whole : 0;
	char text[32];

	snprintf(text, sizeof(text),
		 share > -99.95 && share < 999.95 ? "%5.1f%%" : "%5.0f%%",
		 share);
	sink_text(out, text);
}

static void put_when(struct sink *out, int64_t nanos)
{
	time_t seconds = (time_t)(nanos / 1000000000);
	struct tm tm;
	char text[64];

	if (nanos > 0 && localtime_r(&seconds, &tm) &&
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		sink_format(out, ", %s", text);
}

void put_measured(struct sink *out, const struct report_context *c)
{
	caption_subject(out, &c->profile, c->type);
}

void put_extent(struct sink *out, const struct report_context *c)
{
	const struct extent extent = {
		.total = c->total,
		.unit = c->sample_unit,
		.samples = c->request->profile->sample_count,
		.nanos = c->profile.header.duration_nanos,
	};

	caption_extent(out, &extent, c->arena);
	put_when(out, c->profile.header.time_nanos);
}

void put_human_header(struct sink *out, const struct report_context *c)
{
	const struct profile *p = &c->profile;
	const struct profile *all = c->request->profile;
	const struct palette *look = c->request->look->palette;

	sink_text(out, look->bold);
	put_measured(out, c);
	sink_format(out, "%s: ", look->reset);
	put_extent(out, c);
	sink_char(out, '\n');
	if (p->sample_count != all->sample_count)
		sink_format(out, "%s%u samples are left by the filters%s\n",
			    look->dim, p->sample_count, look->reset);
	sink_text(out, look->yellow);
	loss_write(&all->loss, out);
	sink_text(out, look->reset);
}
