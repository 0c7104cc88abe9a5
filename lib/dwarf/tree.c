/* SPDX-License-Identifier: MIT */
/*
 * The functions and inlined calls of a unit, in one pass over its entries.
 * The result is flat: disjoint segments of code, each naming its innermost
 * function, so that a lookup is one binary search and a walk to the parents.
 */
#include "dwarf/tree.h"

#include "base/hash.h"
#include "dwarf/code.h"
#include "dwarf/constants.h"
#include "dwarf/file.h"
#include "dwarf/flatten.h"
#include "dwarf/function.h"
#include "dwarf/range.h"

enum {
	MAX_DEPTH = 1 << 16,   /* of entries in entries */
	MAX_ORIGIN_DEPTH = 16, /* of references to references */
};

bool tree_open_unit(struct tree *t, const struct dwarf *file,
		    const struct dwarf_unit *unit, struct dwarf_cu *cu,
		    struct cu_entry *entry)
{
	const struct abbrevs *now = &t->abbrevs;
	bool same = now->file == file && now->offset == unit->abbrev &&
		    now->offset_size == unit->offset_size &&
		    now->version == unit->version;

	if (!same && !abbrevs_read(&t->abbrevs, file, unit, t->arena)) {
		t->abbrevs.file = NULL;
		return false;
	}
	return cu_open(cu, file, unit, &t->abbrevs, entry);
}

/* Whether this much more work is allowed. */
static bool spend(struct tree *t, uint64_t work)
{
	if (work > t->budget) {
		t->budget = 0;
		return false;
	}
	t->budget -= work;
	return true;
}

/* What reading a table anew into t may cost, judged by the last time. */
static uint64_t abbrev_cost(const struct abbrevs *t)
{
	return 64 + 4 * (uint64_t)t->attrs.count;
}

/* The unit at offset of file, opened; NULL: it cannot be read. */
static const struct dwarf_cu *foreign_unit(struct tree *t,
					   const struct dwarf *file,
					   uint64_t offset)
{
	const struct dwarf_unit *unit = dwarf_unit_at(file, offset);
	struct tree_foreign *slot;
	struct cu_entry entry;

	if (!unit)
		return NULL;
	if (!t->foreign)
		t->foreign = ARENA_ARRAY(t->arena, struct tree_foreign,
					 TREE_CACHE);
	if (!t->foreign)
		return NULL;
	slot = &t->foreign[hash_u64((uintptr_t)unit) % TREE_CACHE];
	if (slot->unit == unit)
		return &slot->cu;
	slot->unit = NULL;
	if (!spend(t, abbrev_cost(&slot->abbrevs)) ||
	    !abbrevs_read(&slot->abbrevs, file, unit, t->arena) ||
	    !cu_open(&slot->cu, file, unit, &slot->abbrevs, &entry))
		return NULL;
	slot->unit = unit;
	return &slot->cu;
}

/* The unit of the type that ref names; ref becomes its offset there. */
static const struct dwarf_cu *follow_type(struct tree *t,
					  const struct dwarf *types,
					  struct dwarf_value *ref)
{
	const struct dwarf_unit *u;

	if (!types || !spend(t, types->unit_count))
		return NULL;
	u = dwarf_type_unit(types, ref->number);
	if (!u)
		return NULL;
	ref->kind = VALUE_REF;
	ref->number = u->offset + u->type_offset;
	return foreign_unit(t, types, u->offset);
}

/* The unit that a reference from cu leads to; ref->number is the offset. */
static const struct dwarf_cu *follow(struct tree *t, const struct dwarf_cu *cu,
				     struct dwarf_value *ref)
{
	const struct dwarf_unit *u = cu->unit;

	if (ref->kind == VALUE_REF && ref->number >= u->offset &&
	    ref->number < u->end)
		return cu;
	if (ref->kind == VALUE_REF)
		return foreign_unit(t, cu->file, ref->number);
	if (ref->kind == VALUE_REF_ALT && cu->file->alt)
		return foreign_unit(t, cu->file->alt, ref->number);
	if (ref->kind == VALUE_REF_TYPE)
		return follow_type(t, cu->file->types, ref);
	return NULL;
}

static uint32_t origin_hash(const struct dwarf *file, uint64_t offset)
{
	return hash_u64(offset ^ (uintptr_t)file << 20);
}

