/* SPDX-License-Identifier: MIT */
/*
 * Call trees of made-up profiles in which everything recurs: few functions in
 * more locations, some of them inlined, stacks that share much, values that are
 * 0 or below.  Trees are compared as texts.
 */
#include <errno.h>
#include <string.h>

#include "base/sink.h"
#include "profile/graph_order.h"
#include "profile/order.h"
#include "profile/profile.h"
#include "profile/trim.h"
#include "random.h"
#include "test.h"

enum { FUNCTIONS = 7, LOCATIONS = 12, MOST_DEPTH = 9, MOST_SAMPLES = 60 };

/* What a made-up profile is like. */
struct kind {
	unsigned seed;
	unsigned samples;
	unsigned zeros;	    /* in a hundred */
	unsigned negatives; /* in a hundred */
	bool mean;
};

struct subject {
	struct arena arena;
	struct profile p;
	struct nodetab nodes;
	struct graph_request q;
	uint64_t random;
};

static unsigned draw(struct subject *s, unsigned below)
{
	return (unsigned)(random_next(&s->random) >> 20) % below;
}

static void add_functions(struct subject *s)
{
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		/* Two have the same name, in different files. */
		const char name[2] = { (char)('a' + i % (FUNCTIONS - 1)) };
		const char file[2] = { (char)('0' + i) };
		struct function f = { .id = i + 1 };

		f.name = strtab_add_text(s->p.strings, name);
		f.file = strtab_add_text(s->p.strings, file);
		CHECK(profile_add_function(&s->p, f));
	}
}

static void add_locations(struct subject *s)
{
	for (unsigned i = 0; i < LOCATIONS; i++) {
		const struct location l = { .id = i + 1, .address = 16 + i };
		struct line lines[3];
		unsigned count = draw(s, 4);

		for (unsigned k = 0; k < count; k++)
			lines[k] = (struct line){
				.function = 1 + draw(s, FUNCTIONS),
				.line = 1 + draw(s, 2),
			};
		CHECK(profile_add_location(&s->p, l, lines, count));
	}
}

static int64_t draw_value(struct subject *s, const struct kind *k)
{
	int64_t value = 1 + (int64_t)draw(s, 20);

	if (draw(s, 100) < k->zeros)
		return 0;
	return draw(s, 100) < k->negatives ? -value : value;
}

static void add_samples(struct subject *s, const struct kind *k)
{
	frame_id frames[MOST_DEPTH] = { 0 };

	for (unsigned i = 0; i < k->samples; i++) {
		unsigned depth = draw(s, MOST_DEPTH + 1);
		int64_t *values;

		/* It begins as the one before. */
		for (unsigned d = draw(s, MOST_DEPTH); d < MOST_DEPTH; d++)
			frames[d] = 1 + draw(s, LOCATIONS);
		for (unsigned d = 0; d < depth; d++)
			frames[d] = frames[d] ? frames[d] : 1;
		values = profile_add_sample(
			&s->p, stack_add(&s->p.stacks, 0, frames, depth), 0);
		values[0] = draw_value(s, k);
		values[1] = draw_value(s, k);
	}
}

static void describe(struct subject *s, const struct kind *k)
{
	const struct node_options by_line = { .function = true,
					      .line = k->seed % 3 == 0,
					      .inlines = true };

	CHECK_EQ(nodetab_make(&s->nodes, &s->p, &by_line, &s->arena), 0);
	s->q = (struct graph_request){
		.profile = &s->p,
		.nodes = &s->nodes,
		.order = stack_order_of(&s->p.stacks),
		.value = { .index = 1, .mean = k->mean },
	};
}

static struct subject *subject(const struct kind *k)
{
	static struct subject s;

	arena_release(&s.arena);
	s.random = RANDOM_START + 7919 * k->seed;
	CHECK_EQ(profile_init(&s.p, &s.arena), 0);
	CHECK(VEC_PUSH(&s.p.types, &s.arena));
	CHECK(VEC_PUSH(&s.p.types, &s.arena));
	add_functions(&s);
	add_locations(&s);
	add_samples(&s, k);
	describe(&s, k);
	return &s;
}

/* The edge that leads to a tree node, NULL: it is a root. */
static const struct graph_edge *edge_to(const struct graph *g, uint32_t node)
{
	for (uint32_t i = 0; i < g->edges.count; i++)
		if (g->edges.at[i].to == node)
			return &g->edges.at[i];
	return NULL;
}

