/* SPDX-License-Identifier: MIT */
/*
 * The stack tree is a radix tree: see stack.h.  A plain tree with a node a
 * frame would need sixteen bytes for each frame of a stack's unshared end,
 * which in large profiles is most of all frames.
 */
#include "profile/stack.h"

#include "base/check.h"
#include "base/hash.h"
#include "base/pages.h"
#include "profile/order.h"
#include "profile/stackpaths.h"

enum {
	FIRST_EDGES = 64,
	MOST_EXPECTED = 1 << 22, /* edges: what a file says may be a lie */
};

void stacktab_init(struct stacktab *t, struct arena *arena)
{
	*t = (struct stacktab){ .arena = arena };
	/* Both columns start at 1; a failure shows in arena->failed. */
	t->key[0] = hash_key(VEC_PUSH(&t->nodes, arena));
	t->key[1] = hash_key(VEC_PUSH(&t->frames, arena));
	t->order = ARENA_NEW(arena, struct stack_order);
	t->paths = ARENA_NEW(arena, struct stackpaths);
}

static size_t edge_slots(const struct stacktab *t)
{
	return t->edges ? (size_t)t->edge_mask + 1 : 0;
}

void stacktab_init_in_order(struct stacktab *t, const struct stacktab *lender,
			    struct arena *arena)
{
	*t = (struct stacktab){ .arena = arena, .in_order = true };
	if (lender) {
		t->borrowing = true;
		t->frames.at = lender->frames.at;
		t->frames.count = lender->frames.count;
	}
	t->order = ARENA_NEW(arena, struct stack_order);
	t->paths = ARENA_NEW(arena, struct stackpaths);
	(void)VEC_PUSH(&t->nodes, arena); /* a failure shows in the arena */
}

void stacktab_release_tree(struct stacktab *t)
{
	if (t->order)
		stack_order_release(t->order, t->arena);
	if (t->paths)
		stackpaths_release(t->paths, t->arena);
	arena_free(t->arena, t->nodes.at,
		   t->nodes.capacity * sizeof(*t->nodes.at));
	arena_free(t->arena, t->edges, edge_slots(t) * sizeof(*t->edges));
	*t = (struct stacktab){ .arena = t->arena };
}

void stacktab_release(struct stacktab *t)
{
	if (!t->borrowing)
		arena_free(t->arena, t->frames.at,
			   t->frames.capacity * sizeof(*t->frames.at));
	stacktab_release_tree(t);
}

/*
 * Two multiplications side by side, the topmost bits used: when the table
 * doubles, entries that were neighbours stay so, and it is filled in order.
 */
static uint32_t first_slot(const struct stacktab *t, stack_id parent,
			   frame_id frame)
{
	uint64_t h = parent * t->key[0] + frame * t->key[1];

	return (uint32_t)(h >> t->edge_shift);
}

/* The edge from parent with frame, or the empty slot where it belongs. */
static struct stack_edge *find_edge(const struct stacktab *t, stack_id parent,
				    frame_id frame)
{
	uint32_t i = first_slot(t, parent, frame);

	while (t->edges[i].child &&
	       (t->edges[i].parent != parent || t->edges[i].frame != frame))
		i = (i + 1) & t->edge_mask;
	return &t->edges[i];
}

/* slots is a power of two. */
static bool resize_edges(struct stacktab *t, size_t slots)
{
	struct stacktab old = *t;
	size_t old_slots = edge_slots(t);

	if (slots > (size_t)1 << 31)
		return false;
	t->edges = ARENA_TABLE(t->arena, struct stack_edge, slots);
	if (!t->edges) {
		t->edges = old.edges;
		return false;
	}
	t->edge_mask = (uint32_t)slots - 1;
	t->edge_shift = (uint32_t)__builtin_clzll(slots) + 1;
	for (size_t i = 0; i < old_slots; i++) {
		const struct stack_edge *e = &old.edges[i];

		if (e->child)
			*find_edge(t, e->parent, e->frame) = *e;
	}
	arena_free(t->arena, old.edges, old_slots * sizeof(*old.edges));
	return true;
}