static const struct tree_origin *find_origin(const struct tree *t,
					     const struct dwarf *file,
					     uint64_t offset)
{
	uint32_t hash = origin_hash(file, offset);
	uint32_t i = table_start(&t->origin_index, hash);
	uint32_t id;

	for (; (id = table_id(&t->origin_index, i, hash)) != TABLE_END;
	     i = table_next(&t->origin_index, i))
		if (id && t->origins.at[id - 1].offset == offset &&
		    t->origins.at[id - 1].file == file)
			return &t->origins.at[id - 1];
	return NULL;
}

static void keep_origin(struct tree *t, const struct tree_origin *o)
{
	struct tree_origin *to = VEC_PUSH(&t->origins, t->arena);

	if (!to)
		return;
	*to = *o;
	/* Not finding it again costs time only. */
	(void)table_add(&t->origin_index, t->arena,
			origin_hash(o->file, o->offset), t->origins.count);
}

/* Adds to o what the entry that ref leads to says, and those behind it. */
static void resolve(struct tree *t, const struct dwarf_cu *cu,
		    struct dwarf_value ref, struct tree_origin *o)
{
	for (unsigned depth = 0; depth < MAX_ORIGIN_DEPTH; depth++) {
		const struct abbrev *a;
		struct function f;
		struct reader r;

		if (o->linkage)
			return;
		cu = follow(t, cu, &ref);
		if (!cu)
			return;
		r = cu_entries_at(cu, ref.number);
		a = abbrevs_find(cu->abbrevs, reader_uleb(&r));
		if (!a)
			return;
		function_read(cu, &r, a, &f);
		o->linkage = f.linkage;
		if (!o->name)
			o->name = f.name;
		if (!o->decl_line)
			o->decl_line = f.decl_line;
		ref = f.origin;
	}
}

/* The name of the entry that ref leads to, from memory if it was met. */
static struct tree_origin origin_of(struct tree *t, const struct dwarf_cu *cu,
				    const struct dwarf_value *ref)
{
	const struct dwarf *file = ref->kind == VALUE_REF_ALT ? cu->file->alt
				   : ref->kind == VALUE_REF_TYPE
					   ? cu->file->types
					   : cu->file;
	const struct tree_origin *known;
	struct tree_origin o = { .file = file, .offset = ref->number };

	if (ref->kind != VALUE_REF && ref->kind != VALUE_REF_ALT &&
	    ref->kind != VALUE_REF_TYPE)
		return o;
	known = find_origin(t, file, ref->number);
	if (known)
		return *known;
	resolve(t, cu, *ref, &o);
	keep_origin(t, &o);
	return o;
}

static void name_node(struct tree *t, const struct dwarf_cu *cu,
		      const struct function *f, struct tree_node *n)
{
	struct tree_origin o = { 0 };

	if (!f->linkage || !f->decl_line)
		o = origin_of(t, cu, &f->origin);
	n->decl_line = f->decl_line ? f->decl_line : o.decl_line;
	n->name = f->linkage  ? f->linkage
		  : o.linkage ? o.linkage
		  : f->name   ? f->name
		  : o.name    ? o.name
			      : "";
}

/* A walk over the entries of a unit. */
struct walk {
	struct tree *t;
	const struct dwarf_cu *cu;
	const struct code_area *area;
	struct reader r;
	bool failed; /* out of memory */
};

/* Keeps the ranges of f that are code; true if there are any. */
static bool add_ranges(struct walk *w, const struct function *f, uint32_t node)
{
	struct tree *t = w->t;
	struct range_walk ranges;
	uint64_t low, high;
	bool any = false;

	range_walk_start(&ranges, w->cu, &f->extent);
	while (range_walk_next(&ranges, &low, &high)) {
		struct code_range range = { .owner = node };
		struct code_range *to;

		if (!spend(t, 1))
			break;
		if (!code_area_clip(w->area, low, high, &range.low,
				    &range.high))
			continue;
		to = VEC_PUSH(&t->ranges, t->arena);
		if (!to) {
			w->failed = true;
			break;
		}
		*to = range;
		any = true;
	}
	return any;
}

/* Reads a function's entry; returns the node that its children belong to. */
static uint32_t enter_function(struct walk *w, const struct abbrev *a,
			       uint32_t parent)
{
	struct tree *t = w->t;
	struct function f;
	struct tree_node *n;

	function_read(w->cu, &w->r, a, &f);
	if (!add_ranges(w, &f, t->nodes.count))
		return 0;
	n = VEC_PUSH(&t->nodes, t->arena);
	if (!n) {
		w->failed = true;
		return 0;
	}
	*n = (struct tree_node){ 0 };
	if (a->tag == DW_TAG_inlined_subroutine) {
		n->parent = parent;
		n->call_file = f.call_file;
		n->call_line = f.call_line;
		n->call_column = f.call_column;
	}
	name_node(t, w->cu, &f, n);
	return t->nodes.count - 1;
}

