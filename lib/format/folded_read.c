/* SPDX-License-Identifier: MIT */
/*
 * Reading folded stacks.  There are no addresses: each different name (with
 * its mark) becomes a function and a location of its own, and a name that was
 * inlined another line of the location before it.
 */
#include <errno.h>
#include <stdbool.h>

#include "base/check.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/table.h"
#include "format/folded.h"
#include "format/folded_line.h"
#include "format/format.h"
#include "format/legacy_text.h"
#include "profile/code.h"
#include "profile/profile.h"

enum {
	HEAD_LINES = 16,	 /* that must all look like stacks */
	HEAD_BYTES = 1024 * 1024 /* within this, or until the first is whole */
};

/* The marks that names carry behind them. */
enum mark {
	MARK_NONE,
	MARK_KERNEL,
	MARK_JIT,
	MARK_INLINED,
	MARKS,
};

enum { MARK_LEN = 4 };

static const char *const mark_text[MARKS] = {
	[MARK_KERNEL] = "_[k]",
	[MARK_JIT] = "_[j]",
	[MARK_INLINED] = "_[i]",
};

/* What makes two frames one location. */
struct frame_key {
	str_id name;
	enum mark mark;
	location_id into; /* of an inlined one: what it was inlined into */
};

struct build {
	struct profile *p;
	bool two; /* counts on each line */
	mapping_id mappings[MARKS];
	VEC(struct frame_key) keys; /* by location */
	struct table locations;
	VEC(struct line) lines;	  /* of a location being made */
	VEC(function_id) by_name; /* by str_id; 0: none yet */
	VEC(frame_id) frames;	  /* of the stack at hand, caller first */
};

static enum mark mark_of(struct span name)
{
	for (int m = 1; name.len > MARK_LEN && m < MARKS; m++)
		if (!memcmp(name.at + name.len - MARK_LEN, mark_text[m],
			    MARK_LEN))
			return (enum mark)m;
	return MARK_NONE;
}

/* Cuts the marks off a name; of several the last counts. */
static enum mark take_mark(struct span *name)
{
	enum mark mark = mark_of(*name);

	while (mark_of(*name))
		name->len -= MARK_LEN;
	return mark;
}

static function_id get_function(struct build *b, str_id name)
{
	struct profile *p = b->p;
	function_id *known;

	if (b->by_name.count <= name) {
		uint32_t more = name + 1 - b->by_name.count;

		if (!VEC_RESERVE(&b->by_name, p->arena, more))
			return 0;
		b->by_name.count += more;
	}
	known = &b->by_name.at[name];
	if (!*known)
		*known = profile_add_function(
			p, (struct function){ .id = p->functions.count,
					      .name = name,
					      .system_name = name });
	return *known;
}

/* The mapping that stands for a mark, made when first asked for. */
static mapping_id get_mapping(struct build *b, enum mark mark)
{
	static const char *const files[MARKS] = {
		[MARK_NONE] = "", /* the program, whatever it was called */
		[MARK_KERNEL] = CODE_KERNEL_FILE,
		[MARK_JIT] = CODE_JIT_FILE,
	};
	struct profile *p = b->p;

	ASSERT(files[mark]);
	if (!b->mappings[mark])
		b->mappings[mark] = profile_add_mapping(
			p,
			(struct mapping){ .id = p->mappings.count,
					  .file = strtab_add_text(p->strings,
								  files[mark]),
					  .flags = MAPPING_HAS_FUNCTIONS |
						   MAPPING_HAS_FILENAMES |
						   MAPPING_HAS_LINE_NUMBERS |
						   MAPPING_HAS_INLINE_FRAMES });
	return b->mappings[mark];
}

/* Collects the lines of a new location: its own, then those it is within. */
static bool collect_lines(struct build *b, const struct frame_key *key)
{
	struct profile *p = b->p;
	struct line *own;
	uint32_t outer = 0;

	b->lines.count = 0;
	if (key->into)
		outer = p->locations.at[key->into].line_count;
	if (!VEC_RESERVE(&b->lines, p->arena, (uint64_t)outer + 1))
		return false;
	own = &b->lines.at[b->lines.count++];
	*own = (struct line){ .function = get_function(b, key->name) };
	for (uint32_t i = 0; i < outer; i++)
		b->lines.at[b->lines.count++] = location_lines(
			p, &p->locations.at[key->into])[i];
	return own->function != 0;
}

static location_id add_location(struct build *b, const struct frame_key *key,
				uint32_t hash)
{
	struct profile *p = b->p;
	struct location l = { .id = p->locations.count };
	location_id id;

	if (key->into)
		l.mapping = p->locations.at[key->into].mapping;
	else
		l.mapping = get_mapping(b, key->mark);
	if (!collect_lines(b, key))
		return 0;
	id = profile_add_location(p, l, b->lines.at, b->lines.count);
	/* Locations come one after the other, so the first skips only row 0. */
	if (!id || !VEC_RESERVE(&b->keys, p->arena, id + 1 - b->keys.count))
		return 0;
	b->keys.count = id + 1;
	b->keys.at[id] = *key;
	return table_add(&b->locations, p->arena, hash, id) ? id : 0;
}

static location_id get_location(struct build *b, struct frame_key key)
{
	uint32_t hash = hash_u64(hash_mix((uint64_t)key.into << 32 | key.name,
					  (uint64_t)key.mark));
	uint32_t i = table_start(&b->locations, hash);
	location_id id;

	for (; (id = table_id(&b->locations, i, hash)) != TABLE_END;
	     i = table_next(&b->locations, i)) {
		const struct frame_key *k = &b->keys.at[id];

		if (id && k->name == key.name && k->mark == key.mark &&
		    k->into == key.into)
			return id;
	}
	return add_location(b, &key, hash);
}