static bool grow_edges(struct stacktab *t)
{
	return resize_edges(t, t->edges ? 2 * edge_slots(t) : FIRST_EDGES);
}

void stacktab_expect(struct stacktab *t, uint64_t stacks)
{
	size_t slots = FIRST_EDGES;

	/* Where stacks part there is an edge, too. */
	while (slots / 2 < stacks && slots < MOST_EXPECTED)
		slots *= 2;
	if (!t->edges)
		(void)resize_edges(t, slots); /* else it grows as it must */
}

/* Makes sure that there is room for one more: at most three quarters are used.
 */
static bool reserve_edge(struct stacktab *t)
{
	return (t->edges && t->edge_count < t->edge_mask / 4 * 3) ||
	       grow_edges(t);
}

static void add_edge(struct stacktab *t, struct stack_edge edge)
{
	*find_edge(t, edge.parent, edge.frame) = edge;
	t->edge_count++;
}

static stack_id fail(struct stacktab *t)
{
	t->arena->failed = true;
	return 0;
}

/*
 * Frames arrive in the order they are read: caller's side first (step 1) or
 * leaf first (step -1, starting at the last).
 */
struct walk {
	const frame_id *next;
	uint32_t left;
	int step;
};

/* The walk from the root to the leaf over frames[begin, end), leaf first. */
static struct walk walk_down(const frame_id *frames, uint32_t begin,
			     uint32_t end)
{
	return (struct walk){
		.next = begin < end ? frames + end - 1 : frames,
		.left = end - begin,
		.step = -1,
	};
}

static frame_id walk_take(struct walk *w)
{
	frame_id frame = *w->next;

	w->left--;
	if (w->left)
		w->next += w->step;
	return frame;
}

/* A new leaf below parent holding all that is left. */
static stack_id append_run(struct stacktab *t, stack_id parent, struct walk *w)
{
	struct stack_edge edge = { .parent = parent,
				   .frame = *w->next,
				   .length = w->left };
	uint32_t first = t->frames.count;
	struct stack_node *n;

	if (!reserve_edge(t) || !VEC_RESERVE(&t->frames, t->arena, w->left))
		return fail(t);
	n = VEC_PUSH(&t->nodes, t->arena);
	if (!n)
		return fail(t);
	*n = (struct stack_node){ parent, first, w->left };
	while (w->left)
		t->frames.at[t->frames.count++] = walk_take(w);
	edge.child = t->nodes.count - 1;
	add_edge(t, edge);
	return edge.child;
}

/*
 * Cuts the node at the end of edge after its first keep frames.  The upper part
 * becomes a new node, whose id is returned; the lower part keeps the old id and
 * so the old stack.
 */
static stack_id split(struct stacktab *t, struct stack_edge edge, uint32_t keep)
{
	struct stack_node *upper, *lower;
	stack_id upper_id;

	if (!reserve_edge(t))
		return fail(t);
	upper = VEC_PUSH(&t->nodes, t->arena);
	if (!upper)
		return fail(t);
	lower = &t->nodes.at[edge.child];
	ASSERT(keep > 0 && keep < lower->length);
	*upper = (struct stack_node){ lower->parent, lower->first, keep };
	upper_id = t->nodes.count - 1;
	lower->parent = upper_id;
	lower->first += keep;
	lower->length -= keep;
	add_edge(t, (struct stack_edge){
			    .parent = upper_id,
			    .frame = t->frames.at[lower->first],
			    .child = edge.child,
			    .length = lower->length,
		    });
	edge.child = upper_id;
	edge.length = keep;
	*find_edge(t, edge.parent, edge.frame) = edge;
	return upper_id;
}

