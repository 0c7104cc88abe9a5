/* SPDX-License-Identifier: MIT */
/*
 * In a graph nearly every family is one function, which is soon found out.  But
 * in a call tree each node but a few is a function of its own, so a family can
 * have as many as there are paths to it.  Each such family has a hash table of
 * its own: nodes of one entry mostly are shown one after the other, and what
 * they need is then near.
 */
#include "report/namesakes.h"

#include <errno.h>

#include "base/hash.h"

/* A function of a family. */
struct slot {
	uint64_t owner; /* what makes it another function */
	uint32_t rank;	/* 0: an empty slot */
};

struct finder {
	struct namesakes *n;
	const struct trimmed *t;
	struct arena *arena;
	struct arena *scratch;
	uint32_t *caller; /* of trees: by node, the one it was called from */
	struct slot *slots;
	uint64_t slot_count;
	struct table index; /* (name, file) -> family; then (name, count) */
};

static uint32_t find_family(const struct finder *x, uint32_t hash,
			    const struct node_info *info)
{
	uint32_t i = table_start(&x->index, hash);
	uint32_t id;

	for (; (id = table_id(&x->index, i, hash)) != TABLE_END;
	     i = table_next(&x->index, i))
		if (id && x->n->families.at[id].name == info->name &&
		    x->n->families.at[id].file == info->file)
			return id;
	return 0;
}

/* Which function a node is part of: in a graph its place and binary, in a
 * tree also the node that it was called from.  Of 64 bits, so that no two are
 * the same by chance. */
static uint64_t owner_of(const struct finder *x, uint32_t node)
{
	const struct node_info *info = trimmed_info(x->t, node);
	uint32_t caller = x->caller ? x->caller[node] : 0;
	uint64_t hash;

	/* Mixed before the next, with which it would otherwise cancel out. */
	hash = hash_mix(0, (uint64_t)info->object << 32 | caller);
	hash = hash_mix(hash, (uint64_t)info->start_line);
	return hash_mix(hash, (uint64_t)node_function_column(info));
}

/* The family of an entry, made if need be; 0: no memory. */
static uint32_t get_family(struct finder *x, const struct node_info *info)
{
	uint32_t hash = hash_pair(info->name, info->file);
	uint32_t id = find_family(x, hash, info);
	struct family *f;

	if (id)
		return id;
	f = VEC_PUSH(&x->n->families, x->arena);
	if (!f)
		return 0;
	f->name = info->name;
	f->file = info->file;
	id = x->n->families.count - 1;
	return table_add(&x->index, x->scratch, hash, id) ? id : 0;
}

static void add_member(struct family *f, uint64_t owner)
{
	if (!f->members++) {
		f->owner = owner;
		f->count = 1;
	} else if (f->owner != owner) {
		f->count = 0; /* to be counted */
	}
}

/* As if each family were one function, which it remains if all its nodes are
 * parts of the same. */
static int find_families(struct finder *x)
{
	const struct trimmed *t = x->t;

	for (uint32_t i = 0; i < t->shown_count; i++)
		x->n->rank[t->shown[i]] = 1;
	for (uint32_t node = 1; node < t->graph.nodes.count; node++) {
		uint32_t *family;

		if (!x->n->rank[node])
			continue;
		family = &x->n->family[trimmed_id(t, node)];
		if (!*family)
			*family = get_family(x, trimmed_info(t, node));
		if (!*family)
			return -ENOMEM;
		add_member(&x->n->families.at[*family], owner_of(x, node));
	}
	return 0;
}

/* For families of several.  At most two thirds of a table are used. */
static int make_tables(struct finder *x)
{
	for (uint32_t i = 1; i < x->n->families.count; i++) {
		struct family *f = &x->n->families.at[i];
		uint64_t want = (uint64_t)f->members + f->members / 2 + 1;

		if (f->count)
			continue;
		f->first_slot = x->slot_count;
		for (f->slots = 1; f->slots < want;)
			f->slots *= 2;
		x->slot_count += f->slots;
	}
	x->slots = ARENA_ARRAY(x->scratch, struct slot, x->slot_count + 1);
	return x->slots ? 0 : -ENOMEM;
}

