/* SPDX-License-Identifier: MIT */
/* See graph_order.h. */
#include "profile/graph_order.h"

#include <errno.h>
#include <string.h>

#include "base/fmt.h"
#include "base/idsort.h"

struct span trimmed_name(const struct trimmed *t, uint32_t node)
{
	return t->names[t->graph.nodes.at[node].info];
}

static int compare_spans(struct span a, struct span b)
{
	size_t shorter = a.len < b.len ? a.len : b.len;
	int order = shorter ? memcmp(a.at, b.at, shorter) : 0;

	if (order)
		return order;
	return a.len < b.len ? -1 : a.len > b.len;
}

static int compare_numbers(int64_t a, int64_t b)
{
	char x[24], y[24];

	if (a == b)
		return 0;
	fmt_text(x, sizeof(x), "%lld ", (long long)a);
	fmt_text(y, sizeof(y), "%lld ", (long long)b);
	return strcmp(x, y);
}

/*
 * The last resort, so that no two nodes are equal: field by field in pprof's
 * order, numbers as their digits, which is how they compare in its text form.
 */
static int compare_infos(const struct trimmed *t, uint32_t a, uint32_t b)
{
	const struct strtab *s = t->request->profile->strings;
	const struct node_info *x = trimmed_info(t, a);
	const struct node_info *y = trimmed_info(t, b);
	int order = str_compare(s, x->name, y->name);

	if (!order)
		order = compare_numbers((int64_t)x->address,
					(int64_t)y->address);
	if (!order)
		order = str_compare(s, x->file, y->file);
	if (!order)
		order = compare_numbers(x->start_line, y->start_line);
	if (!order)
		order = compare_numbers(x->line, y->line);
	if (!order)
		order = compare_numbers(x->column, y->column);
	if (!order)
		order = str_compare(s, x->object, y->object);
	return order ? order : (a < b ? -1 : a > b);
}

struct node_order {
	const struct trimmed *t;
	const int64_t *score; /* by graph node; the first key */
	bool by_flat;	      /* what the second key is not */
};

static bool node_before(const void *context, uint32_t a, uint32_t b)
{
	const struct node_order *o = context;
	const struct graph_node *x = &o->t->graph.nodes.at[a];
	const struct graph_node *y = &o->t->graph.nodes.at[b];
	int64_t sa = magnitude(o->score[a]), sb = magnitude(o->score[b]);
	int order;

	if (sa != sb)
		return sa > sb;
	order = compare_spans(trimmed_name(o->t, a), trimmed_name(o->t, b));
	if (order)
		return order < 0;
	sa = magnitude(o->by_flat ? x->cum : x->flat);
	sb = magnitude(o->by_flat ? y->cum : y->flat);
	if (sa != sb)
		return sa > sb;
	return compare_infos(o->t, a, b) < 0;
}

int64_t graph_score_flat(const struct trimmed *t, uint32_t node)
{
	return t->graph.nodes.at[node].flat;
}

int64_t graph_score_cum(const struct trimmed *t, uint32_t node)
{
	return t->graph.nodes.at[node].cum;
}

static void make_name(struct trimmed *t, uint32_t node, struct arena *arena)
{
	node_id info = t->graph.nodes.at[node].info;

	if (!t->names[info].at)
		t->names[info] = node_name(trimmed_info(t, node),
					   t->request->profile->strings, arena);
}

int graph_order_nodes(struct trimmed *t, graph_score *score_of,
		      struct arena *arena)
{
	uint32_t count = t->graph.nodes.count;
	int64_t *score = ARENA_ARRAY(arena, int64_t, count);
	uint32_t *scratch = ARENA_ARRAY(arena, uint32_t, t->shown_count + 1);
	struct node_order order = {
		.t = t,
		.score = score,
		.by_flat = score_of == graph_score_flat,
	};

	if (!score || !scratch)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->shown_count; i++) {
		make_name(t, t->shown[i], arena);
		score[t->shown[i]] = score_of(t, t->shown[i]);
	}
	sort_ids(t->shown, scratch, t->shown_count, node_before, &order);
	return arena->failed ? -ENOMEM : 0;
}

bool graph_edge_before(const struct trimmed *t, uint32_t a, uint32_t b)
{
	const struct graph_edge *x = &t->graph.edges.at[a];
	const struct graph_edge *y = &t->graph.edges.at[b];
	int64_t wa = magnitude(x->weight), wb = magnitude(y->weight);
	int order;

	if (wa != wb)
		return wa > wb;
	order = compare_spans(trimmed_name(t, x->from),
			      trimmed_name(t, y->from));
	if (!order)
		order = compare_spans(trimmed_name(t, x->to),
				      trimmed_name(t, y->to));
	if (!order && x->weight != y->weight)
		order = x->weight > y->weight ? -1 : 1;
	return order < 0;
}

