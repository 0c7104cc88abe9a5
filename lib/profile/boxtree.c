/* SPDX-License-Identifier: MIT */
/*
 * Growing the boxes of a flame graph from the root.  A box is a list of places
 * in stacks; the places that follow are sorted by their entry, each large group
 * is a box and is grown in turn, the small ones are merged at once.  So what
 * would not be seen is never walked, which is most of a large profile.
 */
#include "profile/boxtree.h"

#include <errno.h>
#include <string.h>

#include "base/idsort.h"
#include "base/sort.h"
#include "profile/boxwalk.h"
#include "profile/order.h"
#include "profile/profile.h"

enum {
	DEEPEST = 2048, /* levels: a picture, not a scroll */
	SHALLOWEST = 64,
};

/* Places that follow a box with the same entry. */
struct group {
	double value[BOX_SIDES];
	node_id node;
	uint32_t count;
	uint32_t first; /* of its cursors */
	bool inlined;	/* all are */
};

/* A box to be grown, with its cursors at the end of the pool. */
struct pending {
	struct box box;
	uint32_t first_cursor;
};

struct grower {
	const struct boxtree_request *q;
	struct boxtree *t;
	struct arena *arena;   /* for the boxes */
	struct arena *scratch; /* for everything else */
	struct box_walk walk;
	double least;
	uint32_t deepest;
	uint32_t *slot; /* by node: index + 1 of its group; 0: none */
	VEC(struct group) groups;
	VEC(uint32_t) order; /* of groups that become boxes; then scratch */
	VEC(struct box_cursor) pool;
	VEC(struct pending) stack;
};

static uint32_t last_side(const struct grower *g)
{
	return g->q->sides - 1;
}

static node_id node_of(const struct grower *g, const struct box_cursor *c)
{
	return g->q->nodes->ids.at[c->entry];
}

static struct group *group_of(struct grower *g, node_id node)
{
	struct group *group;

	if (g->slot[node])
		return &g->groups.at[g->slot[node] - 1];
	group = VEC_PUSH(&g->groups, g->scratch);
	if (!group)
		return NULL;
	*group = (struct group){ .node = node, .inlined = true };
	g->slot[node] = g->groups.count;
	return group;
}

/* Sorts what follows the box into groups. */
static int make_groups(struct grower *g)
{
	g->groups.count = 0;
	for (uint32_t i = 0; i < g->walk.next.count; i++) {
		const struct box_cursor *c = &g->walk.next.at[i];
		struct group *group = group_of(g, node_of(g, c));

		if (!group)
			return -ENOMEM;
		group->count++;
		group->inlined &= box_cursor_inlined(&g->walk, c);
		for (uint32_t side = 0; side < g->q->sides; side++)
			group->value[side] += c->weight[side];
	}
	for (uint32_t i = 0; i < g->groups.count; i++)
		g->slot[g->groups.at[i].node] = 0;
	return 0;
}

static bool group_before(const void *context, uint32_t a, uint32_t b)
{
	const struct grower *g = context;
	const uint32_t *rank = g->q->rank;

	return rank[g->groups.at[a].node] < rank[g->groups.at[b].node];
}

/* Chooses the groups that become boxes; the others' sum becomes rest. */
static int choose_groups(struct grower *g, const struct box *above,
			 struct box *rest)
{
	uint32_t side = last_side(g);
	bool deep = above->depth + 1 >= g->deepest;

	*rest = (struct box){ .depth = above->depth + 1 };
	g->order.count = 0;
	if (!VEC_RESERVE(&g->order, g->scratch, 2 * (uint64_t)g->groups.count))
		return -ENOMEM;
	for (uint32_t i = 0; i < g->groups.count; i++) {
		struct group *group = &g->groups.at[i];

		if (group->value[side] >= g->least && !deep) {
			g->order.at[g->order.count++] = i;
			continue;
		}
		rest->merged++;
		for (uint32_t s = 0; s < g->q->sides; s++)
			rest->value[s] += group->value[s];
		group->count = 0;
	}
	g->t->cut |= deep && g->groups.count;
	g->t->merged |= rest->merged > 0;
	sort_ids(g->order.at, g->order.at + g->order.count, g->order.count,
		 group_before, g);
	return 0;
}

