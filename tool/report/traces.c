/* SPDX-License-Identifier: MIT */
/* traces: every sample with its stack. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/idsort.h"
#include "base/sink.h"
#include "profile/number.h"
#include "report/graphview.h"
#include "report/path.h"
#include "report/report.h"
#include "report/reports.h"

static const char rule[] = "-----------+------------------------------------"
			   "-------------------\n";

struct traces {
	struct report_context *c;
	struct sink *out;
	struct nodetab nodes;
	struct span *names; /* by node_id; made when first needed */
	VEC(frame_id) frames;
};

static struct span name_of(struct traces *t, node_id id)
{
	if (!t->names[id].at)
		t->names[id] = node_name(&t->nodes.info.at[id],
					 t->c->profile.strings, t->c->arena);
	return t->names[id];
}

/* The line of one key: "  key:  value value". */
static struct span label_line(const struct traces *t, const struct label *l,
			      uint32_t count)
{
	const struct strtab *s = t->c->profile.strings;
	struct sink line = sink_to_memory(t->c->arena);

	put_right(&line, str_span(s, l->key), 10);
	sink_text(&line, ": ");
	for (uint32_t i = 0; i < count; i++) {
		sink_char(&line, ' ');
		if (l[i].numeric)
			sink_text(&line, number_label(t->c->arena, l[i].number,
						      key_unit(t->c, l[i].key),
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
static int put_kind(struct traces *t, const struct label *l, uint32_t count)
{
	struct arena *arena = t->c->arena;
	struct span *lines = ARENA_ARRAY(arena, struct span, count + 1);
	uint32_t *order = ARENA_ARRAY(arena, uint32_t, 2 * (size_t)count + 1);
	uint32_t found = 0;

	if (!lines || !order)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; found++) {
		uint32_t same = same_key(l + i, count - i);

		lines[found] = label_line(t, l + i, same);
		order[found] = found;
		i += same;
	}
	sort_ids(order, order + count, found, line_before, lines);
	for (uint32_t i = 0; i < found; i++)
		sink_span(t->out, lines[order[i]]);
	return 0;
}

static int put_labels(struct traces *t, labels_id set)
{
	const struct profile *p = &t->c->profile;
	uint32_t count, texts = 0;
	const struct label *l = labels_get(&p->label_sets, set, &count);
	int r;

	while (texts < count && !l[texts].numeric)
		texts++;
	r = put_kind(t, l, texts);
	return r < 0 ? r : put_kind(t, l + texts, count - texts);
}

static void put_location(struct traces *t, location_id l, const char **value)
{
	uint32_t end = t->nodes.first[l + 1];

	for (uint32_t i = t->nodes.first[l]; i < end; i++) {
		put_right(t->out, span_text(*value), 10);
		sink_text(t->out, "   ");
		sink_span(t->out, name_of(t, t->nodes.ids.at[i]));
		sink_text(t->out, i + 1 < end ? " (inline)\n" : "\n");
		*value = "";
	}
}

static int put_sample(struct traces *t, uint32_t sample)
{
	const struct report_context *c = t->c;
	const struct profile *p = &c->profile;
	const int64_t *v = profile_values(p, sample);
	uint32_t depth = stack_depth(&p->stacks, p->stack[sample]);
	const char *value;

	if (!depth)
		return 0;
	if (!VEC_RESERVE(&t->frames, c->arena, depth))
		return -ENOMEM;
	stack_frames(&p->stacks, p->stack[sample], t->frames.at, depth);
	value = value_text(
		c, mean_value(v[c->value.index], c->value.mean ? v[0] : 0));
	sink_text(t->out, rule);
	if (p->labels[sample] && put_labels(t, p->labels[sample]) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < depth; i++)
		put_location(t, t->frames.at[i], &value);
	return 0;
}

static int prepare(struct traces *t)
{
	struct report_context *c = t->c;
	const str_id *files = display_files(&c->profile, &c->view, false,
					    c->arena);
	struct node_options options = context_node_options(c, files);
	int r = files ? nodetab_make(&t->nodes, &c->profile, &options, c->arena)
		      : -ENOMEM;

	if (r == 0)
		t->names = ARENA_ARRAY(c->arena, struct span,
				       t->nodes.info.count);
	return t->names ? r : -ENOMEM;
}

static int traces_write(struct report_context *c, struct sink *out,
			struct error *err)
{
	struct traces t = { .c = c, .out = out };
	int r = prepare(&t);

	put_profile_header(out, c, "\n");
	sink_char(out, '\n');
	for (uint32_t i = 0; i < c->profile.sample_count && r == 0; i++)
		r = put_sample(&t, i);
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
