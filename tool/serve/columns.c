/* SPDX-License-Identifier: MIT */
/*
 * A profile as the columns that the page works on: see columns.h.  What is
 * costly to order is ordered here, once; what depends on a question is left to
 * the page.
 */
#include "serve/columns.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/idsort.h"
#include "base/markup.h"
#include "base/sink.h"
#include "profile/code.h"
#include "profile/order.h"
#include "profile/profile.h"
#include "serve/columns_parts.h"

uint32_t columns_text(struct columns *c, struct span text)
{
	struct sink clean = sink_to_memory(c->arena);

	sink_visible(&clean, text, COLUMNS_TEXT_MOST);
	return strtab_add_span(&c->strings, sink_bytes(&clean));
}

uint32_t columns_string(struct columns *c, str_id id)
{
	if (!c->string[id])
		c->string[id] = 1 +
				columns_text(c,
					     str_span(c->profile->strings, id));
	return c->string[id] - 1;
}

void columns_put_text(struct columns *c, const char *key, struct span text)
{
	struct sink clean = sink_to_memory(c->arena);

	sink_visible(&clean, text, COLUMNS_TEXT_MOST);
	json_key(&c->json, key);
	json_span(&c->json, sink_bytes(&clean));
}

/* Names by node, to put functions in order by. */
struct names {
	const struct span *name;
};

static bool name_before(const void *context, uint32_t a, uint32_t b)
{
	const struct names *n = context;
	struct span x = n->name[a], y = n->name[b];
	size_t len = x.len < y.len ? x.len : y.len;
	int order = len ? memcmp(x.at, y.at, len) : 0;

	return order ? order < 0 : x.len < y.len;
}

/* What is known of a function apart from its name. */
struct function_facts {
	uint32_t *file;
	uint32_t *line;
	uint32_t *module;
	uint32_t *kind;
};

/* As flame graphs have them; the page knows the numbers. */
enum page_kind {
	PAGE_PROGRAM,
	PAGE_LIBRARY,
	PAGE_KERNEL,
	PAGE_JIT,
	PAGE_UNNAMED,
};

static void note_facts(struct columns *c, struct function_facts *f,
		       const struct location *l, uint32_t line, node_id node)
{
	static const enum page_kind kinds[] = {
		[CODE_PROGRAM] = PAGE_PROGRAM,
		[CODE_LIBRARY] = PAGE_LIBRARY,
		[CODE_KERNEL] = PAGE_KERNEL,
		[CODE_JIT] = PAGE_JIT,
	};
	const struct profile *p = c->profile;
	uint32_t at = c->rank[node];
	str_id object = p->mappings.at[l->mapping].file;
	const struct function *fn;

	f->kind[at] = c->nodes.info.at[node].name
			      ? kinds[mapping_code(p, l->mapping)]
			      : PAGE_UNNAMED;
	if (!f->module[at] && object)
		f->module[at] = columns_string(c, object);
	if (!l->line_count || f->file[at])
		return;
	fn = &p->functions.at[location_lines(p, l)[line].function];
	f->file[at] = columns_string(c, fn->file);
	if (fn->start_line > 0 && fn->start_line < UINT32_MAX)
		f->line[at] = (uint32_t)fn->start_line;
}

static int add_facts(struct columns *c)
{
	const struct profile *p = c->profile;
	uint32_t count = c->nodes.info.count;
	struct function_facts f = {
		.file = ARENA_ARRAY(c->arena, uint32_t, count),
		.line = ARENA_ARRAY(c->arena, uint32_t, count),
		.module = ARENA_ARRAY(c->arena, uint32_t, count),
		.kind = ARENA_ARRAY(c->arena, uint32_t, count),
	};

	if (c->arena->failed)
		return -ENOMEM;
	for (uint32_t l = 1; l < p->locations.count; l++) {
		uint32_t first = c->nodes.first[l];

		for (uint32_t i = first; i < c->nodes.first[l + 1]; i++)
			note_facts(c, &f, &p->locations.at[l], i - first,
				   c->nodes.ids.at[i]);
	}
	pagefile_add(&c->file, "functionFile", f.file, count - 1);
	pagefile_add(&c->file, "functionLine", f.line, count - 1);
	pagefile_add(&c->file, "functionModule", f.module, count - 1);
	pagefile_add(&c->file, "functionKind", f.kind, count - 1);
	return 0;
}

/* Functions are numbered in the order of their names. */
static int add_functions(struct columns *c)
{
	uint32_t count = c->nodes.info.count;
	struct span *name = ARENA_ARRAY(c->arena, struct span, count);
	uint32_t *ids = ARENA_ARRAY(c->arena, uint32_t, 2 * (size_t)count);
	uint32_t *text = ARENA_ARRAY(c->arena, uint32_t, count);
	const struct names names = { name };

	c->rank = ARENA_ARRAY(c->arena, uint32_t, count);
	if (!name || !ids || !text || !c->rank)
		return -ENOMEM;
	for (uint32_t i = 1; i < count; i++) {
		name[i] = node_name(&c->nodes.info.at[i], c->profile->strings,
				    c->arena);
		ids[i] = i;
	}
	sort_ids(ids + 1, ids + count, count - 1, name_before, &names);
	for (uint32_t i = 1; i < count; i++) {
		c->rank[ids[i]] = i - 1;
		text[i - 1] = columns_text(c, name[ids[i]]);
	}
	pagefile_add(&c->file, "functionName", text, count - 1);
	return c->arena->failed ? -ENOMEM : add_facts(c);
}

