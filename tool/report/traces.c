/* SPDX-License-Identifier: MIT */
/*
 * traces: every sample with its stack.  The text may have gigabytes, most of it
 * the same lines again and again: those of a location are made once, and a
 * sample is then a matter of copying.
 */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/idsort.h"
#include "base/sink.h"
#include "base/workers.h"
#include "profile/number.h"
#include "report/graphview.h"
#include "report/parts.h"
#include "report/path.h"
#include "report/report.h"
#include "report/reports.h"
#include "report/stackfeed.h"
#include "report/team.h"
#include "report/texts.h"

static const char rule[] = "-----------+------------------------------------"
			   "-------------------\n";

enum {
	VALUE_WIDTH = 10,
	INDENT = VALUE_WIDTH + 3,
	VALUES_KEPT = 64,
	VALUE_SIZE = 24,
};

/* A value as the first line of a sample has it. */
struct kept_value {
	int64_t value;
	uint32_t len; /* 0: nothing is kept here */
	char text[VALUE_SIZE];
};

struct traces;

/* What a worker has for itself. */
struct scribe {
	const struct traces *t;
	struct arena arena; /* of one text at a time */
	struct arena deep;  /* the feed's */
	struct stack_feed feed;
	struct kept_value values[VALUES_KEPT];
	int error;
	WORKERS_APART;
};

struct traces {
	struct report_context *c;
	struct nodetab nodes;
	struct texts lines;  /* by location */
	struct texts labels; /* by set; all lines of one */
	unsigned parts;	     /* of the locations, to make their texts */
	struct scribe scribes[WORKERS_MAX];
};

/* The line of one key: "  key:  value value". */
static struct span label_line(struct scribe *w, const struct label *l,
			      uint32_t count)
{
	const struct strtab *s = w->t->c->profile.strings;
	struct sink line = sink_to_memory(&w->arena);

	put_right(&line, str_span(s, l->key), VALUE_WIDTH);
	sink_text(&line, ": ");
	for (uint32_t i = 0; i < count; i++) {
		sink_char(&line, ' ');
		if (l[i].numeric)
			sink_text(&line,
				  number_label(&w->arena, l[i].number,
					       key_unit(w->t->c, l[i].key),
					       "auto"));
		else
			sink_span(&line, str_span(s, l[i].text));
	}
	sink_char(&line, '\n');
	return sink_bytes(&line);
}

static bool line_before(const void *context, uint32_t a, uint32_t b)
{
	const struct span *lines = context;
	size_t len = lines[a].len < lines[b].len ? lines[a].len : lines[b].len;
	int order = memcmp(lines[a].at, lines[b].at, len);

	return order ? order < 0 : lines[a].len < lines[b].len;
}

/* How many labels from the first on have its kind and key. */
static uint32_t same_key(const struct label *l, uint32_t count)
{
	uint32_t same = 1;

	while (same < count && l[same].key == l->key &&
	       l[same].numeric == l->numeric)
		same++;
	return same;
}

/* String labels, then numbers, each in the order of their padded lines. */
static int put_kind(struct scribe *w, struct sink *out, const struct label *l,
		    uint32_t count)
{
	struct span *lines = ARENA_ARRAY(&w->arena, struct span, count);
	uint32_t *order = ARENA_ARRAY(&w->arena, uint32_t, 2 * (size_t)count);
	uint32_t found = 0;

	if (!lines || !order)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; found++) {
		uint32_t same = same_key(l + i, count - i);

		lines[found] = label_line(w, l + i, same);
		order[found] = found;
		i += same;
	}
	if (w->arena.failed)
		return -ENOMEM;
	sort_ids(order, order + count, found, line_before, lines);
	for (uint32_t i = 0; i < found; i++)
		sink_span(out, lines[order[i]]);
	return 0;
}

static void put_labels(void *context, struct sink *out, labels_id set)
{
	struct scribe *w = context;
	uint32_t count, texts = 0;
	const struct label *l = labels_get(&w->t->c->profile.label_sets, set,
					   &count);
	int r = 0;

	while (texts < count && !l[texts].numeric)
		texts++;
	if (texts)
		r = put_kind(w, out, l, texts);
	if (r == 0 && texts < count)
		r = put_kind(w, out, l + texts, count - texts);
	if (r < 0)
		w->error = r;
	arena_reset(&w->arena);
}

