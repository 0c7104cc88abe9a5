/* SPDX-License-Identifier: MIT */
/*
 * Who calls whom, by the same walk as in graph_nodes.c, kept by edge instead of
 * by node.  Who wants all edges and the nodes gets them by one walk
 * (edgewhole.h).
 *
 * Often few edges are wanted: those between the nodes that are shown, or of the
 * nodes that a person asks for.  Then one bit a location tells which frames can
 * matter, and the walk passes over the others without looking at what they are.
 *
 * Parts of the walk make edges of their own, which are then added up.
 */
#include <errno.h>
#include <string.h>

#include "base/workers.h"
#include "profile/edgelist.h"
#include "profile/edgepart.h"
#include "profile/edgewhole.h"
#include "profile/trail.h"

enum { AT_ONCE = 256 };

struct part {
	struct edgepart common;
	int result;
	struct edgewhole *whole; /* if nothing is left out; else NULL */
	const uint64_t *matters; /* a bit a location; NULL: all do */

	/* To be added to edges. */
	struct edge_visit *queue; /* AT_ONCE */
	uint32_t waiting;
	WORKERS_APART;
};

struct parts {
	struct graph_walk walk;
	uint64_t *matters; /* as in each part */
	bool with_nodes;
	struct part at[WORKERS_MAX];
};

/* Returns 0, -ENOMEM, or -E2BIG. */
static int settle(struct part *p)
{
	uint32_t count = p->waiting;

	p->waiting = 0;
	if (!edgetab_add(&p->common.edges, p->queue, count))
		return -ENOMEM;
	return edgepart_has_too_many(&p->common) ? -E2BIG : 0;
}

static inline int add_to_edge(struct part *p, uint64_t edge)
{
	struct edgetab *t = &p->common.edges;

	edgetab_ask_ahead(t, edgetab_first(t, edge));
	p->queue[p->waiting++] = (struct edge_visit){ edge, p->common.sum };
	return p->waiting < AT_ONCE ? 0 : settle(p);
}

static bool is_wanted(const struct graph_request *q, node_id from, node_id to)
{
	if (q->edge_targets && !q->edge_targets[to])
		return false;
	return !q->edge_ends || q->edge_ends[to] || q->edge_ends[from];
}

static bool wants_edge(const struct part *p, node_id to)
{
	node_id from = p->common.at.node;

	return from && from != to && is_wanted(p->common.walk->q, from, to);
}

static int visit(struct part *p, node_id node, bool inlined)
{
	struct edge_place *at = &p->common.at;
	uint64_t flags = inlined ? 0 : EDGE_REAL;
	enum meeting met = MET_BEFORE;
	int r = 0;

	if (!node) {
		at->residual = true;
		return 0;
	}
	if (at->residual)
		flags |= EDGE_RESIDUAL;
	if (wants_edge(p, node))
		met = edgepart_meet(&p->common, at->node, node);
	if (met == MET_NO_MEMORY)
		return -ENOMEM;
	if (met != MET_BEFORE)
		r = add_to_edge(p, edge_word(at->node, node) | flags);
	*at = (struct edge_place){ .node = node };
	return r;
}

static int visit_location(struct part *p, struct visit location)
{
	const uint32_t *list;
	int r = visit(p, location.outer, false);

	if (r < 0 || !location.inner)
		return r;
	if (!(location.inner & VISIT_LIST))
		return visit(p, location.inner, true);
	list = visit_list(&p->common.walk->visits, location.inner);
	for (uint32_t i = 1; i <= list[0] && r == 0; i++)
		r = visit(p, list[i], true);
	return r;
}

static bool frame_matters(const struct part *p, frame_id frame)
{
	return !p->matters || p->matters[frame / 64] >> (frame % 64) & 1;
}

/* Passes over frames, of which it is enough to know where the last one leads:
 * no edge between them is wanted. */
static void pass_over(struct part *p, frame_id last)
{
	const struct graph_walk *walk = p->common.walk;

	if (walk->q->kept)
		p->common.at.residual = true;
	else
		p->common.at = (struct edge_place){
			.node = visit_innermost(&walk->visits, last),
		};
}