/* One path of entries, and what a tree says of its last. */
struct path {
	node_id entries[3 * MOST_DEPTH];
	uint32_t depth;
	struct graph_node node;
	bool inlined;
};

struct paths {
	struct path at[3 * MOST_DEPTH * MOST_SAMPLES];
	uint32_t count;
};

static struct path *get_path(struct paths *x, const struct path *key)
{
	for (uint32_t i = 0; i < x->count; i++)
		if (x->at[i].depth == key->depth &&
		    !memcmp(x->at[i].entries, key->entries,
			    key->depth * sizeof(*key->entries)))
			return &x->at[i];
	x->at[x->count] = *key;
	x->at[x->count].inlined = true;
	return &x->at[x->count++];
}

/* Adds a sample to all paths that it is on. */
static void add_to_paths(struct paths *x, const struct subject *s, uint32_t i)
{
	const int64_t *v = profile_values(&s->p, i);
	struct weight w = { (uint64_t)v[1],
			    s->q.value.mean ? (uint64_t)v[0] : 0 };
	frame_id frames[MOST_DEPTH];
	uint32_t depth = stack_frames(&s->p.stacks, s->p.stack[i], frames,
				      MOST_DEPTH);
	struct path key = { .depth = 0 };
	struct path *path = NULL;

	if (!w.value && !w.div)
		return;
	while (depth-- > 0) {
		uint32_t first = s->nodes.first[frames[depth]];
		uint32_t last = s->nodes.first[frames[depth] + 1];

		for (uint32_t n = last; n-- > first;) {
			key.entries[key.depth++] = s->nodes.ids.at[n];
			path = get_path(x, &key);
			path->inlined &= n != last - 1;
			weight_add(&path->node.cum, &path->node.cum_div, w);
		}
	}
	if (path)
		weight_add(&path->node.flat, &path->node.flat_div, w);
}

static void get_entries(const struct graph *g, uint32_t node, struct path *key)
{
	uint32_t up[3 * MOST_DEPTH];
	uint32_t count = 0;

	while (node) {
		const struct graph_edge *e = edge_to(g, node);

		up[count++] = g->nodes.at[node].info;
		node = e ? e->from : 0;
	}
	for (key->depth = 0; count > 0;)
		key->entries[key->depth++] = up[--count];
}

static void check_tree_node(const struct graph *g, uint32_t node,
			    const struct path *path)
{
	const struct graph_node *n = &g->nodes.at[node];
	const struct graph_edge *e = edge_to(g, node);

	CHECK_EQ(n->cum, path->node.cum);
	CHECK_EQ(n->cum_div, path->node.cum_div);
	CHECK_EQ(n->flat, path->node.flat);
	CHECK_EQ(n->flat_div, path->node.flat_div);
	CHECK_EQ(!e, path->depth == 1);
	if (!e)
		return;
	CHECK(e->from < node);
	CHECK_EQ(e->weight, n->cum);
	CHECK_EQ(e->weight_div, n->cum_div);
	CHECK_EQ(e->inlined, path->inlined);
	CHECK(!e->residual);
	CHECK(!e->removed);
}

static const struct kind kinds[] = {
	{ .samples = 1 },
	{ .samples = 12 },
	{ .samples = 60 },
	{ .samples = 60, .zeros = 40 },
	{ .samples = 60, .mean = true },
	{ .samples = 60, .zeros = 40, .mean = true },
	{ .samples = 30, .zeros = 90, .mean = true },
	{ .samples = 60, .negatives = 20, .zeros = 10 },
	{ .samples = 30, .negatives = 50, .zeros = 20, .mean = true },
};

#define FOR_EACH_SUBJECT(s, kind, rounds) \
	for (unsigned n_ = 0; n_ < (rounds)*ARRAY_LEN(kinds); n_++) \
		for (struct kind kind = kinds[n_ % ARRAY_LEN(kinds)], \
				 *once_ = &kind; \
		     once_; once_ = NULL) \
			for (struct subject *s = \
				     (kind.seed = n_, subject(&kind)); \
			     s; s = NULL)

#define ARRAY_LEN(a) (sizeof(a) / sizeof(*(a)))

