/* SPDX-License-Identifier: MIT */
/* See treekin.h. */
#include "report/treekin.h"

#include <errno.h>

#include "base/hash.h"
#include "base/sort.h"

/* What entries have in common; the first that has it stands for all. */
struct sorter {
	struct table index;
	struct arena *scratch;
	uint32_t *found; /* by node_id */
	bool (*same)(const struct node_info *a, const struct node_info *b);
	uint64_t (*hash)(const struct node_info *a);
	VEC(node_id) first; /* by number, from 1 on */
};

static bool same_family(const struct node_info *a, const struct node_info *b)
{
	return a->name == b->name && a->file == b->file;
}

static uint64_t hash_family(const struct node_info *a)
{
	return (uint64_t)a->name << 32 | a->file;
}

static bool same_function(const struct node_info *a, const struct node_info *b)
{
	return same_family(a, b) && a->object == b->object &&
	       a->start_line == b->start_line &&
	       node_function_column(a) == node_function_column(b);
}

static uint64_t hash_function(const struct node_info *a)
{
	uint64_t hash = hash_mix(hash_mix(hash_family(a), a->object),
				 (uint64_t)a->start_line);

	return hash_mix(hash, (uint64_t)node_function_column(a));
}

/* The number of what an entry has in common with others; 0: no memory. */
static uint32_t number_of(struct sorter *s, const struct node_info *infos,
			  node_id node)
{
	uint32_t hash = hash_u64(s->hash(&infos[node]));
	uint32_t i = table_start(&s->index, hash);
	uint32_t id;
	node_id *first;

	for (; (id = table_id(&s->index, i, hash)) != TABLE_END;
	     i = table_next(&s->index, i))
		if (id && s->same(&infos[s->first.at[id]], &infos[node]))
			return id;
	first = VEC_PUSH(&s->first, s->scratch);
	if (!first)
		return 0;
	*first = node;
	id = s->first.count - 1;
	return table_add(&s->index, s->scratch, hash, id) ? id : 0;
}

static int sort_entries(struct sorter *s, const struct nodetab *nodes)
{
	if (!s->found || !VEC_RESERVE(&s->first, s->scratch, 1))
		return -ENOMEM;
	s->first.count = 1; /* numbers start at 1 */
	for (node_id n = 1; n < nodes->info.count; n++) {
		s->found[n] = number_of(s, nodes->info.at, n);
		if (!s->found[n])
			return -ENOMEM;
	}
	return 0;
}

static int make(struct treekin *k, const struct nodetab *nodes,
		struct arena *arena, struct arena *scratch)
{
	struct sorter families = { .scratch = scratch,
				   .found = k->family,
				   .same = same_family,
				   .hash = hash_family };
	struct sorter functions = { .scratch = scratch,
				    .found = k->function,
				    .same = same_function,
				    .hash = hash_function };
	int r = sort_entries(&families, nodes);

	if (r == 0)
		r = sort_entries(&functions, nodes);
	if (r == 0 && !VEC_RESERVE(&k->families, arena, families.first.count))
		r = -ENOMEM;
	if (r < 0)
		return r;
	k->families.count = families.first.count;
	for (uint32_t i = 1; i < k->families.count; i++) {
		const struct node_info *info =
			&nodes->info.at[families.first.at[i]];

		k->families.at[i] = (struct kin_family){ .name = info->name,
							 .file = info->file };
	}
	k->functions = functions.first.count;
	return 0;
}

int treekin_make(struct treekin *k, const struct nodetab *nodes,
		 struct arena *arena)
{
	struct arena scratch = { 0 };
	int r;

	*k = (struct treekin){
		.family = ARENA_ARRAY(arena, uint32_t, nodes->info.count),
		.function = ARENA_ARRAY(arena, uint32_t, nodes->info.count),
	};
	r = make(k, nodes, arena, &scratch);
	arena_release(&scratch);
	return r;
}

/* The calls of a function at the end of one run. */
struct meeting {
	uint32_t run;	/* and one more; 0: none so far */
	uint32_t first; /* the first turn */
};

/* Sorts by family and turn. */
struct finder {
	struct treekin *k;
	const struct treelist *l;
	struct meeting *met; /* by function */
	struct arena *scratch;
	VEC(struct sort_item) found; /* extra: the turn of the first */
};

static uint32_t turn_of(const struct treelist *l, const struct tree_call *c)
{
	return treelist_turn(l, c->place, l->to_turn[c->callee]);
}

