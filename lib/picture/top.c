/* SPDX-License-Identifier: MIT */
/* See top.h. */
#include "picture/top.h"

#include <errno.h>

#include "base/arena.h"
#include "base/sink.h"
#include "picture/caption.h"
#include "profile/loss.h"
#include "profile/node.h"
#include "profile/number.h"
#include "profile/order.h"
#include "profile/profile.h"
#include "profile/trim.h"

void put_top_values(struct sink *out, const struct top_values *v, int64_t total,
		    int64_t *sum)
{
	*sum = (int64_t)((uint64_t)*sum + (uint64_t)v->flat);
	put_right(out, span_text(v->flat_text), 10);
	sink_format(out, " %s %s ", percent_of(v->flat, total).text,
		    percent_of(*sum, total).text);
	put_right(out, span_text(v->cum_text), 10);
	sink_format(out, " %s", percent_of(v->cum, total).text);
}

bool top_has_inlines(const struct profile *p)
{
	for (uint32_t i = 1; i < p->locations.count; i++)
		if (p->locations.at[i].line_count > 1)
			return true;
	return false;
}

bool *top_inlined_nodes(const struct profile *p, const struct nodetab *t,
			struct arena *arena)
{
	bool *inlined = ARENA_ARRAY(arena, bool, t->info.count);

	if (!inlined)
		return NULL;
	for (uint32_t l = 1; l < p->locations.count; l++)
		for (uint32_t i = t->first[l]; i + 1 < t->first[l + 1]; i++)
			inlined[t->ids.at[i]] = true;
	return inlined;
}

const char *top_inline_mark(const struct trimmed *t, uint32_t node)
{
	struct edge_list in = edges_in(t, node);
	bool inlined = false, called = false;

	for (uint32_t i = 0; i < in.count; i++) {
		const struct graph_edge *e = &t->graph.edges.at[in.at[i]];

		if (e->removed)
			continue;
		inlined |= e->inlined;
		called |= !e->inlined;
	}
	if (!inlined)
		return "";
	return called ? " (partial-inline)" : " (inline)";
}

/* A profile's table in the making. */
struct top {
	const struct profile *profile;
	struct sample_value value;
	const char *type;
	struct extent extent;
	struct nodetab nodes;
	struct graph_request request;
	struct trimmed trimmed;
	struct arena *arena;
};

static int aggregate(struct top *t, uint32_t count)
{
	const struct node_options by_function = { .function = true,
						  .inlines = true };
	struct trim_options options = {
		.node_count = count,
		.edges = top_has_inlines(t->profile),
		.callers_only = true,
	};
	int r = nodetab_make(&t->nodes, t->profile, &by_function, t->arena);

	if (r < 0)
		return r;
	t->request = (struct graph_request){
		.profile = t->profile,
		.nodes = &t->nodes,
		.order = stack_order_of(&t->profile->stacks),
		.value = t->value,
		.edge_targets = top_inlined_nodes(t->profile, &t->nodes,
						  t->arena),
	};
	if (!t->request.order || !t->request.edge_targets)
		return -ENOMEM;
	return trim(&t->trimmed, &t->request, &options, t->arena);
}

static void put_header(struct sink *out, const struct top *t)
{
	caption_subject(out, t->profile, t->type);
	sink_text(out, ": ");
	caption_extent(out, &t->extent, t->arena);
	sink_char(out, '\n');
	loss_write(&t->profile->loss, out);
	sink_text(out, "\n" TOP_HEADING);
}

static void put_row(struct sink *out, const struct top *t, uint32_t node,
		    int64_t *sum)
{
	const struct graph_node *n = &t->trimmed.graph.nodes.at[node];
	const struct top_values values = {
		.flat = n->flat,
		.cum = n->cum,
		.flat_text = number_label(t->arena, n->flat, t->extent.unit,
					  "auto"),
		.cum_text = number_label(t->arena, n->cum, t->extent.unit,
					 "auto"),
	};

	put_top_values(out, &values, t->extent.total, sum);
	sink_text(out, "  ");
	sink_clean(out, trimmed_name(&t->trimmed, node));
	sink_text(out, top_inline_mark(&t->trimmed, node));
	sink_char(out, '\n');
}

int top_write(const struct profile *p, uint32_t type, uint32_t count,
	      struct sink *out, struct arena *arena)
{
	struct top t = {
		.profile = p,
		.value.index = type,
		.type = profile_text(p, p->types.at[type].type),
		.extent = extent_of(p, type),
		.arena = arena,
	};
	int64_t sum = 0;
	int r = aggregate(&t, count);

	if (r < 0)
		return r;
	put_header(out, &t);
	for (uint32_t i = 0; i < t.trimmed.shown_count; i++)
		put_row(out, &t, t.trimmed.shown[i], &sum);
	return 0;
}
