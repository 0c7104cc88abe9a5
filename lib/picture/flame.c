/* SPDX-License-Identifier: MIT */
/* From a profile to the boxes of a flame graph: see flame.h. */
#include "picture/flame.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/idsort.h"
#include "base/markup.h"
#include "base/sink.h"
#include "format/folded.h"
#include "picture/flame_picture.h"
#include "profile/code.h"
#include "profile/order.h"

/* What is being made, and the tables that its boxes refer to. */
struct maker {
	const struct flame_subject *subject;
	const struct flame_options *options;
	struct arena *arena;
	struct nodetab nodes;
	struct span *name; /* by node */
	enum flame_kind *kind;
	uint32_t *rank;
	uint32_t *cost;
};

void flame_put_name(struct sink *out, struct span name)
{
	sink_markup(out, name, FLAME_NAME_MAX);
}

static bool name_before(const void *context, uint32_t a, uint32_t b)
{
	const struct maker *m = context;
	struct span x = m->name[a], y = m->name[b];
	size_t len = x.len < y.len ? x.len : y.len;
	int order = len ? memcmp(x.at, y.at, len) : 0;

	return order ? order < 0 : x.len < y.len;
}

/* Names, what a box with each costs, and their order. */
static int prepare_names(struct maker *m)
{
	struct arena *arena = m->arena;
	uint32_t count = m->nodes.info.count;
	uint32_t *ids = ARENA_ARRAY(arena, uint32_t, 2 * (size_t)count);
	struct sink text = sink_to_memory(arena);

	m->name = ARENA_ARRAY(arena, struct span, count);
	m->rank = ARENA_ARRAY(arena, uint32_t, count);
	m->cost = ARENA_ARRAY(arena, uint32_t, count);
	if (!ids || !m->name || !m->rank || !m->cost)
		return -ENOMEM;
	m->cost[0] = FLAME_BOX_BYTES;
	for (uint32_t i = 1; i < count; i++) {
		m->name[i] = node_name(&m->nodes.info.at[i],
				       m->subject->profile->strings, arena);
		text.used = 0;
		flame_put_name(&text, m->name[i]);
		m->cost[i] = FLAME_BOX_BYTES + (uint32_t)text.used;
		ids[i] = i;
	}
	sort_ids(ids + 1, ids + count, count - 1, name_before, m);
	for (uint32_t i = 1; i < count; i++)
		m->rank[ids[i]] = i;
	return arena->failed ? -ENOMEM : 0;
}

/* Where a function is found in several places, the last one's kind is its. */
static int prepare_kinds(struct maker *m)
{
	static const enum flame_kind kinds[] = {
		[CODE_PROGRAM] = FLAME_PROGRAM,
		[CODE_LIBRARY] = FLAME_LIBRARY,
		[CODE_KERNEL] = FLAME_KERNEL,
		[CODE_JIT] = FLAME_JIT,
	};
	const struct profile *p = m->subject->profile;

	m->kind = ARENA_ARRAY(m->arena, enum flame_kind, m->nodes.info.count);
	if (!m->kind)
		return -ENOMEM;
	for (uint32_t l = 1; l < p->locations.count; l++) {
		enum code_kind code = mapping_code(p,
						   p->locations.at[l].mapping);

		for (uint32_t i = m->nodes.first[l]; i < m->nodes.first[l + 1];
		     i++) {
			node_id node = m->nodes.ids.at[i];

			m->kind[node] = m->nodes.info.at[node].name
						? kinds[code]
						: FLAME_UNNAMED;
		}
	}
	return 0;
}

static int prepare(struct maker *m)
{
	int r = nodetab_make(&m->nodes, m->subject->profile, &m->subject->nodes,
			     m->arena);

	if (r == 0)
		r = prepare_names(m);
	if (r == 0)
		r = prepare_kinds(m);
	return r;
}

static int grow(struct maker *m, struct boxtree *tree)
{
	const struct flame_options *o = m->options;
	unsigned width = o->width ? o->width : FLAME_WIDTH;
	struct boxtree_request q = {
		.profile = m->subject->profile,
		.nodes = &m->nodes,
		.order = stack_order_of(&m->subject->profile->stacks),
		.type = { m->subject->type },
		.sides = 1,
		.reverse = o->reverse,
		.rank = m->rank,
		.cost = m->cost,
		.budget = FLAME_BUDGET,
		.least_share = o->min_width / width,
	};

	if (o->compare) {
		q.sides = 2;
		q.type[0] = 0;
		q.type[1] = 1;
	}
	return q.order ? boxtree_make(tree, &q, m->arena) : -ENOMEM;
}

static int draw(struct maker *m, struct sink *out, struct error *err)
{
	struct flame_picture f = { .options = m->options,
				   .subject = m->subject,
				   .arena = m->arena };
	int r = prepare(m);

	if (r == 0)
		r = grow(m, &f.tree);
	if (r)
		return error_set(err, r, "out of memory");
	f.name = m->name;
	f.kind = m->kind;
	if (!(f.tree.boxes.at[0].value[m->options->compare] > 0))
		return error_set(
			err, -ENODATA,
			"there is nothing to draw: no value of '%s' is above 0",
			m->subject->type_name);
	flame_picture_write(&f, out);
	return 0;
}

int flame_draw(const struct flame_subject *subject,
	       const struct flame_options *options, struct sink *out,
	       struct arena *arena, struct error *err)
{
	struct maker m = { .subject = subject,
			   .options = options,
			   .arena = arena };

	if (options->form != FLAME_FOLDED)
		return draw(&m, out, err);
	if (options->compare)
		return folded_write(subject->profile, NULL, out, err);
	return folded_write_type(subject->profile, subject->type, out, err);
}
