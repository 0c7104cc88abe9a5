/* SPDX-License-Identifier: MIT */
/*
 * What readers of a recording's tables have in common: columns into the members
 * of rows, and numbers of rows into ids.  A whole block may still be hostile:
 * every number is checked, and there are never more rows than bytes in it.
 */
#include "format/recording_read.h"

#include <errno.h>
#include <string.h>

#include "base/check.h"
#include "base/error.h"

int recording_no_memory(struct recording_reader *rd)
{
	return error_set(rd->err, -ENOMEM,
			 "not enough memory for the recording");
}

int recording_malformed(struct recording_reader *rd, const char *why)
{
	return error_set(rd->err, -EBADMSG,
			 "malformed recording: block %u (%s): %s",
			 rd->block.sequence, block_name(rd->block.type), why);
}

static function_id lost_function(struct recording_reader *rd)
{
	struct profile *p = rd->p;

	if (!rd->lost_function)
		rd->lost_function = profile_add_function(
			p, (struct function){
				   .name = strtab_add_text(p->strings,
							   RECORDING_LOST),
			   });
	return rd->lost_function;
}

static location_id lost_location(struct recording_reader *rd)
{
	const struct line line = { .function = lost_function(rd) };

	if (!rd->lost_location)
		rd->lost_location = profile_add_location(
			rd->p, (struct location){ 0 }, &line, 1);
	return rd->lost_location;
}

/* What stands for a row of this table that is lost. */
static uint32_t stand_in(struct recording_reader *rd, unsigned table)
{
	const frame_id frame = table == BLOCK_STACKS ? lost_location(rd) : 0;

	switch (table) {
	case BLOCK_STRINGS:
		return strtab_add_text(rd->p->strings, RECORDING_LOST);
	case BLOCK_FUNCTIONS:
		return lost_function(rd);
	case BLOCK_LOCATIONS:
		return lost_location(rd);
	case BLOCK_STACKS:
		return stack_add(&rd->p->stacks, 0, &frame, 1);
	default: /* mappings and label sets: none */
		return 0;
	}
}

bool recording_resolve(struct recording_reader *rd, unsigned table,
		       uint64_t row, uint32_t *ret)
{
	*ret = 0;
	if (!row)
		return true;
	if (row <= UINT32_MAX &&
	    rowmap_find(&rd->map[table], (uint32_t)row, ret))
		return true;
	if (!rd->found.count[LOSS_BLOCKS])
		return false;
	*ret = stand_in(rd, table);
	return true;
}

int recording_take_column(struct recording_reader *rd, struct table_in *t,
			  unsigned number, uint64_t count,
			  struct column_in *ret)
{
	*ret = table_column(t, number);
	if (!ret->there)
		return 0;
	if (ret->encoding == ENCODING_BYTES)
		return recording_malformed(rd, "numbers stored as bytes");
	/* Or a short column and a large count would keep us busy for long. */
	if (reader_left(&ret->bytes) < count)
		return recording_malformed(rd, "a column is too short");
	return 0;
}

int recording_need_column(struct recording_reader *rd, struct table_in *t,
			  unsigned number, uint64_t count,
			  struct column_in *ret)
{
	int r = recording_take_column(rd, t, number, count, ret);

	if (r == 0 && !ret->there && count)
		return recording_malformed(rd, "a column is missing");
	return r;
}

int recording_column_done(struct recording_reader *rd,
			  const struct column_in *c)
{
	if (c->bytes.failed)
		return recording_malformed(rd, "a column is too short");
	if (reader_left(&c->bytes))
		return recording_malformed(rd, "a column is too long");
	return 0;
}

/* Stores value in the member at; false: it does not fit or leads nowhere. */
static bool store(struct recording_reader *rd, const struct field *f, char *at,
		  uint64_t value)
{
	uint32_t narrow = (uint32_t)value;

	if (f->size == sizeof(value)) {
		memcpy(at, &value, sizeof(value));
		return true;
	}
	if (f->size == sizeof(bool)) {
		*(bool *)at = value & 1;
		return true;
	}
	if (f->ref) {
		if (!recording_resolve(rd, f->ref, value, &narrow))
			return false;
	} else if (value > UINT32_MAX) {
		return false;
	}
	memcpy(at, &narrow, sizeof(narrow));
	return true;
}

static char *member(const struct rows_in *rows, const struct field *f,
		    uint64_t i)
{
	return (char *)rows->at + i * rows->layout->row_size + f->offset;
}

static void store_numbers(const struct rows_in *rows, const struct field *f)
{
	ASSERT(f->size == sizeof(uint64_t));
	for (uint64_t i = 0; i < rows->count; i++) {
		uint64_t number = rows->number + i;

		memcpy(member(rows, f, i), &number, sizeof(number));
	}
}

static int read_field(struct recording_reader *rd, struct table_in *t,
		      const struct rows_in *rows, const struct field *f)
{
	struct column_in c;
	int r = f->rule == FIELD_ALWAYS
			? recording_need_column(rd, t, f->column, rows->count,
						&c)
			: recording_take_column(rd, t, f->column, rows->count,
						&c);

	if (r < 0)
		return r;
	if (!c.there) {
		if (f->rule == FIELD_OR_NUMBER)
			store_numbers(rows, f);
		return 0;
	}
	for (uint64_t i = 0; i < rows->count; i++)
		if (!store(rd, f, member(rows, f, i), column_get(&c)))
			return recording_malformed(
				rd, "a number that leads nowhere");
	return recording_column_done(rd, &c);
}

int recording_read_rows(struct recording_reader *rd, struct table_in *t,
			struct rows_in rows)
{
	int r = 0;

	for (size_t i = 0; i < rows.layout->field_count && r == 0; i++)
		r = read_field(rd, t, &rows, &rows.layout->fields[i]);
	return r;
}

int recording_add_row(struct recording_reader *rd, uint32_t id)
{
	struct rowmap *m = &rd->map[rd->block.type];

	if (!rowmap_add(m, &rd->scratch, id))
		return recording_no_memory(rd);
	return 0;
}

uint64_t recording_sum_column(struct column_in c, uint64_t count)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t length = column_get(&c);

		if (__builtin_add_overflow(sum, length, &sum))
			return UINT64_MAX;
	}
	return sum;
}

int recording_make_types(struct recording_reader *rd, uint64_t count)
{
	struct profile *p = rd->p;

	p->types.count = 0;
	if (!VEC_RESERVE(&p->types, p->arena, count))
		return recording_no_memory(rd);
	while (p->types.count < count)
		p->types.at[p->types.count++] = (struct value_type){ 0 };
	return 0;
}
