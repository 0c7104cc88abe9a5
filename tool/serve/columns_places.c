/* SPDX-License-Identifier: MIT */
/*
 * A second file for the page, which it asks for when source is looked at:
 * stacks as they were sampled, place by place, with the line and address of
 * each.  It refers to the functions and stacks of the first.
 */
#include <errno.h>

#include "base/arena.h"
#include "base/markup.h"
#include "base/sink.h"
#include "profile/order.h"
#include "profile/profile.h"
#include "serve/columns_parts.h"

static void add_runs(struct columns *c, struct pagefile *f)
{
	const struct stack_order *o = c->order;
	const struct stacktab *t = &c->profile->stacks;
	uint32_t *up = ARENA_ARRAY(c->arena, uint32_t, o->count);
	uint32_t *length = ARENA_ARRAY(c->arena, uint32_t, o->count);
	uint32_t *frames = ARENA_ARRAY(c->arena, uint32_t,
				       (size_t)t->frames.count + 1);
	uint32_t at = 0;

	if (c->arena->failed)
		return;
	for (uint32_t i = 1; i < o->count; i++) {
		const struct stack_node *n = &o->step[i];

		up[i] = n->parent ? i - n->parent : 0;
		length[i] = n->length;
		for (uint32_t k = 0; k < n->length; k++)
			frames[at++] = t->frames.at[n->first + k];
	}
	pagefile_add(f, "runUp", up, o->count);
	pagefile_add(f, "runLength", length, o->count);
	pagefile_add(f, "frames", frames, at);
}

/* Where each of the page's stacks ends. */
static void add_stack_runs(struct columns *c, struct pagefile *f)
{
	const struct profile *p = c->profile;
	const struct stack_order *o = c->order;
	bool *sampled = ARENA_ARRAY(c->arena, bool, p->stacks.nodes.count);
	uint32_t *run = ARENA_ARRAY(c->arena, uint32_t, o->count);
	uint32_t count = 0;

	if (c->arena->failed)
		return;
	for (uint32_t i = 0; i < p->sample_count; i++)
		sampled[p->stack[i]] = true;
	for (uint32_t i = 0; i < o->count; i++)
		if (sampled[order_node(o, i)])
			run[count++] = i;
	pagefile_add(f, "stackRun", run, count);
}

/* Names of files, numbered as they come; 0: none is known. */
struct files {
	struct columns *c;
	struct json *json;
	uint32_t *number; /* by str_id of the profile */
	uint32_t count;
};

static uint32_t file_number(struct files *f, str_id id)
{
	struct sink clean = sink_to_memory(f->c->arena);

	if (!id || f->number[id])
		return f->number[id];
	sink_visible(&clean, str_span(f->c->profile->strings, id),
		     COLUMNS_TEXT_MOST);
	json_span(f->json, sink_bytes(&clean));
	return f->number[id] = ++f->count;
}

/* The file of each line: functions of one name may be in several. */
static void add_files(struct columns *c, struct pagefile *f, struct json *json)
{
	const struct profile *p = c->profile;
	const struct nodetab *nodes = &c->nodes;
	uint32_t *file = ARENA_ARRAY(c->arena, uint32_t,
				     (size_t)nodes->ids.count + 1);
	struct files files = {
		.c = c,
		.json = json,
		.number = ARENA_ARRAY(c->arena, uint32_t,
				      (size_t)p->strings->strings.count + 1),
	};

	if (c->arena->failed)
		return;
	json_key(json, "files");
	json_open(json, '[');
	json_text(json, "");
	for (uint32_t l = 1; l < p->locations.count; l++) {
		const struct location *at = &p->locations.at[l];
		const struct line *lines = location_lines(p, at);
		uint32_t first = nodes->first[l];

		for (uint32_t i = first; i < nodes->first[l + 1]; i++)
			if (i - first < at->line_count)
				file[i] = file_number(
					&files,
					p->functions
						.at[lines[i - first].function]
						.file);
	}
	json_close(json, ']');
	pagefile_add(f, "lineFile", file, nodes->ids.count);
}

static void add_lines(struct columns *c, struct pagefile *f)
{
	const struct profile *p = c->profile;
	const struct nodetab *nodes = &c->nodes;
	uint32_t count = p->locations.count;
	size_t entries = (size_t)nodes->ids.count + 1;
	uint32_t *end = ARENA_ARRAY(c->arena, uint32_t, count);
	uint32_t *function = ARENA_ARRAY(c->arena, uint32_t, entries);
	uint32_t *line = ARENA_ARRAY(c->arena, uint32_t, entries);
	double *address = ARENA_ARRAY(c->arena, double, count);

	if (c->arena->failed)
		return;
	for (uint32_t l = 1; l < count; l++) {
		const struct location *at = &p->locations.at[l];
		const struct line *lines = location_lines(p, at);

		for (uint32_t i = nodes->first[l]; i < nodes->first[l + 1];
		     i++) {
			uint32_t k = i - nodes->first[l];

			function[i] = c->rank[nodes->ids.at[i]];
			if (k < at->line_count && lines[k].line > 0 &&
			    lines[k].line < UINT32_MAX)
				line[i] = (uint32_t)lines[k].line;
		}
		end[l] = nodes->first[l + 1];
		address[l] = (double)at->address;
	}
	end[0] = nodes->first[1];
	pagefile_add(f, "placeEnd", end, count);
	pagefile_add_real(f, "placeAddress", address, count);
	pagefile_add(f, "lineFunction", function, nodes->ids.count);
	pagefile_add(f, "lineNumber", line, nodes->ids.count);
}

int columns_write_places(struct columns *c, struct sink *out)
{
	struct pagefile f = { .arena = c->arena };
	struct sink text = sink_to_memory(c->arena);
	struct json json = json_to(&text);

	add_runs(c, &f);
	add_stack_runs(c, &f);
	add_lines(c, &f);
	json_open(&json, '{');
	add_files(c, &f, &json);
	if (c->arena->failed)
		return -ENOMEM;
	pagefile_write(&f, sink_bytes(&text), c->options->planes, out);
	return 0;
}