/* The lines of a location, the first without its indent. */
static void put_lines(void *context, struct sink *out, location_id l)
{
	struct scribe *w = context;
	const struct nodetab *nodes = &w->t->nodes;
	uint32_t first = nodes->first[l];
	uint32_t end = nodes->first[l + 1];

	for (uint32_t i = first; i < end && !out->error; i++) {
		const struct node_info *info =
			&nodes->info.at[nodes->ids.at[i]];
		struct span name = node_name(info, w->t->c->profile.strings,
					     &w->arena);

		if (w->arena.failed)
			w->error = -ENOMEM;
		sink_repeat(out, ' ', i > first ? INDENT : 0);
		sink_span(out, name);
		sink_text(out, i + 1 < end ? " (inline)\n" : "\n");
		arena_reset(&w->arena);
	}
}

/* Text that does not fit is left alone; it is made anew each time. */
static void keep_value(struct scribe *w, struct kept_value *k, int64_t value)
{
	struct sink text = sink_to_memory(&w->arena);

	put_right(&text, span_text(value_text_in(&w->arena, w->t->c, value)),
		  VALUE_WIDTH);
	k->value = value;
	k->len = text.used <= VALUE_SIZE ? (uint32_t)text.used : 0;
	if (k->len)
		memcpy(k->text, text.buf, k->len);
	if (w->arena.failed)
		w->error = -ENOMEM;
	arena_reset(&w->arena);
}

static void put_value(struct scribe *w, struct sink *out, int64_t value)
{
	struct kept_value *k =
		&w->values[hash_u64((uint64_t)value) % VALUES_KEPT];

	if (!k->len || k->value != value)
		keep_value(w, k, value);
	if (k->len) {
		sink_write(out, k->text, k->len);
		return;
	}
	put_right(out, span_text(value_text_in(&w->arena, w->t->c, value)),
		  VALUE_WIDTH);
	arena_reset(&w->arena);
}

/* The leaf has the value in front, the others nothing. */
static void put_stack(struct scribe *w, struct sink *out, int64_t value)
{
	const struct texts *lines = &w->t->lines;
	const struct text_source source = { put_lines, w };
	struct text_run run = { w->feed.now.frames, w->feed.now.depth - 1 };
	struct text_run next = { w->feed.next.frames, w->feed.next.depth };

	put_value(w, out, value);
	sink_repeat(out, ' ', INDENT - VALUE_WIDTH);
	texts_put(lines, run.numbers[run.count], out, &source);
	texts_put_run(lines, run, next, out, &source);
}

static void put_sample(struct scribe *w, struct sink *out, uint32_t sample)
{
	const struct report_context *c = w->t->c;
	const struct profile *p = &c->profile;
	const int64_t *v = profile_values(p, sample);
	const struct text_source labels = { put_labels, w };

	if (!w->feed.now.depth)
		return;
	sink_write(out, rule, sizeof(rule) - 1);
	if (p->labels[sample])
		texts_put(&w->t->labels, p->labels[sample], out, &labels);
	put_stack(w, out,
		  mean_value(v[c->value.index], c->value.mean ? v[0] : 0));
}

static int put_samples(void *context, unsigned worker, uint32_t first,
		       uint32_t end, struct sink *out)
{
	struct traces *t = context;
	struct scribe *w = &t->scribes[worker];
	bool fed = stack_feed_start(&w->feed, w->t->c->profile.stack + first,
				    end - first);

	for (uint32_t i = first; i < end && fed && !out->error; i++) {
		put_sample(w, out, i);
		fed = stack_feed_go_on(&w->feed);
	}
	return fed ? w->error : -ENOMEM;
}

static location_id part_start(const struct traces *t, unsigned number)
{
	uint64_t locations = t->c->profile.locations.count - 1;

	return 1 + (location_id)(locations * number / t->parts);
}

/* Brings near what the texts of locations behind this one are made of.  Always
 * inlined, because gcc drops calls of functions that do nothing but prefetch.
 */
