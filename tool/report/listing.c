/* SPDX-License-Identifier: MIT */
/* What the source reports have in common: see listing.h. */
#include "report/listing.h"

#include <errno.h>

#include "base/error.h"
#include "base/idsort.h"
#include "report/report.h"

enum { MARGIN = 5 }; /* lines around those with samples */

static bool node_before(const void *context, uint32_t a, uint32_t b)
{
	const struct listing *l = context;
	const struct trimmed *t = &l->g.trimmed;
	const struct strtab *s = l->c->profile.strings;
	const struct node_info *x = trimmed_info(t, a);
	const struct node_info *y = trimmed_info(t, b);
	int order = str_compare(s, x->name, y->name);

	if (!order)
		order = str_compare(s, x->file, y->file);
	if (order)
		return order < 0;
	return x->line < y->line;
}

int listing_find(struct listing *l, struct error *err)
{
	const struct trimmed *t = &l->g.trimmed;
	uint32_t *scratch = ARENA_ARRAY(l->c->arena, uint32_t,
					(size_t)t->shown_count + 1);

	l->nodes = ARENA_ARRAY(l->c->arena, uint32_t,
			       (size_t)t->shown_count + 1);
	if (!scratch || !l->nodes)
		return error_set(err, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < t->shown_count; i++) {
		str_id name = trimmed_info(t, t->shown[i])->name;

		if (matcher_match(&l->c->argument, name))
			l->nodes[l->count++] = t->shown[i];
	}
	if (!l->count)
		return error_set(err, -ENOENT,
				 "no matches found for regexp: %s",
				 l->c->request->argument);
	sort_ids(l->nodes, scratch, l->count, node_before, l);
	return 0;
}

/* From the function's first line, or some before the first with samples. */
static void measure(const struct trimmed *t, struct line_group *g)
{
	g->first_line = INT64_MAX;
	g->last_line = INT64_MIN;
	for (uint32_t i = 0; i < g->count; i++) {
		const struct graph_node *n = &t->graph.nodes.at[g->nodes[i]];
		const struct node_info *info = trimmed_info(t, g->nodes[i]);
		int64_t start, end;

		g->flat += (uint64_t)n->flat;
		g->cum += (uint64_t)n->cum;
		start = info->start_line;
		if (!start &&
		    __builtin_sub_overflow(info->line, MARGIN, &start))
			start = INT64_MIN;
		if (__builtin_add_overflow(info->line, MARGIN, &end))
			end = INT64_MAX;
		if (start < g->first_line)
			g->first_line = start;
		if (end > g->last_line)
			g->last_line = end;
	}
	if (g->first_line < 1)
		g->first_line = 1;
}

/* The nodes from first on that have the same function, and file if by_file. */
static uint32_t run_length(const struct listing *l, uint32_t first,
			   bool by_file)
{
	const struct trimmed *t = &l->g.trimmed;
	const struct node_info *x = trimmed_info(t, l->nodes[first]);
	uint32_t i = first;

	for (; i < l->count; i++) {
		const struct node_info *y = trimmed_info(t, l->nodes[i]);

		if (x->name != y->name || (by_file && x->file != y->file))
			break;
	}
	return i - first;
}

bool listing_next(const struct listing *l, uint32_t *at, struct line_group *ret)
{
	const struct trimmed *t = &l->g.trimmed;
	const struct node_info *info;
	uint32_t count;

	if (*at >= l->count)
		return false;
	info = trimmed_info(t, l->nodes[*at]);
	count = run_length(l, *at, true);
	/* Nodes without a file come first, and say nothing if others do. */
	if (!info->file && run_length(l, *at, false) > count) {
		*at += count;
		info = trimmed_info(t, l->nodes[*at]);
		count = run_length(l, *at, true);
	}
	*ret = (struct line_group){
		.nodes = l->nodes + *at,
		.count = count,
		.function = info->name,
		.file = info->file,
	};
	measure(t, ret);
	*at += count;
	return true;
}

void line_group_sum(const struct listing *l, const struct line_group *g,
		    int64_t line, uint32_t *at, uint64_t sums[2])
{
	const struct trimmed *t = &l->g.trimmed;

	for (; *at < g->count; (*at)++) {
		const struct graph_node *n = &t->graph.nodes.at[g->nodes[*at]];
		int64_t where = trimmed_info(t, g->nodes[*at])->line;

		if (where > line)
			return;
		if (where < line)
			continue;
		sums[0] += (uint64_t)n->flat;
		sums[1] += (uint64_t)n->cum;
	}
}
