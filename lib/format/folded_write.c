/* SPDX-License-Identifier: MIT */
/*
 * Writing folded stacks.  Frames that look the same in this format, such as two
 * places in one function, are the same here: each location is given the number
 * of its text, and stacks of such numbers are made and added up.
 */
#include <errno.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/sink.h"
#include "base/strtab.h"
#include "format/folded.h"
#include "profile/code.h"
#include "profile/profile.h"

enum { TYPES = 2 }; /* at most */

/* What was added up for one stack. */
struct row {
	int64_t sums[TYPES];
	bool seen;
};

struct folder {
	const struct profile *p;
	struct arena scratch;
	uint32_t first_type;
	uint32_t type_count;
	struct strtab texts;
	str_id *text; /* by location */
	struct stacktab stacks;
	VEC(stack_id) order;  /* of the first appearance of stacks */
	VEC(struct row) rows; /* by stack_id */
	VEC(frame_id) frames;
};

static void put_name(struct sink *out, struct span name)
{
	if (!name.len)
		name = span_text("[unknown]");
	for (size_t i = 0; i < name.len; i++) {
		uint8_t c = name.at[i];

		sink_char(out, c == ';' ? ':' : c < ' ' ? ' ' : (char)c);
	}
}

static void put_location(struct sink *out, const struct profile *p,
			 const struct location *l)
{
	const struct line *lines = location_lines(p, l);
	enum code_kind kind = mapping_code(p, l->mapping);

	if (!lines && l->mapping && p->mappings.at[l->mapping].file) {
		sink_char(out, '[');
		put_name(out,
			 str_span(p->strings, p->mappings.at[l->mapping].file));
		sink_char(out, ']');
	} else if (!lines) {
		sink_text(out, "[unknown]");
	}
	for (uint32_t i = l->line_count; i-- > 0;) {
		const struct function *f = &p->functions.at[lines[i].function];

		put_name(out, str_span(p->strings, f->name));
		if (i + 1 < l->line_count)
			sink_text(out, "_[i]");
		else if (kind == CODE_KERNEL)
			sink_text(out, "_[k]");
		else if (kind == CODE_JIT)
			sink_text(out, "_[j]");
		if (i)
			sink_char(out, ';');
	}
}

static bool is_numeric(char c)
{
	return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+';
}

/* Mends what a reader would take for something else: see folded.h. */
static void mend(char *text, size_t len)
{
	size_t end = len;

	if (len && text[0] == '#')
		text[0] = '_';
	if (len && text[0] == ' ')
		text[0] = '_';
	while (end && text[end - 1] == ' ')
		text[--end] = '_';
	end = len;
	while (end && is_numeric(text[end - 1]))
		end--;
	if (end && end < len && text[end - 1] == ' ')
		text[end - 1] = '_';
}

static int make_texts(struct folder *f)
{
	const struct profile *p = f->p;
	struct sink out = sink_to_memory(&f->scratch);

	f->text = ARENA_ARRAY(&f->scratch, str_id, p->locations.count + 1);
	if (!f->text)
		return -ENOMEM;
	for (uint32_t i = 1; i < p->locations.count; i++) {
		out.used = 0;
		put_location(&out, p, &p->locations.at[i]);
		if (out.error)
			return -ENOMEM;
		mend(out.buf, out.used);
		f->text[i] = strtab_add_span(&f->texts, sink_bytes(&out));
	}
	return f->scratch.failed ? -ENOMEM : 0;
}

/* The stack of a sample in texts, or 0: out of memory. */
static stack_id fold(struct folder *f, stack_id id)
{
	uint32_t depth = stack_depth(&f->p->stacks, id);

	f->frames.count = 0;
	if (!VEC_RESERVE(&f->frames, &f->scratch, (uint64_t)depth + 1))
		return 0;
	stack_frames(&f->p->stacks, id, f->frames.at, depth);
	for (uint32_t i = 0; i < depth; i++)
		f->frames.at[i] = f->text[f->frames.at[i]];
	if (!depth)
		f->frames.at[depth++] = strtab_add_text(&f->texts, "[unknown]");
	return stack_add_leaf_first(&f->stacks, f->frames.at, depth);
}