static bool edge_before(const void *context, uint32_t a, uint32_t b)
{
	return graph_edge_before(context, a, b);
}

/* Fills first[] so that node n's edges are ids[first[n]] to ids[first[n+1]]. */
static void place_edges(const struct trimmed *t, uint32_t *first, uint32_t *ids,
			bool by_target)
{
	const struct graph_edge *edges = t->graph.edges.at;
	uint32_t count = t->graph.edges.count;
	uint32_t nodes = t->graph.nodes.count;

	for (uint32_t i = 0; i < count; i++)
		first[(by_target ? edges[i].to : edges[i].from) + 2]++;
	for (uint32_t i = 2; i < nodes + 2; i++)
		first[i] += first[i - 1];
	for (uint32_t i = 0; i < count; i++)
		ids[first[(by_target ? edges[i].to : edges[i].from) + 1]++] = i;
}

/* Node by node: many small sorts cost less than one large. */
static void sort_edges(const struct trimmed *t, const uint32_t *first,
		       uint32_t *ids, uint32_t *scratch)
{
	for (uint32_t n = 0; n < t->graph.nodes.count; n++)
		sort_ids(ids + first[n], scratch, first[n + 1] - first[n],
			 edge_before, t);
}

int graph_link_edges(struct trimmed *t, struct arena *arena)
{
	uint32_t count = t->graph.edges.count;
	size_t firsts = (size_t)t->graph.nodes.count + 2;
	uint32_t *scratch = ARENA_ARRAY(arena, uint32_t, (size_t)count + 1);

	t->edge_ids = ARENA_ARRAY(arena, uint32_t, 2 * (size_t)count + 1);
	t->out_first = ARENA_ARRAY(arena, uint32_t, firsts);
	t->in_first = ARENA_ARRAY(arena, uint32_t, firsts);
	if (!scratch || !t->edge_ids || !t->out_first || !t->in_first)
		return -ENOMEM;

	for (uint32_t i = 0; i < count; i++) {
		make_name(t, t->graph.edges.at[i].from, arena);
		make_name(t, t->graph.edges.at[i].to, arena);
	}
	place_edges(t, t->out_first, t->edge_ids, false);
	sort_edges(t, t->out_first, t->edge_ids, scratch);
	place_edges(t, t->in_first, t->edge_ids + count, true);
	sort_edges(t, t->in_first, t->edge_ids + count, scratch);
	return arena->failed ? -ENOMEM : 0;
}

struct edge_list edges_out(const struct trimmed *t, uint32_t node)
{
	uint32_t first = t->out_first[node];

	return (struct edge_list){ t->edge_ids + first,
				   t->out_first[node + 1] - first };
}

struct edge_list edges_in(const struct trimmed *t, uint32_t node)
{
	uint32_t first = t->in_first[node];

	return (struct edge_list){ t->edge_ids + t->graph.edges.count + first,
				   t->in_first[node + 1] - first };
}

struct search {
	const struct trimmed *t;
	uint32_t *queue;
	uint32_t *seen; /* by node: the search it was last seen in */
	uint32_t round;
};

/* Whether edge's target is reached from its source without it. */
static bool is_redundant(struct search *s, uint32_t edge)
{
	const struct graph_edge *edges = s->t->graph.edges.at;
	uint32_t head = 0, tail = 0;

	s->round++;
	s->seen[edges[edge].to] = s->round;
	s->queue[tail++] = edges[edge].to;
	while (head < tail) {
		struct edge_list in = edges_in(s->t, s->queue[head++]);

		for (uint32_t i = 0; i < in.count; i++) {
			uint32_t from = edges[in.at[i]].from;

			if (edges[in.at[i]].removed || in.at[i] == edge ||
			    s->seen[from] == s->round)
				continue;
			if (from == edges[edge].from)
				return true;
			s->seen[from] = s->round;
			s->queue[tail++] = from;
		}
	}
	return false;
}

int graph_drop_redundant(struct trimmed *t, struct arena *arena)
{
	uint32_t count = t->graph.nodes.count;
	struct search s = {
		.t = t,
		.queue = ARENA_ARRAY(arena, uint32_t, count),
		.seen = ARENA_ARRAY(arena, uint32_t, count),
	};

	if (!s.queue || !s.seen)
		return -ENOMEM;
	for (uint32_t i = t->shown_count; i-- > 0;) {
		struct edge_list in = edges_in(t, t->shown[i]);

		for (uint32_t j = in.count; j-- > 0;) {
			struct graph_edge *e = &t->graph.edges.at[in.at[j]];

			if (e->removed)
				continue;
			/* Nothing heavier than a real edge is taken away. */
			if (!e->residual)
				break;
			if (is_redundant(&s, in.at[j]))
				e->removed = true;
		}
	}
	return 0;
}