/* Follows node id as far as it agrees; returns how many frames did. */
static uint32_t match_run(const struct stacktab *t, stack_id id, struct walk *w)
{
	const struct stack_node *n = &t->nodes.at[id];
	const frame_id *run = &t->frames.at[n->first];
	uint32_t same = 0;

	while (same < n->length && w->left && run[same] == *w->next) {
		walk_take(w);
		same++;
	}
	return same;
}

static stack_id add(struct stacktab *t, stack_id at, struct walk w)
{
	ASSERT(!t->in_order);
	if (!reserve_edge(t))
		return fail(t);
	while (w.left) {
		struct stack_edge edge = *find_edge(t, at, *w.next);
		uint32_t same;

		if (!edge.child)
			return append_run(t, at, &w);
		if (edge.length == 1) {
			walk_take(&w);
			at = edge.child;
			continue;
		}
		same = match_run(t, edge.child, &w);
		at = same == edge.length ? edge.child : split(t, edge, same);
		if (!at)
			return 0;
	}
	return at;
}

stack_id stack_add(struct stacktab *t, stack_id caller, const frame_id *frames,
		   uint32_t count)
{
	return add(t, caller,
		   (struct walk){ .next = frames, .left = count, .step = 1 });
}

stack_id stack_add_in_order(struct stacktab *t, stack_id caller, uint32_t first,
			    uint32_t count)
{
	struct stack_node *n;

	if (!count)
		return caller;
	n = VEC_PUSH(&t->nodes, t->arena);
	if (!n)
		return fail(t);
	*n = (struct stack_node){ caller, first, count };
	return t->nodes.count - 1;
}

stack_id stack_add_leaf_first(struct stacktab *t, const frame_id *frames,
			      uint32_t count)
{
	return add(t, 0, walk_down(frames, 0, count));
}

/*
 * A walk down the tree that takes turns with others.  The tree of a large
 * profile does not fit into any cache, and each step has to wait for the one
 * before it; but many walks can wait at the same time.
 */
struct lane {
	struct walk walk;
	stack_id at;   /* reached so far */
	uint32_t slot; /* of the edge to look at next */
	stack_id into; /* the node whose run comes next; 0: an edge does */
	bool aimed;    /* at the frames of that node */
	uint32_t same; /* of those frames, where that is not all */
};

enum { LANES = 32 };

/* Asks for what the next step will read. */
static void lane_aim(const struct stacktab *t, struct lane *l)
{
	l->slot = first_slot(t, l->at, *l->walk.next);
	__builtin_prefetch(&t->edges[l->slot]);
}

/* Goes on from at; false if that is the whole stack. */
static bool lane_arrive(const struct stacktab *t, struct lane *l, stack_id at)
{
	l->at = at;
	l->into = 0;
	if (!l->walk.left)
		return false;
	lane_aim(t, l);
	return true;
}

static bool lane_pass_run(const struct stacktab *t, struct lane *l)
{
	const struct stack_node *n = &t->nodes.at[l->into];
	struct walk ahead = l->walk;

	if (!l->aimed) {
		l->aimed = true;
		__builtin_prefetch(&t->frames.at[n->first]);
		return true;
	}
	l->same = match_run(t, l->into, &ahead);
	if (l->same < n->length)
		return false;
	l->walk = ahead;
	return lane_arrive(t, l, l->into);
}

/* One step; false if the tree does not go on for this walk. */
static bool lane_step(const struct stacktab *t, struct lane *l)
{
	const struct stack_edge *e = &t->edges[l->slot];
	frame_id frame = *l->walk.next;

	if (l->into)
		return lane_pass_run(t, l);
	while (e->child && (e->parent != l->at || e->frame != frame)) {
		l->slot = (l->slot + 1) & t->edge_mask;
		e = &t->edges[l->slot];
	}
	if (!e->child)
		return false;
	if (e->length == 1) {
		walk_take(&l->walk);
		return lane_arrive(t, l, e->child);
	}
	l->into = e->child;
	l->aimed = false;
	__builtin_prefetch(&t->nodes.at[e->child]);
	return true;
}

