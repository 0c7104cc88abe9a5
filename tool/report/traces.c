/* SPDX-License-Identifier: MIT */
/* traces: every sample with its stack. */
#include <errno.h>

#include "base/error.h"
#include "base/sink.h"
#include "report/graphview.h"
#include "report/number.h"
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

static void put_key(struct traces *t, str_id key)
{
	put_right(t->out, str_span(t->c->profile.strings, key), 10);
	sink_text(t->out, ":  ");
}

/* Labels are in order of kind and key; those of one key share a line. */
static void put_labels(struct traces *t, labels_id set)
{
	const struct profile *p = &t->c->profile;
	uint32_t count;
	const struct label *l = labels_get(&p->label_sets, set, &count);

	for (uint32_t i = 0; i < count; i++) {
		bool more = i && l[i - 1].key == l[i].key &&
			    l[i - 1].numeric == l[i].numeric;

		if (i && !more)
			sink_char(t->out, '\n');
		if (more)
			sink_char(t->out, ' ');
		else
			put_key(t, l[i].key);
		if (l[i].numeric)
			sink_text(t->out, number_label(t->c->arena, l[i].number,
						       key_unit(t->c, l[i].key),
						       "auto"));
		else
			sink_span(t->out, str_span(p->strings, l[i].text));
	}
	if (count)
		sink_char(t->out, '\n');
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
	put_labels(t, p->labels[sample]);
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