TEST(a_tree_is_what_samples_add_up_to_path_by_path)
{
	static struct paths paths;

	FOR_EACH_SUBJECT(s, kind, 25)
	{
		struct calltree t;
		const struct graph *g = &t.graph;

		paths.count = 0;
		for (uint32_t i = 0; i < s->p.sample_count; i++)
			add_to_paths(&paths, s, i);
		CHECK_EQ(calltree_make(&t, &s->q, 0, &s->arena), 0);
		CHECK_EQ(g->nodes.count, paths.count + 1);
		for (uint32_t i = 1; i < g->nodes.count; i++) {
			struct path key;

			get_entries(g, i, &key);
			check_tree_node(g, i, get_path(&paths, &key));
		}
		CHECK_EQ(g->nodes.count, paths.count + 1);
	}
}

/* Where a node is in the list of those shown, from 1; 0: it is not. */
static uint32_t place_of(const struct trimmed *t, uint32_t node)
{
	for (uint32_t i = 0; i < t->shown_count; i++)
		if (t->shown[i] == node)
			return i + 1;
	return 0;
}

static void put_edges(struct sink *out, const struct trimmed *t,
		      struct edge_list list)
{
	for (uint32_t i = 0; i < list.count; i++) {
		const struct graph_edge *e = &t->graph.edges.at[list.at[i]];

		if (e->removed)
			continue;
		sink_format(out, " %u->%u %lld/%lld%s%s", place_of(t, e->from),
			    place_of(t, e->to), (long long)e->weight,
			    (long long)e->weight_div, e->residual ? "~" : "",
			    e->inlined ? "i" : "");
	}
}

/* The shown nodes that a stack's samples count for, the last first, and whether
 * that is what it ends in. */
static void put_end(struct sink *out, const struct trimmed *t, stack_id stack)
{
	uint32_t node = t->ends[stack];
	bool inside = place_of(t, node);

	while (node) {
		const struct graph_edge *e = edge_to(&t->graph, node);

		if (place_of(t, node))
			sink_format(out, "%s %u", inside ? "in" : "below",
				    place_of(t, node));
		node = e ? e->from : 0;
	}
	sink_char(out, '\n');
}

static bool counts(const struct subject *s, uint32_t sample)
{
	const int64_t *v = profile_values(&s->p, sample);

	return v[1] || (s->q.value.mean && v[0]);
}

static struct span trimmed_text(const struct subject *s, struct trimmed *t,
				struct arena *arena)
{
	struct sink out = sink_to_memory(arena);

	sink_format(&out, "%u nodes, %u before; dropped %u, %u; cutoff %lld\n",
		    t->shown_count, t->original_count, t->dropped_nodes,
		    t->dropped_edges, (long long)t->tag_cutoff);
	for (uint32_t i = 0; i < t->shown_count; i++) {
		uint32_t id = t->shown[i];
		const struct graph_node *n = &t->graph.nodes.at[id];

		sink_span(&out, trimmed_name(t, id));
		sink_format(&out, " %u %lld/%lld %lld/%lld:", n->info,
			    (long long)n->flat, (long long)n->flat_div,
			    (long long)n->cum, (long long)n->cum_div);
		put_edges(&out, t, edges_out(t, id));
		sink_text(&out, ";");
		put_edges(&out, t, edges_in(t, id));
		sink_char(&out, '\n');
	}
	for (uint32_t i = 0; i < s->p.sample_count; i++)
		if (counts(s, i))
			put_end(&out, t, s->p.stack[i]);
	return sink_bytes(&out);
}

/*
 * Two more samples where there is one already, which take each other away.  One
 * is negative, and then nothing can be left out before all is added up.
 */
static bool add_nothing(struct subject *s)
{
	for (uint32_t i = 0; i < s->p.sample_count; i++) {
		stack_id stack = s->p.stack[i];

		if (!stack || !profile_values(&s->p, i)[1])
			continue;
		profile_add_sample(&s->p, stack, 0)[1] = 5;
		profile_add_sample(&s->p, stack, 0)[1] = -5;
		s->p.sample_count -= 2;
		return true;
	}
	return false;
}

static struct trim_options draw_options(struct subject *s)
{
	static const double fractions[] = { 0, 0.005, 0.03, 0.1, 0.4, 1.5 };
	static const uint32_t counts[] = { 0, 2, 9, 80 };

	return (struct trim_options){
		.node_fraction = fractions[draw(s, ARRAY_LEN(fractions))],
		.edge_fraction = fractions[draw(s, ARRAY_LEN(fractions))],
		.node_count = counts[draw(s, ARRAY_LEN(counts))],
		.by_cum = draw(s, 2),
		.visual = draw(s, 3) ? graph_score_entropy : NULL,
		.tree = true,
		.drop_negative = draw(s, 2),
		.edges = true,
	};
}