static struct pending *push(struct grower *g, const struct box *box)
{
	struct pending *p = VEC_PUSH(&g->stack, g->scratch);

	if (p)
		*p = (struct pending){ *box, g->pool.count };
	return p;
}

/* Makes room for the cursors of a group at the end of the pool. */
static int push_group(struct grower *g, struct group *group,
		      const struct box *box)
{
	if (!push(g, box) || !VEC_RESERVE(&g->pool, g->scratch, group->count))
		return -ENOMEM;
	group->first = g->pool.count;
	g->pool.count += group->count;
	g->slot[group->node] = (uint32_t)(group - g->groups.at) + 1;
	return 0;
}

/*
 * The boxes that follow go on the stack in the opposite order, since the last
 * is taken first.  rest, if it is large enough to be seen, is the rightmost.
 */
static int push_boxes(struct grower *g, const struct box *above, uint32_t index,
		      struct box *rest)
{
	uint32_t side = last_side(g);
	double right = above->start;

	for (uint32_t i = 0; i < g->order.count; i++)
		right += g->groups.at[g->order.at[i]].value[side];
	rest->parent = index;
	rest->start = right;
	rest->self[side] = rest->value[side];
	if (rest->merged && rest->value[side] >= g->least && !push(g, rest))
		return -ENOMEM;
	for (uint32_t i = g->order.count; i-- > 0;) {
		struct group *group = &g->groups.at[g->order.at[i]];
		struct box box = {
			.parent = index,
			.depth = above->depth + 1,
			.node = group->node,
			.inlined = group->inlined,
		};

		memcpy(box.value, group->value, sizeof(box.value));
		right -= box.value[side];
		box.start = right;
		if (push_group(g, group, &box) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Puts the cursors of chosen groups in their places. */
static void place_cursors(struct grower *g)
{
	for (uint32_t i = 0; i < g->walk.next.count; i++) {
		const struct box_cursor *c = &g->walk.next.at[i];
		uint32_t slot = g->slot[node_of(g, c)];

		if (slot)
			g->pool.at[g->groups.at[slot - 1].first++] = *c;
	}
	for (uint32_t i = 0; i < g->order.count; i++)
		g->slot[g->groups.at[g->order.at[i]].node] = 0;
}

/* What is in the box itself: its value less all that follows. */
static void find_self(struct grower *g, struct box *box)
{
	for (uint32_t side = 0; side < g->q->sides; side++) {
		double self = box->value[side];

		for (uint32_t i = 0; i < g->groups.count; i++)
			self -= g->groups.at[i].value[side];
		box->self[side] = self > 0 ? self : 0;
	}
}

/* What follows the cursors of the box that was taken off the stack. */
static int follow(struct grower *g, const struct pending *p)
{
	g->walk.next.count = 0;
	if (!p->box.node)
		return p->box.merged ? 0 : box_walk_step(&g->walk, NULL);
	for (uint32_t i = p->first_cursor; i < g->pool.count; i++)
		if (box_walk_step(&g->walk, &g->pool.at[i]) < 0)
			return -ENOMEM;
	return 0;
}

/* Takes a box off the stack and puts those that follow it there. */
static int grow_one(struct grower *g)
{
	struct pending p = g->stack.at[--g->stack.count];
	struct box *box = VEC_PUSH(&g->t->boxes, g->arena);
	struct box rest;

	if (!box || follow(g, &p) < 0 || make_groups(g) < 0)
		return -ENOMEM;
	g->pool.count = p.first_cursor;
	if (!p.box.merged)
		find_self(g, &p.box);
	*box = p.box;
	if (g->t->depth < box->depth)
		g->t->depth = box->depth;
	if (choose_groups(g, &p.box, &rest) < 0 ||
	    push_boxes(g, &p.box, g->t->boxes.count - 1, &rest) < 0)
		return -ENOMEM;
	place_cursors(g);
	return 0;
}

static int grow(struct grower *g)
{
	struct box root = { 0 };

	for (uint32_t side = 0; side < g->q->sides; side++)
		root.value[side] = g->walk.sum[side][0];
	g->t->boxes.count = 0;
	g->t->depth = 0;
	g->t->cut = false;
	g->t->merged = false;
	g->t->least = g->least;
	if (!push(g, &root))
		return -ENOMEM;
	while (g->stack.count)
		if (grow_one(g) < 0)
			return -ENOMEM;
	return 0;
}

static uint64_t cost_of(const struct grower *g, const struct box *box)
{
	return g->q->cost[box->node];
}

static uint64_t whole_cost(const struct grower *g)
{
	uint64_t cost = 0;

	for (uint32_t i = 0; i < g->t->boxes.count; i++)
		cost += cost_of(g, &g->t->boxes.at[i]);
	return cost;
}

/*
 * The value of the smallest box that fits the budget, largest first.  Doubles
 * that are not negative sort as the integers of their bits.  Negative: out of
 * memory.
 */
static double affordable(struct grower *g)
{
	const struct box *boxes = g->t->boxes.at;
	uint32_t count = g->t->boxes.count;
	struct sort_item *items = ARENA_ARRAY(g->scratch, struct sort_item,
					      2 * (size_t)count);
	uint64_t cost = 0;
	double least = 0;

	if (!items)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		double value = boxes[i].value[last_side(g)];

		memcpy(&items[i].key, &value, sizeof(value));
		items[i].id = i;
	}
	sort_items(items, items + count, count);
	while (count-- > 0 && cost < g->q->budget) {
		cost += cost_of(g, &boxes[items[count].id]);
		least = boxes[items[count].id].value[last_side(g)];
	}
	return least;
}

/*
 * Asks for less.  Many large boxes above each other can not be made fewer by
 * merging small ones: then it is the levels that are too many.
 */
static int ask_for_less(struct grower *g)
{
	const double large = 0.1 * g->t->boxes.at[0].value[last_side(g)];
	double least = affordable(g);

	if (least < 0)
		return -ENOMEM;
	if (least >= large && g->t->depth > SHALLOWEST)
		g->deepest = g->t->depth / 2;
	else
		g->least = least > 1.1 * g->least ? least : 1.1 * g->least;
	return 0;
}

static int grow_to_fit(struct grower *g)
{
	for (;;) {
		int r = grow(g);

		/* The root alone has to fit. */
		if (r < 0 || whole_cost(g) <= g->q->budget ||
		    g->t->boxes.count == 1)
			return r;
		r = ask_for_less(g);
		if (r < 0)
			return r;
	}
}

static int run(struct grower *g)
{
	int r = box_walk_init(&g->walk, g->q, g->scratch);

	if (r < 0)
		return r;
	g->slot = ARENA_ARRAY(g->scratch, uint32_t, g->q->nodes->info.count);
	if (!g->slot)
		return -ENOMEM;
	g->least = g->q->least_share * g->walk.sum[last_side(g)][0];
	/* Boxes that only the other side has are seen nowhere. */
	if (!(g->least > 0))
		g->least = 1e-9;
	return grow_to_fit(g);
}

int boxtree_make(struct boxtree *t, const struct boxtree_request *q,
		 struct arena *arena)
{
	struct arena scratch = { 0 };
	struct grower g = {
		.q = q,
		.t = t,
		.arena = arena,
		.scratch = &scratch,
		.deepest = DEEPEST,
	};
	int r;

	*t = (struct boxtree){ 0 };
	r = run(&g);
	arena_release(&scratch);
	return r;
}