/* Walks them all as far as the tree knows them. */
static void walk_lanes(const struct stacktab *t, struct lane *lanes,
		       uint32_t count)
{
	uint8_t active[LANES];
	uint32_t left = 0;

	for (uint32_t i = 0; i < count; i++)
		if (lane_arrive(t, &lanes[i], 0))
			active[left++] = (uint8_t)i;
	while (left) {
		uint32_t still = 0;

		for (uint32_t i = 0; i < left; i++)
			if (lane_step(t, &lanes[active[i]]))
				active[still++] = active[i];
		left = still;
	}
}

/*
 * Asks for where new edges will be: those of a run that is cut are anywhere.
 * Their nodes get the next ids, unless one of these walks adds what the next
 * one needs; then it was asked in vain.  Always inlined, because gcc drops
 * calls of functions that do nothing but prefetch.
 */
__attribute__((always_inline)) static inline void ask_for_new(
	const struct stacktab *t, const struct lane *lanes, uint32_t count)
{
	stack_id next = t->nodes.count;

	for (uint32_t i = 0; i < count; i++) {
		const struct lane *l = &lanes[i];
		const struct walk *w = &l->walk;
		frame_id below;
		stack_id upper = next;

		if (!w->left)
			continue;
		next++;
		if (!l->into)
			continue;
		below = t->frames.at[t->nodes.at[l->into].first + l->same];
		__builtin_prefetch(&t->edges[first_slot(t, upper, below)], 1);
		if (w->left == l->same)
			continue;
		next++;
		below = w->next[(int64_t)w->step * l->same];
		__builtin_prefetch(&t->edges[first_slot(t, upper, below)], 1);
	}
}

static void add_lanes(struct stacktab *t, struct lane *lanes, uint32_t count,
		      stack_id *ret)
{
	walk_lanes(t, lanes, count);
	ask_for_new(t, lanes, count);
	/* What each of them reached stays good while the others are added. */
	for (uint32_t i = 0; i < count; i++)
		ret[i] = add(t, lanes[i].at, lanes[i].walk);
}

/* Where a great many frames are added, memory for them comes in large pieces.
 */
static void get_memory_ahead(struct stacktab *t)
{
	enum { PIECE = 1 << 18 };
	uint32_t begin = t->frames.count, left = t->frames.capacity - begin;

	if (begin < PIECE || begin < t->frames_ready)
		return;
	if (left > PIECE)
		left = PIECE;
	pages_get(span_of(&t->frames.at[begin], left * sizeof(frame_id)));
	t->frames_ready = begin + left;
}

void stack_add_many(struct stacktab *t, const frame_id *frames,
		    const uint32_t *ends, uint32_t count, stack_id *ret)
{
	struct lane lanes[LANES];
	uint32_t begin = 0;
	uint32_t used = 0;

	if (!reserve_edge(t)) {
		fail(t);
		return;
	}
	get_memory_ahead(t);
	for (uint32_t i = 0; i < count; i++) {
		lanes[used++].walk = walk_down(frames, begin, ends[i]);
		begin = ends[i];
		if (used == LANES || i + 1 == count) {
			add_lanes(t, lanes, used, ret + i + 1 - used);
			used = 0;
		}
	}
}

uint32_t stack_depth(const struct stacktab *t, stack_id id)
{
	uint32_t depth = 0;

	for (; id; id = t->nodes.at[id].parent)
		depth += t->nodes.at[id].length;
	return depth;
}

uint32_t stack_frames(const struct stacktab *t, stack_id id, frame_id *ret,
		      uint32_t room)
{
	uint32_t depth = 0;

	for (; id; id = t->nodes.at[id].parent) {
		const struct stack_node *n = &t->nodes.at[id];

		for (uint32_t i = n->length; i-- > 0; depth++)
			if (depth < room)
				ret[depth] = t->frames.at[n->first + i];
	}
	return depth;
}