/* With and without the samples behind the last; returns how many nodes there
 * were to trim. */
static uint32_t trim_as_text(struct subject *s, const struct trim_options *o,
			     uint32_t more, struct span *ret_text)
{
	struct trimmed t;
	int r;

	s->p.sample_count += more;
	r = trim(&t, &s->q, o, &s->arena);
	s->p.sample_count -= more;
	CHECK_EQ(r, 0);
	*ret_text = trimmed_text(s, &t, &s->arena);
	return t.graph.nodes.count;
}

TEST(what_is_left_out_from_the_start_is_what_would_be_cut_away)
{
	uint32_t smaller = 0;

	FOR_EACH_SUBJECT(s, kind, 40)
	{
		if (!add_nothing(s))
			continue;
		for (int i = 0; i < 8; i++) {
			struct trim_options o = draw_options(s);
			struct span quick, whole;
			uint32_t nodes = trim_as_text(s, &o, 0, &quick);

			smaller += nodes < trim_as_text(s, &o, 2, &whole);
			CHECK_BYTES(quick.at, quick.len, whole.at, whole.len);
		}
	}
	CHECK(smaller > 600);
}

static int compare_texts(struct span a, struct span b)
{
	int order = memcmp(a.at, b.at, a.len < b.len ? a.len : b.len);

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

/* In which order two nodes of a list are shown: here each entry has its own
 * name. */
static bool is_before(const struct trimmed *t, uint32_t a, uint32_t b)
{
	const struct graph_node *x = &t->graph.nodes.at[a];
	const struct graph_node *y = &t->graph.nodes.at[b];
	int order = compare_texts(trimmed_name(t, a), trimmed_name(t, b));

	if (magnitude(x->flat) != magnitude(y->flat))
		return magnitude(x->flat) > magnitude(y->flat);
	if (order)
		return order < 0;
	if (magnitude(x->cum) != magnitude(y->cum))
		return magnitude(x->cum) > magnitude(y->cum);
	return a < b;
}

TEST(nodes_of_equal_value_are_in_the_order_of_their_names)
{
	const struct trim_options o = { .tree = true, .edges = true };
	/* With many samples too many are equal to compare them all. */
	struct kind kind = { .samples = 800 };

	for (; kind.seed < 20; kind.seed++, kind.negatives += 3) {
		struct subject *s = subject(&kind);
		uint32_t passed_on = 0;
		struct trimmed t;

		CHECK_EQ(trim(&t, &s->q, &o, &s->arena), 0);
		for (uint32_t i = 0; i < t.shown_count; i++)
			passed_on += !t.graph.nodes.at[t.shown[i]].flat;
		CHECK(passed_on > 500);
		for (uint32_t i = 1; i < t.shown_count; i++)
			CHECK(is_before(&t, t.shown[i - 1], t.shown[i]));
	}
}

TEST(ranks_of_names_are_in_the_order_of_names)
{
	const struct trim_options o = { .tree = true, .edges = true };

	FOR_EACH_SUBJECT(s, kind, 10)
	{
		uint32_t with[4000], without[4000];
		struct trimmed t;

		CHECK_EQ(trim(&t, &s->q, &o, &s->arena), 0);
		CHECK(t.graph.edges.count < ARRAY_LEN(with));
		for (uint32_t i = 0; i < t.graph.edges.count; i++)
			with[i] = without[i] = i;
		CHECK_EQ(graph_rank_names(&t, &s->arena), 0);
		CHECK_EQ(graph_sort_edges(&t, with, t.graph.edges.count,
					  &s->arena),
			 0);
		t.ranks = NULL;
		CHECK_EQ(graph_sort_edges(&t, without, t.graph.edges.count,
					  &s->arena),
			 0);
		CHECK_BYTES(with, t.graph.edges.count * sizeof(*with), without,
			    t.graph.edges.count * sizeof(*without));
	}
}

TEST(a_tree_out_of_memory_says_so)
{
	struct subject *s = subject(&(struct kind){ .samples = 60 });
	const struct trim_options o = { .node_fraction = 0.1,
					.tree = true,
					.edges = true };
	struct arena small = { .limit = 4096 };
	struct trimmed t;

	CHECK_EQ(trim(&t, &s->q, &o, &small), -ENOMEM);
	arena_release(&small);
}