/* The stacks that samples have, in the order of the tree's walk. */
static int add_stacks(struct columns *c)
{
	const struct stack_order *o = c->order;
	const struct profile *p = c->profile;
	uint32_t *segment = ARENA_ARRAY(c->arena, uint32_t, o->count);
	bool *sampled = ARENA_ARRAY(c->arena, bool, p->stacks.nodes.count);
	uint32_t count = 0;

	c->row = ARENA_ARRAY(c->arena, uint32_t, p->stacks.nodes.count);
	if (!segment || !sampled || !c->row)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->sample_count; i++)
		sampled[p->stack[i]] = true;
	for (uint32_t i = 0; i < o->count; i++) {
		stack_id id = order_node(o, i);

		if (!sampled[id])
			continue;
		c->row[id] = count;
		segment[count++] = c->tree.end[i];
	}
	pagefile_add(&c->file, "stackSegment", segment, count);
	return 0;
}

static int add_tree(struct columns *c, struct error *err)
{
	const struct mergetree_request q = {
		.profile = c->profile,
		.nodes = &c->nodes,
		.order = c->order,
		.rank = c->rank,
	};
	int r = mergetree_make(&c->tree, &q, c->arena);

	if (r == -EFBIG)
		return error_set(err, r,
				 "the stacks are too deep for a page: more "
				 "than %d calls",
				 MERGED_MOST);
	if (r < 0)
		return error_set(err, r, "out of memory");
	pagefile_add(&c->file, "segmentUp", c->tree.up.at, c->tree.up.count);
	pagefile_add(&c->file, "segmentLength", c->tree.length.at,
		     c->tree.length.count);
	pagefile_add(&c->file, "entries", c->tree.entries.at,
		     c->tree.entries.count);
	return add_stacks(c);
}

static int add_strings(struct columns *c)
{
	const struct strtab *s = &c->strings;
	uint32_t count = s->strings.count ? s->strings.count : 1;
	uint32_t *at = ARENA_ARRAY(c->arena, uint32_t, (size_t)count + 1);
	struct sink bytes = sink_to_memory(c->arena);

	if (!at)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		sink_span(&bytes, str_span(s, i));
		if (bytes.used > UINT32_MAX)
			return -ENOMEM;
		at[i + 1] = (uint32_t)bytes.used;
	}
	pagefile_add(&c->file, "stringEnd", at + 1, count);
	pagefile_add_bytes(&c->file, "stringBytes", sink_bytes(&bytes));
	return bytes.error;
}

static int prepare(struct columns *c)
{
	const struct node_options by_function = { .function = true,
						  .inlines = true };
	const struct profile *p = c->profile;

	strtab_init(&c->strings, c->arena);
	(void)strtab_add_text(&c->strings, ""); /* failure shows in arena */
	c->file.arena = c->arena;
	c->string = ARENA_ARRAY(c->arena, uint32_t,
				(size_t)p->strings->strings.count + 1);
	c->order = stack_order_of(&p->stacks);
	if (!c->string || !c->order)
		return -ENOMEM;
	return nodetab_make(&c->nodes, p, &by_function, c->arena);
}

static int fill(struct columns *c, struct error *err)
{
	int r = prepare(c);

	json_open(&c->json, '{');
	if (r == 0)
		r = add_functions(c);
	if (r == 0) {
		r = add_tree(c, err);
		if (r < 0)
			return r;
	}
	if (r == 0)
		r = columns_add_labels(c);
	if (r == 0)
		r = columns_add_samples(c);
	if (r == 0)
		r = columns_put_about(c);
	if (r == 0)
		r = add_strings(c);
	if (r < 0 || c->arena->failed)
		return error_set(err, -ENOMEM, "out of memory");
	return 0;
}

int columns_write(const struct profile *p, const struct columns_options *o,
		  struct sink *out, struct sink *places, struct error *err)
{
	struct arena arena = { 0 };
	struct sink json = sink_to_memory(&arena);
	struct columns c = {
		.profile = p,
		.options = o,
		.arena = &arena,
		.json = json_to(&json),
	};
	int r = fill(&c, err);

	if (r == 0)
		pagefile_write(&c.file, sink_bytes(&json), o->planes, out);
	if (r == 0 && places && columns_write_places(&c, places) < 0)
		r = error_set(err, -ENOMEM, "out of memory");
	arena_release(&arena);
	return r;
}