static bool add_frame(struct build *b, struct span name)
{
	struct frame_key key = { .mark = take_mark(&name) };
	frame_id *place;

	if (!name.len)
		name = span_text("[unknown]");
	key.name = strtab_add_span(b->p->strings, name);
	if (key.mark == MARK_INLINED && b->frames.count) {
		place = &b->frames.at[b->frames.count - 1];
		key.into = *place;
	} else {
		place = VEC_PUSH(&b->frames, b->p->arena);
		/* Nothing to be inlined into is the mark of a cut stack. */
		if (key.mark == MARK_INLINED)
			key.mark = MARK_NONE;
	}
	if (!place || !key.name)
		return false;
	*place = get_location(b, key);
	return *place != 0;
}

static int add_stack(struct build *b, struct span text, stack_id *ret)
{
	struct profile *p = b->p;

	b->frames.count = 0;
	for (bool more = true; more;) {
		const uint8_t *end = text.len ? memchr(text.at, ';', text.len)
					      : NULL;
		size_t len = end ? (size_t)(end - text.at) : text.len;

		if (!add_frame(b, span_part(text, 0, len)))
			return -ENOMEM;
		more = end != NULL;
		if (more)
			text = span_part(text, len + 1, text.len - len - 1);
	}
	*ret = stack_add(&p->stacks, 0, b->frames.at, b->frames.count);
	return *ret ? 0 : -ENOMEM;
}

static int add_line(struct build *b, const struct folded_line *l)
{
	stack_id stack;
	int64_t *value;
	int r = add_stack(b, b->two ? l->short_stack : l->stack, &stack);

	if (r < 0)
		return r;
	value = profile_add_sample(b->p, stack, 0);
	if (!value)
		return -ENOMEM;
	if (b->two)
		*value++ = l->before;
	*value = l->last;
	return 0;
}

static bool add_type(struct profile *p, const char *name)
{
	struct value_type *type = VEC_PUSH(&p->types, p->arena);

	if (!type)
		return false;
	type->type = strtab_add_text(p->strings, name);
	type->unit = strtab_add_text(p->strings, "count");
	return true;
}

static int add_types(struct build *b)
{
	bool done;

	if (b->two)
		done = add_type(b->p, FOLDED_BEFORE) &&
		       add_type(b->p, FOLDED_AFTER);
	else
		done = add_type(b->p, "samples");
	return done ? 0 : -ENOMEM;
}

/* Whether every line has two counts: names too may end with a number. */
static bool has_two(struct span data)
{
	struct lines lines = lines_of(data);
	struct folded_line l;
	bool any = false;

	while (lines_next(&lines)) {
		if (folded_line_skipped(lines.line))
			continue;
		if (!folded_line_parse(&l, lines.line) || !l.two)
			return false;
		any = true;
	}
	return any;
}

static int read_lines(struct build *b, struct span data, struct error *err)
{
	struct lines lines = lines_of(data);
	struct folded_line l;

	while (lines_next(&lines)) {
		int r;

		if (folded_line_skipped(lines.line))
			continue;
		if (!folded_line_parse(&l, lines.line))
			return error_set(
				err, -EBADMSG,
				"line %u of folded stacks has no count at its end: '%.*s'",
				lines.number, text_shown(lines.line),
				(const char *)lines.line.at);
		r = add_line(b, &l);
		if (r < 0)
			return error_set(
				err, r,
				"there is not enough memory to read it");
	}
	return 0;
}

/*
 * There is no mark to go by, and a sentence may end with a number.  So the
 * first lines must all be stacks, and one must show it: by a ';', or by a name
 * that is one word.
 */
static bool folded_detect(struct span data)
{
	size_t len = data.len < HEAD_BYTES ? data.len : HEAD_BYTES;
	struct lines lines = lines_of(span_part(data, 0, len));
	struct folded_line l;
	unsigned seen = 0;
	bool shown = false;

	while (seen < HEAD_LINES && lines_next(&lines)) {
		/* A line that the head's end cuts tells nothing. */
		if (folded_line_skipped(lines.line) ||
		    (seen && len < data.len && !lines.rest.len))
			continue;
		if (!folded_line_parse(&l, lines.line) ||
		    memchr(lines.line.at, 0, lines.line.len))
			return false;
		shown |= memchr(l.stack.at, ';', l.stack.len) ||
			 !memchr(l.stack.at, ' ', l.stack.len);
		seen++;
	}
	return shown;
}

int folded_read(struct profile *p, struct span data, struct error *err)
{
	struct build b = { .p = p };
	int r;

	if (!folded_detect(data))
		return error_set(err, -ENOTSUP,
				 "its lines are not stacks with a count");
	b.two = has_two(data);
	r = add_types(&b);
	if (r == 0 && !get_mapping(&b, MARK_NONE)) /* the first one's place */
		r = -ENOMEM;
	return r < 0 ? error_set(err, r,
				 "there is not enough memory to read it")
		     : read_lines(&b, data, err);
}

const struct format format_folded = {
	.name = "folded",
	.extensions = "folded collapsed",
	.summary = "folded stacks, as flame graph scripts read and write them",
	.detect = folded_detect,
	.read = folded_read,
	.write = folded_write,
};