__attribute__((always_inline)) static inline void ask_ahead(
	const struct traces *t, location_id l, location_id end)
{
	enum { INFOS = 24, STRINGS = 16, TEXTS = 8 };
	const struct nodetab *n = &t->nodes;
	const struct strtab *s = t->c->profile.strings;
	const struct node_info *info;

	if (end - l <= INFOS)
		return;
	__builtin_prefetch(&n->info.at[n->ids.at[n->first[l + INFOS]]]);
	info = &n->info.at[n->ids.at[n->first[l + STRINGS]]];
	__builtin_prefetch(&s->strings.at[info->name]);
	__builtin_prefetch(&s->strings.at[info->file]);
	info = &n->info.at[n->ids.at[n->first[l + TEXTS]]];
	__builtin_prefetch(str_text(s, info->name));
	__builtin_prefetch(str_text(s, info->name) + 64);
	__builtin_prefetch(str_text(s, info->file));
}

/* Most locations are one function's; those of the same one share a text. */
static void keep_some_lines(void *context, unsigned number)
{
	struct traces *t = context;
	struct scribe *w = &t->scribes[number];
	const struct nodetab *nodes = &t->nodes;
	location_id *alone = ARENA_ARRAY(&w->deep, location_id,
					 nodes->info.count);
	struct texts lines = texts_part(&t->lines, number, t->parts);
	const struct text_source source = { put_lines, w };
	location_id end = part_start(t, number + 1);

	if (!alone)
		w->error = -ENOMEM;
	for (location_id l = part_start(t, number); l < end && alone; l++) {
		uint32_t first = nodes->first[l];
		location_id *same = &alone[nodes->ids.at[first]];
		bool one = nodes->first[l + 1] - first == 1;

		ask_ahead(t, l, end);
		if (one && *same) {
			texts_share(&lines, l, *same);
			continue;
		}
		texts_add(&lines, l, &source);
		if (one)
			*same = l;
	}
	arena_release(&w->deep);
}

/* By several workers where most texts are different ones: what they share is
 * shared by those of one worker only. */
static int keep_lines(struct traces *t)
{
	uint32_t count = t->c->profile.locations.count;
	const struct workers *team = t->nodes.info.count > count / 2
					     ? team_for(count)
					     : NULL;
	int r = texts_init(&t->lines, count);

	t->lines.indent = INDENT;
	t->parts = workers_parts(team);
	if (r == 0)
		workers_run(team, keep_some_lines, t);
	for (unsigned i = 0; i < t->parts && r == 0; i++)
		r = t->scribes[i].error;
	return r;
}

static int prepare(struct traces *t)
{
	struct report_context *c = t->c;
	const str_id *files = display_files(&c->profile, &c->view, false,
					    c->arena);
	struct node_options options = context_node_options(c, files);
	const struct text_source labels = { put_labels, &t->scribes[0] };
	int r = files ? stack_prepare_reading(&c->profile.stacks,
					      c->profile.stack,
					      c->profile.sample_count,
					      team_for(c->profile.sample_count))
		      : -ENOMEM;

	if (r == 0)
		r = nodetab_make(&t->nodes, &c->profile, &options, c->arena);

	for (unsigned i = 0; i < WORKERS_MAX; i++) {
		struct scribe *w = &t->scribes[i];

		w->t = t;
		w->feed.stacks = &c->profile.stacks;
		w->feed.arena = &w->deep;
	}
	if (r == 0)
		r = keep_lines(t);
	if (r == 0)
		r = texts_add_labels(&t->labels, &c->profile, &labels);
	return r < 0 ? r : t->scribes[0].error;
}

static void release(struct traces *t)
{
	texts_release(&t->lines);
	texts_release(&t->labels);
	for (unsigned i = 0; i < WORKERS_MAX; i++) {
		arena_release(&t->scribes[i].arena);
		arena_release(&t->scribes[i].deep);
	}
}

static int traces_write(struct report_context *c, struct sink *out,
			struct error *err)
{
	struct traces t = { .c = c };
	const struct parts samples = {
		.end = c->profile.sample_count,
		.workers = team_for(c->profile.sample_count),
		.put = put_samples,
		.context = &t,
	};
	int r = prepare(&t);

	put_profile_header(out, c, "\n");
	sink_char(out, '\n');
	if (r == 0)
		r = parts_write(&samples, out);
	release(&t);
	if (r < 0)
		return error_set(err, r, "out of memory");
	sink_text(out, rule);
	return 0;
}

const struct report report_traces = {
	.name = "traces",
	.summary = "every sample with its stack",
	.write = traces_write,
};