/* Whether one of them is called again. */
static bool meet(struct finder *x, uint32_t run, uint32_t first, uint32_t end)
{
	bool again = false;

	for (uint32_t i = first; i < end; i++) {
		const struct tree_call *c = &x->l->calls[i];
		struct meeting *m = &x->met[x->k->function[c->callee]];
		uint32_t turn = turn_of(x->l, c);

		if (m->run != run + 1) {
			*m = (struct meeting){ run + 1, turn };
			continue;
		}
		again = true;
		if (turn < m->first)
			m->first = turn;
	}
	return again;
}

static int add_repeats(struct finder *x, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++) {
		const struct tree_call *c = &x->l->calls[i];
		uint32_t of = x->met[x->k->function[c->callee]].first;
		uint32_t turn = turn_of(x->l, c);
		struct sort_item *item;

		if (turn == of)
			continue;
		item = VEC_PUSH(&x->found, x->scratch);
		if (!item)
			return -ENOMEM;
		*item = (struct sort_item){
			(uint64_t)x->k->family[c->callee] << 32 | turn, 0, of
		};
	}
	return 0;
}

static int find_repeats(struct finder *x, uint32_t runs)
{
	for (uint32_t i = 0; i < runs; i++) {
		uint32_t first = x->l->first_call[i];
		uint32_t end = x->l->first_call[i + 1];

		if (end - first > 1 && meet(x, i, first, end) &&
		    add_repeats(x, first, end) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int sort_repeats(struct finder *x, struct arena *arena)
{
	struct treekin *k = x->k;
	uint32_t count = x->found.count;

	k->repeats = ARENA_ARRAY(arena, struct kin_repeat, (size_t)count + 1);
	if (!VEC_RESERVE(&x->found, x->scratch, count) || !k->repeats)
		return -ENOMEM;
	sort_items(x->found.at, x->found.at + count, count);
	for (uint32_t i = 0; i < count; i++) {
		const struct sort_item *item = &x->found.at[i];
		struct kin_family *f = &k->families.at[item->key >> 32];

		if (!f->repeats++)
			f->first = i;
		k->repeats[i] = (struct kin_repeat){ (uint32_t)item->key,
						     item->extra };
	}
	return 0;
}

/* Whether functions of different families would be told apart by nothing. */
static int check_texts(struct treekin *k, struct arena *scratch)
{
	struct table index = { 0 };

	for (uint32_t n = 1; n < k->families.count; n++) {
		const struct kin_family *f = &k->families.at[n];
		uint32_t hash = hash_pair(f->name, f->count);
		uint32_t i = table_start(&index, hash);
		uint32_t id;

		if (f->count < 2)
			continue;
		for (; (id = table_id(&index, i, hash)) != TABLE_END;
		     i = table_next(&index, i))
			if (id && k->families.at[id].name == f->name &&
			    k->families.at[id].count == f->count)
				return -ENOTSUP;
		if (!table_add(&index, scratch, hash, n))
			return -ENOMEM;
	}
	return 0;
}

int treekin_count(struct treekin *k, const struct treelist *l, uint32_t runs,
		  struct arena *arena)
{
	struct arena scratch = { 0 };
	struct finder x = {
		.k = k,
		.l = l,
		.scratch = &scratch,
		.met = ARENA_ARRAY(&scratch, struct meeting, k->functions),
	};
	int r = x.met ? find_repeats(&x, runs) : -ENOMEM;

	if (r == 0)
		r = sort_repeats(&x, arena);
	for (uint32_t i = 1; i < k->families.count && r == 0; i++)
		k->families.at[i].count = l->kin_counts[i] -
					  k->families.at[i].repeats;
	if (r == 0)
		r = check_texts(k, &scratch);
	arena_release(&scratch);
	return r;
}

/* How many of a family's repeats are before a turn. */
static uint32_t repeats_before(const struct treekin *k,
			       const struct kin_family *f, uint32_t turn)
{
	const struct kin_repeat *repeats = k->repeats + f->first;
	uint32_t low = 0, high = f->repeats;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (repeats[middle].turn < turn)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t treekin_rank(const struct treekin *k, uint32_t family, uint32_t turn)
{
	const struct kin_family *f = &k->families.at[family];
	uint32_t before = repeats_before(k, f, turn);
	const struct kin_repeat *next = &k->repeats[f->first + before];

	/* That of the first, which is no repeat itself. */
	if (before < f->repeats && next->turn == turn) {
		turn = next->of;
		before = repeats_before(k, f, turn);
	}
	return turn + 1 - before;
}