/* A frame matters to the one that it calls, too. */
static int visit_some(struct part *p, const frame_id *frames, uint32_t count)
{
	const struct visit *visits = p->common.walk->visits.at;
	bool called_by = true;
	int r = 0;

	for (uint32_t i = 0; i < count && r == 0; i++) {
		bool matters = frame_matters(p, frames[i]);

		if (!matters && !called_by)
			continue;
		if (!called_by)
			pass_over(p, frames[i - 1]);
		r = visit_location(p, visits[frames[i]]);
		called_by = matters;
	}
	if (!called_by)
		pass_over(p, frames[count - 1]);
	return r;
}

static int enter_some(void *part, uint32_t position, uint32_t mark,
		      struct weight sum)
{
	struct part *p = part;
	const struct graph_walk *walk = p->common.walk;
	uint32_t length = walk->q->order->step[position].length;
	int r;

	edgepart_begin_run(&p->common, position, mark, sum);
	r = visit_some(p, graph_walk_frames(walk, position), length);
	return r < 0 ? r : edgepart_end_run(&p->common, position);
}

static int enter_all(void *part, uint32_t position, uint32_t mark,
		     struct weight sum)
{
	struct part *p = part;

	return edgewhole_enter(p->whole, position, mark, sum);
}

/* Whether location l has a node from which or to which edges may be wanted. */
static bool may_matter(const struct graph_request *q, location_id l)
{
	const bool *wanted = q->kept ? q->kept : q->edge_ends;

	for (uint32_t i = q->nodes->first[l]; i < q->nodes->first[l + 1]; i++)
		if (wanted[q->nodes->ids.at[i]])
			return true;
	return false;
}

static int find_what_matters(struct parts *all, struct arena *arena)
{
	const struct graph_request *q = all->walk.q;
	uint32_t locations = q->profile->locations.count;

	all->matters = NULL;
	if (!q->kept && !q->edge_ends)
		return 0;
	all->matters = ARENA_ARRAY(arena, uint64_t, locations / 64 + 1);
	if (!all->matters)
		return -ENOMEM;
	for (location_id l = 1; l < locations; l++)
		if (may_matter(q, l))
			all->matters[l / 64] |= (uint64_t)1 << (l % 64);
	return 0;
}

/* Whether all edges are wanted, none of which is residual then. */
static bool wants_all(const struct graph_request *q)
{
	return !q->kept && !q->edge_ends && !q->edge_targets;
}

static uint64_t count_set(const bool *set, uint32_t count)
{
	uint64_t members = 0;

	for (uint32_t i = 0; set && i < count; i++)
		members += set[i];
	return members;
}

/* Of the calls that nodes which are kept can make, a part is made. */
static uint32_t expected_edges(const struct graph_request *q)
{
	enum { OF = 4 };
	uint32_t all = graph_expected_edges(q);
	uint64_t kept = count_set(q->kept, q->nodes->info.count);

	if (wants_all(q) || kept * kept / OF > all)
		return all;
	return (uint32_t)(kept * kept / OF);
}

static int prepare(struct part *p, const struct parts *all)
{
	const struct graph_request *q = all->walk.q;
	uint32_t edges = expected_edges(q);
	int r = edgepart_init(&p->common, &all->walk, all->with_nodes, edges);

	if (r < 0)
		return r;
	p->matters = all->matters;
	if (wants_all(q))
		p->whole = edgewhole_new(&p->common);
	else
		p->queue = ARENA_ARRAY(&p->common.scratch, struct edge_visit,
				       AT_ONCE);
	return p->whole || p->queue ? 0 : -ENOMEM;
}

static void run_part(void *context, unsigned number)
{
	struct parts *all = context;
	struct part *p = &all->at[number];

	*p = (struct part){ .result = 0 };
	p->result = prepare(p, all);
	if (p->result == 0)
		p->result = graph_walk_part(&all->walk, number,
					    p->whole ? enter_all : enter_some,
					    p, &p->common.scratch);
	if (p->result == 0)
		p->result = p->whole ? edgewhole_finish(p->whole) : settle(p);
}