/* The sums of a stack, or NULL: out of memory. */
static int64_t *sums_of(struct folder *f, stack_id id)
{
	stack_id *place;

	if (f->rows.count <= id) {
		uint32_t more = id + 1 - f->rows.count;

		if (!VEC_RESERVE(&f->rows, &f->scratch, more))
			return NULL;
		f->rows.count += more;
	}
	if (!f->rows.at[id].seen) {
		place = VEC_PUSH(&f->order, &f->scratch);
		if (!place)
			return NULL;
		*place = id;
		f->rows.at[id].seen = true;
	}
	return f->rows.at[id].sums;
}

static int add_up(struct folder *f)
{
	const struct profile *p = f->p;

	for (uint32_t i = 0; i < p->sample_count; i++) {
		const int64_t *value = profile_values(p, i) + f->first_type;
		stack_id id = fold(f, p->stack[i]);
		int64_t *sums = id ? sums_of(f, id) : NULL;

		if (!sums)
			return -ENOMEM;
		for (uint32_t t = 0; t < f->type_count; t++)
			sums[t] = (int64_t)((uint64_t)sums[t] +
					    (uint64_t)value[t]);
	}
	return 0;
}

static void put_stack(struct folder *f, stack_id id, struct sink *out)
{
	const int64_t *sums = f->rows.at[id].sums;
	uint32_t depth = stack_depth(&f->stacks, id);
	bool any = false;

	for (uint32_t t = 0; t < f->type_count; t++)
		any |= sums[t] != 0;
	if (!any)
		return;
	/* As long as some sample's stack, so there is room. */
	stack_frames(&f->stacks, id, f->frames.at, depth);
	while (depth-- > 0) {
		sink_span(out, str_span(&f->texts, f->frames.at[depth]));
		if (depth)
			sink_char(out, ';');
	}
	for (uint32_t t = 0; t < f->type_count; t++)
		sink_format(out, " %lld", (long long)sums[t]);
	sink_char(out, '\n');
}

static int write_types(const struct profile *p, uint32_t first, uint32_t count,
		       struct sink *out, struct error *err)
{
	struct folder f = { .p = p, .first_type = first, .type_count = count };
	int r;

	strtab_init(&f.texts, &f.scratch);
	stacktab_init(&f.stacks, &f.scratch);
	r = make_texts(&f);
	if (r == 0)
		r = add_up(&f);
	for (uint32_t i = 0; i < f.order.count && r == 0; i++)
		put_stack(&f, f.order.at[i], out);
	arena_release(&f.scratch);
	return r < 0 ? error_set(err, r, "out of memory") : 0;
}

int folded_write_type(const struct profile *p, uint32_t type, struct sink *out,
		      struct error *err)
{
	return write_types(p, type, 1, out, err);
}

bool folded_is_pair(const struct profile *p)
{
	return p->types.count == 2 &&
	       !strcmp(profile_text(p, p->types.at[0].type), FOLDED_BEFORE) &&
	       !strcmp(profile_text(p, p->types.at[1].type), FOLDED_AFTER);
}

/* The type of that name, else the last, as reports choose. */
static uint32_t default_type(const struct profile *p)
{
	for (uint32_t t = 0; t < p->types.count; t++)
		if (p->header.default_type &&
		    p->types.at[t].type == p->header.default_type)
			return t;
	return p->types.count - 1;
}

int folded_write(const struct profile *p, const struct workers *workers,
		 struct sink *out, struct error *err)
{
	(void)workers; /* equal stacks are found in one table */
	if (!p->types.count)
		return 0; /* and no samples */
	if (folded_is_pair(p))
		return write_types(p, 0, 2, out, err);
	return write_types(p, default_type(p), 1, out, err);
}