static uint32_t rank_of(const struct finder *x, struct family *f,
			uint64_t owner)
{
	struct slot *slots = x->slots + f->first_slot;
	uint32_t i = hash_u64(owner) & (f->slots - 1);

	while (slots[i].rank && slots[i].owner != owner)
		i = (i + 1) & (f->slots - 1);
	if (!slots[i].rank)
		slots[i] = (struct slot){ owner, ++f->count };
	return slots[i].rank;
}

/* Brings near what a node that is shown soon will need.  Always inlined,
 * because gcc drops calls of functions that do nothing but prefetch. */
__attribute__((always_inline)) static inline void ask(const struct finder *x,
						      uint32_t node)
{
	__builtin_prefetch(&x->t->graph.nodes.at[node]);
	__builtin_prefetch(&x->n->rank[node], 1);
	if (x->caller)
		__builtin_prefetch(&x->caller[node]);
}

static void rank_nodes(struct finder *x)
{
	enum { AHEAD = 16 };
	const struct trimmed *t = x->t;

	for (uint32_t i = 0; i < t->shown_count; i++) {
		uint32_t node = t->shown[i];
		struct family *f =
			&x->n->families.at[x->n->family[trimmed_id(t, node)]];

		if (i + AHEAD < t->shown_count)
			ask(x, t->shown[i + AHEAD]);
		if (f->slots)
			x->n->rank[node] = rank_of(x, f, owner_of(x, node));
	}
}

/* A family before f whose functions read the same; NULL: none. */
static const struct family *find_alike(const struct finder *x, uint32_t hash,
				       const struct family *f)
{
	uint32_t i = table_start(&x->index, hash);
	uint32_t id;

	for (; (id = table_id(&x->index, i, hash)) != TABLE_END;
	     i = table_next(&x->index, i))
		if (id && x->n->families.at[id].name == f->name &&
		    x->n->families.at[id].count == f->count)
			return &x->n->families.at[id];
	return NULL;
}

static int number_texts(struct finder *x)
{
	uint64_t texts = 1;

	x->index = (struct table){ 0 };
	for (uint32_t i = 1; i < x->n->families.count; i++) {
		struct family *f = &x->n->families.at[i];
		uint32_t hash = hash_pair(f->name, f->count);
		const struct family *other;

		if (f->count == 1)
			continue;
		other = find_alike(x, hash, f);
		if (!other && !table_add(&x->index, x->scratch, hash, i))
			return -ENOMEM;
		f->series = other ? other->series : (uint32_t)texts - 1;
		texts += other ? 0 : f->count;
		if (texts > UINT32_MAX)
			return -ENOMEM;
	}
	x->n->texts = (uint32_t)texts;
	return 0;
}

static int find(struct finder *x)
{
	const struct graph *g = &x->t->graph;
	int r;

	if (x->t->ends)
		x->caller = ARENA_ARRAY(x->scratch, uint32_t, g->nodes.count);
	if (x->scratch->failed)
		return -ENOMEM;
	for (uint32_t i = 0; x->caller && i < g->edges.count; i++)
		x->caller[g->edges.at[i].to] = g->edges.at[i].from;
	r = find_families(x);
	if (r == 0)
		r = make_tables(x);
	if (r < 0)
		return r;
	if (x->slot_count)
		rank_nodes(x);
	return number_texts(x);
}

int namesakes_find(struct namesakes *n, const struct trimmed *t,
		   struct arena *arena)
{
	struct arena scratch = { 0 };
	struct finder x = {
		.n = n, .t = t, .arena = arena, .scratch = &scratch
	};
	int r;

	*n = (struct namesakes){ 0 };
	n->family = ARENA_ARRAY(arena, uint32_t, t->request->nodes->info.count);
	n->rank = ARENA_ARRAY(arena, uint32_t, t->graph.nodes.count);
	if (!n->family || !n->rank || !VEC_RESERVE(&n->families, arena, 1))
		return -ENOMEM;
	n->families.count = 1;
	r = find(&x);
	arena_release(&scratch);
	return r;
}
