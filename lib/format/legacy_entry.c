/* SPDX-License-Identifier: MIT */
/*
 * One line of a memory map.  Readers have always been lenient, and what they
 * make of odd lines is part of the format: which lines are entries is decided
 * here exactly as pprof's patterns decide it.
 */
#include "format/legacy_entry.h"

#include <stdbool.h>
#include <string.h>

#include "base/check.h"
#include "format/legacy_build.h"
#include "format/legacy_text.h"

/* The fields of an entry; those it does not have are empty. */
struct entry {
	struct span access;
	struct span start;
	struct span limit;
	struct span offset;
	struct span file;
	struct span build_id;
};

/* A "0x" is part of the number only if a digit follows. */
static struct span take_hex(struct reader *r)
{
	if (reader_left(r) > 2 && r->at[0] == '0' && r->at[1] == 'x' &&
	    text_in(r->at[2], TEXT_HEX))
		r->at += 2;
	return text_run(r, TEXT_HEX);
}

/* START and LIMIT with a separator: at most one '-', any spaces. */
static bool take_range(struct reader *r, struct entry *e)
{
	text_run(r, TEXT_SPACE);
	e->start = take_hex(r);
	if (reader_left(r) && (*r->at == '-' || text_in(*r->at, TEXT_SPACE)))
		r->at++;
	text_run(r, TEXT_SPACE);
	e->limit = take_hex(r);
	return e->start.len && e->limit.len;
}

/*
 * START and LIMIT without one: the last digit of the number is LIMIT, or, if
 * it is the '0' of a "0x", what follows.
 */
static bool take_joined_range(struct reader *r, struct entry *e)
{
	text_run(r, TEXT_SPACE);
	e->start = take_hex(r);
	if (e->start.len < 2)
		return false;
	e->start.len--;
	r->at--;
	e->limit = take_hex(r);
	return true;
}

/* Takes spaces and then a run of the classes, both or neither. */
static struct span take_field(struct reader *r, unsigned classes)
{
	struct reader ahead = *r;
	struct span field = { 0 };

	if (!text_run(&ahead, TEXT_SPACE).len)
		return field;
	field = text_run(&ahead, classes);
	if (field.len)
		*r = ahead;
	return field;
}

static struct span take_word(struct reader *r)
{
	struct reader ahead = *r;
	struct span word = { 0 };

	if (!text_run(&ahead, TEXT_SPACE).len)
		return word;
	word = text_run_not(&ahead, TEXT_SPACE);
	if (word.len)
		*r = ahead;
	return word;
}

/* " (@OFFSET)", all or nothing. */
static struct span take_at_offset(struct reader *r)
{
	struct reader ahead = *r;
	struct span offset;

	if (!text_run(&ahead, TEXT_SPACE).len || !text_take(&ahead, "(@"))
		return (struct span){ 0 };
	offset = text_run(&ahead, TEXT_HEX);
	if (!offset.len || !text_take(&ahead, ")"))
		return (struct span){ 0 };
	*r = ahead;
	return offset;
}

/* [:] [ACCESS] [OFFSET] MAJOR:MINOR INODE [FILE] */
static bool take_proc_fields(struct reader *r, struct entry *e)
{
	struct span major;

	text_take(r, ":");
	e->access = take_field(r, TEXT_ACCESS);
	major = take_field(r, TEXT_HEX);
	if (!text_take(r, ":")) {
		e->offset = major;
		major = take_field(r, TEXT_HEX);
		if (!text_take(r, ":"))
			return false;
	}
	if (!major.len || !text_run(r, TEXT_HEX).len ||
	    !take_field(r, TEXT_DIGIT).len)
		return false;
	e->file = take_word(r);
	return true;
}

/* [:] [ACCESS] [FILE] [(@OFFSET)] [BUILDID] */
static bool take_brief_fields(struct reader *r, struct entry *e)
{
	text_take(r, ":");
	e->access = take_field(r, TEXT_ACCESS);
	e->file = take_word(r);
	e->offset = take_at_offset(r);
	e->build_id = take_field(r, TEXT_HEX);
	return true;
}

typedef bool take_part(struct reader *r, struct entry *e);

/* The ways to read a line, the preferred one first. */
static const struct {
	take_part *range;
	take_part *fields;
} ways[] = {
	{ take_range, take_proc_fields },
	{ take_joined_range, take_proc_fields },
	{ take_range, take_brief_fields },
	{ take_joined_range, take_brief_fields },
};

static bool find_fields(struct span line, struct entry *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct reader r = reader_of(line);

		*e = (struct entry){ 0 };
		if (ways[i].range(&r, e) && ways[i].fields(&r, e))
			return true;
	}
	return false;
}

/* False if a number does not fit. */
static bool convert(const struct entry *e, struct legacy_mapping *m)
{
	*m = (struct legacy_mapping){ .file = e->file,
				      .build_id = e->build_id };
	return text_unsigned(e->start, 16, &m->start) &&
	       text_unsigned(e->limit, 16, &m->limit) &&
	       (!e->offset.len || text_unsigned(e->offset, 16, &m->offset));
}

/* Numbers that do not fit are looked at only in entries that can be executed.
 */
enum legacy_entry legacy_parse_entry(struct span line, struct legacy_mapping *m)
{
	struct entry e;

	if (!find_fields(line, &e))
		return ENTRY_NONE;
	if (e.access.len && !memchr(e.access.at, 'x', e.access.len))
		return ENTRY_DATA;
	return convert(&e, m) ? ENTRY_CODE : ENTRY_NONE;
}