/* After the edges. */
static int give_nodes(struct parts *all, struct graph *g, struct arena *arena)
{
	int r = graph_init_nodes(g, all->walk.q->nodes->info.count, arena);

	if (r < 0)
		return r;
	for (unsigned i = 0; i < all->walk.parts; i++)
		graph_add_sums(g, &all->at[i].common.flat,
			       &all->at[i].common.beside);
	graph_add_calls(g);
	return 0;
}

static int give(struct parts *all, struct graph *g, struct arena *arena)
{
	const struct edgetab *tables[WORKERS_MAX];
	const struct edgelist_request list = {
		.tables = tables,
		.table_count = all->walk.parts,
		.nodes = all->walk.q->nodes->info.count,
		.workers = all->walk.q->workers,
		.pacer = all->walk.q->pacer,
	};
	int r = 0;

	for (unsigned i = 0; i < all->walk.parts && r == 0; i++) {
		tables[i] = &all->at[i].common.edges;
		r = all->at[i].result;
	}
	if (r == 0 && !graph_may_go_on(all->walk.q, 0))
		r = -ECANCELED;
	if (r == 0)
		r = edgelist_make(g, &list, arena);
	if (r == 0 && all->with_nodes)
		r = give_nodes(all, g, arena);
	return r;
}

static int walk(struct graph *g, const struct graph_request *q, bool with_nodes,
		struct arena *arena)
{
	struct arena scratch = { 0 };
	struct parts all = { .with_nodes = with_nodes };
	int r = graph_walk_init_weighed(&all.walk, q, &scratch);

	if (r == 0)
		r = find_what_matters(&all, &scratch);
	if (r == 0) {
		workers_run(q->workers, run_part, &all);
		r = give(&all, g, arena);
		for (unsigned i = 0; i < all.walk.parts; i++)
			arena_release(&all.at[i].common.scratch);
	}
	arena_release(&scratch);
	return r;
}

/* Makes those edges of another graph g's that are wanted; it may be g. */
static void choose_edges(struct graph *g, const struct graph_request *q,
			 const struct graph *from)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < from->edges.count; i++) {
		const struct graph_edge *e = &from->edges.at[i];

		if (is_wanted(q, e->from, e->to))
			g->edges.at[count++] = *e;
	}
	g->edges.count = count;
}

static int copy_edges(struct graph *g, const struct graph_request *q,
		      struct arena *arena)
{
	g->edges.count = 0;
	if (!VEC_RESERVE(&g->edges, arena, q->known->edges.count))
		return -ENOMEM;
	choose_edges(g, q, q->known);
	return 0;
}

/* Whether so many edges are wanted that it is less work to make all. */
static bool wants_most(const struct graph_request *q)
{
	enum { OF = 4 };
	const bool *wanted = q->edge_targets ? q->edge_targets : q->edge_ends;
	uint32_t count = 0;

	for (node_id n = 1; wanted && n < q->nodes->info.count; n++)
		count += wanted[n];
	return count > q->nodes->info.count / OF;
}

static int make_most(struct graph *g, const struct graph_request *q,
		     struct arena *arena)
{
	struct graph_request all = *q;
	int r;

	all.edge_ends = NULL;
	all.edge_targets = NULL;
	r = walk(g, &all, false, arena);
	if (r == 0)
		choose_edges(g, q, g);
	return r;
}

static bool knows_edges(const struct graph_request *q)
{
	return q->known && q->known->edges.count;
}

int graph_add_edges(struct graph *g, const struct graph_request *q,
		    struct arena *arena)
{
	if (!q->kept && knows_edges(q))
		return copy_edges(g, q, arena);
	if (!q->kept && wants_most(q))
		return make_most(g, q, arena);
	return walk(g, q, false, arena);
}

int graph_make(struct graph *g, const struct graph_request *q,
	       struct arena *arena)
{
	int r;

	*g = (struct graph){ 0 };
	if (wants_all(q) && q->trail && !knows_edges(q))
		return trail_graph(g, q->trail, q, arena);
	if (wants_all(q) && !q->known)
		return walk(g, q, true, arena);
	r = graph_add_nodes(g, q, arena);
	return r < 0 ? r : graph_add_edges(g, q, arena);
}