/* Passes over an entry whose children do not matter; true if over them too. */
static bool skip_subtree(struct walk *w, const struct abbrev *a)
{
	const struct dwarf_unit *u = w->cu->unit;
	const uint8_t *at = w->r.at;
	uint64_t here = (uint64_t)(at - w->cu->file->info.at);
	uint32_t sibling;

	if (a->sibling < 0 || reader_left(&w->r) < (size_t)a->sibling + 4)
		return false;
	memcpy(&sibling, at + a->sibling, sizeof(sibling));
	if (u->offset + sibling <= here || u->offset + sibling > u->end)
		return false;
	w->r.at = w->cu->file->info.at + u->offset + sibling;
	return true;
}

/* Handles one entry; true if its children come next, for *node. */
static bool visit(struct walk *w, const struct abbrev *a, uint32_t *node)
{
	if (a->kind == ABBREV_FUNCTION && a->placed) {
		*node = enter_function(w, a, *node);
		return a->children;
	}
	if (a->kind == ABBREV_OTHER && a->children && skip_subtree(w, a))
		return false;
	if (a->kind == ABBREV_FUNCTION)
		*node = 0;
	die_skip(w->cu, &w->r, a);
	return a->children;
}

/*
 * Passes over entries in which there is no code: most of all.  Their numbers
 * have one or two bytes.
 */
static void pass_hollow(struct walk *w)
{
	const struct abbrevs *t = w->cu->abbrevs;
	const uint32_t count = t->dense ? t->list.count : 0;
	struct reader r = w->r;
	uint32_t depth = 0; /* entries that their children are inside of */

	while (reader_left(&r) > 2) {
		const uint8_t *at = r.at;
		uint32_t code = *at++;
		const struct abbrev *a;

		if (!code && depth) {
			r.at = at;
			depth--;
			continue;
		}
		if (code & 0x80)
			code = (code & 0x7f) | (uint32_t)*at++ << 7;
		if (code - 1 >= count || at[-1] & 0x80)
			break;
		a = &t->list.at[code - 1];
		if (!a->hollow && !depth)
			break;
		r.at = at;
		die_skip(w->cu, &r, a);
		depth += a->children;
	}
	w->r = r;
}

static void walk_entries(struct walk *w)
{
	struct tree *t = w->t;

	t->stack.count = 0;
	while (reader_left(&w->r) && !w->failed) {
		const struct abbrev *a;
		uint32_t node = t->stack.count ? t->stack.at[t->stack.count - 1]
					       : 0;
		uint64_t code;
		uint32_t *to;

		if (t->stack.count)
			pass_hollow(w);
		code = reader_uleb(&w->r);
		if (!code) {
			if (t->stack.count <= 1)
				return;
			t->stack.count--;
			continue;
		}
		a = abbrevs_find(w->cu->abbrevs, code);
		if (!a)
			return;
		if (!visit(w, a, &node)) {
			if (!t->stack.count)
				return;
			continue;
		}
		to = t->stack.count < MAX_DEPTH ? VEC_PUSH(&t->stack, t->arena)
						: NULL;
		if (!to)
			return;
		*to = node;
	}
}

static void forget_origins(struct tree *t)
{
	t->origins.count = 0;
	t->origin_index.count = 0;
	if (t->origin_index.slot)
		memset(t->origin_index.slot, 0,
		       ((size_t)t->origin_index.mask + 1) *
			       sizeof(*t->origin_index.slot));
}

bool tree_build(struct tree *t, const struct dwarf_cu *cu,
		const struct code_area *area)
{
	struct tree_node *none;
	struct walk w = {
		.t = t,
		.cu = cu,
		.area = area,
		.r = cu_entries(cu),
	};

	t->nodes.count = 0;
	t->ranges.count = 0;
	t->segments.count = 0;
	forget_origins(t);
	none = VEC_PUSH(&t->nodes, t->arena);
	if (!none)
		return false;
	*none = (struct tree_node){ .name = "" };
	walk_entries(&w);
	return !w.failed && flatten(t->ranges.at, t->ranges.count, &t->segments,
				    t->arena, t->passing);
}
