/* SPDX-License-Identifier: MIT */
/* What the source reports have in common: see listing.h. */
#include "report/listing.h"

#include <errno.h>

#include "base/error.h"
#include "base/idsort.h"
#include "base/sort.h"
#include "report/objsym.h"
#include "report/report.h"

enum { MARGIN = 5 }; /* lines around those with samples */

/*
 * What every node takes.  trim() would give the same, but put all of them in an
 * order by value that nobody is going to see.
 */
static int add_up(struct listing *l, struct error *err)
{
	const struct graph_wish wish = { .objects = true };
	struct trimmed *t = &l->g.trimmed;
	int r = graph_view_prepare(&l->g, l->c, &wish, err);

	if (r < 0)
		return r;
	t->request = &l->g.request;
	r = graph_add_nodes(&t->graph, t->request, l->c->arena);
	return r < 0 ? error_set(err, r, "out of memory") : 0;
}

static bool function_matches(struct matcher *m, const struct function *f)
{
	return matcher_match(m, f->name) || matcher_match(m, f->system_name) ||
	       matcher_match(m, f->file);
}

/* Of functions that are chosen by any of their texts, all namesakes are. */
static void want_functions(const struct listing *l, bool *wanted)
{
	const struct profile *p = &l->c->profile;
	uint64_t address;

	for (uint32_t i = 1; i < p->functions.count; i++)
		if (function_matches(&l->c->argument, &p->functions.at[i]))
			wanted[p->functions.at[i].name] = true;
	if (!address_parse(l->c->request->argument, &address))
		return;
	for (uint32_t i = 1; i < p->locations.count; i++) {
		const struct location *at = &p->locations.at[i];
		const struct line *lines = location_lines(p, at);

		if (at->address == address && at->line_count)
			wanted[p->functions
				       .at[lines[at->line_count - 1].function]
				       .name] = true;
	}
}

static bool is_wanted(const struct listing *l, const bool *wanted, str_id name)
{
	return wanted ? wanted[name] : matcher_match(&l->c->argument, name);
}

static int choose_nodes(struct listing *l)
{
	const struct trimmed *t = &l->g.trimmed;
	uint32_t count = t->graph.nodes.count;
	bool *wanted = NULL; /* by the str_id of a name */

	l->nodes = ARENA_ARRAY(l->c->arena, uint32_t, (size_t)count + 1);
	if (l->any_text)
		wanted = ARENA_ARRAY(l->c->arena, bool,
				     l->c->profile.strings->strings.count);
	if (!l->nodes || (l->any_text && !wanted))
		return -ENOMEM;
	if (wanted)
		want_functions(l, wanted);
	for (uint32_t i = 1; i < count; i++)
		if (node_is_shown(&t->graph.nodes.at[i],
				  l->c->view.drop_negative) &&
		    is_wanted(l, wanted, trimmed_info(t, i)->name))
			l->nodes[l->count++] = i;
	return 0;
}

/*
 * The texts of the nodes, numbered in the order of bytes: there are far fewer
 * than nodes, and numbers are sorted in no time.
 */
struct ranking {
	const struct strtab *strings;
	uint32_t *rank; /* by str_id; 0: not met, or "" */
	str_id *met;
	uint32_t count;
};

static void meet(struct ranking *k, str_id id)
{
	if (!id || k->rank[id])
		return;
	k->rank[id] = 1;
	k->met[k->count++] = id;
}

static bool text_before(const void *context, uint32_t a, uint32_t b)
{
	return str_compare(context, a, b) < 0;
}

static int rank_texts(struct ranking *k, const struct listing *l)
{
	uint32_t strings = k->strings->strings.count;

	k->rank = ARENA_ARRAY(l->c->arena, uint32_t, strings);
	k->met = ARENA_ARRAY(l->c->arena, str_id, 2 * (size_t)strings);
	if (!k->rank || !k->met)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->count; i++) {
		const struct node_info *n = trimmed_info(&l->g.trimmed,
							 l->nodes[i]);

		meet(k, n->name);
		meet(k, n->file);
	}
	sort_ids(k->met, k->met + strings, k->count, text_before, k->strings);
	for (uint32_t i = 0; i < k->count; i++)
		k->rank[k->met[i]] = i + 1;
	return 0;
}

/* By function, file and line. */
static int sort_nodes(struct listing *l)
{
	struct ranking k = { .strings = l->c->profile.strings };
	struct sort_item *items = ARENA_ARRAY(l->c->arena, struct sort_item,
					      2 * (size_t)l->count);
	const struct trimmed *t = &l->g.trimmed;

	if (!items || rank_texts(&k, l) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->count; i++)
		items[i] = (struct sort_item){
			.key = (uint64_t)trimmed_info(t, l->nodes[i])->line ^
			       1ull << 63, /* the least first, below 0 or not */
			.id = l->nodes[i],
		};
	sort_items(items, items + l->count, l->count);
	for (uint32_t i = 0; i < l->count; i++) {
		const struct node_info *n = trimmed_info(t, items[i].id);

		items[i].key = (uint64_t)k.rank[n->name] << 32 |
			       k.rank[n->file];
	}
	sort_items(items, items + l->count, l->count);
	for (uint32_t i = 0; i < l->count; i++)
		l->nodes[i] = items[i].id;
	return 0;
}

int listing_find(struct listing *l, struct error *err)
{
	int r = add_up(l, err);

	if (r < 0)
		return r;
	if (choose_nodes(l) < 0)
		return error_set(err, -ENOMEM, "out of memory");
	if (!l->count)
		return error_set(err, -ENOENT,
				 "no matches found for regexp: %s",
				 l->c->request->argument);
	if (sort_nodes(l) < 0)
		return error_set(err, -ENOMEM, "out of memory");
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
