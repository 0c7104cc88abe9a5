/* SPDX-License-Identifier: MIT */
/*
 * The reader's inner half: the rows of blocks that are whole, into a profile.
 * A whole block may still be hostile: every number is checked, a row can only
 * refer to rows before it (so the stacks cannot form a circle), and there are
 * never more rows than bytes in the block.
 */
#include <errno.h>
#include <string.h>

#include "base/check.h"
#include "base/error.h"
#include "format/recording_column.h"
#include "format/recording_read.h"

#define LOST "[lost]"

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
				   .name = strtab_add_text(p->strings, LOST),
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
		return strtab_add_text(rd->p->strings, LOST);
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

/* Turns a table's row into its id in memory.  False: there is no such row. */
static bool resolve(struct recording_reader *rd, unsigned table, uint64_t row,
		    uint32_t *ret)
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

/* Takes a column of count numbers; it may not be there. */
static int take_column(struct recording_reader *rd, struct table_in *t,
		       unsigned number, uint64_t count, struct column_in *ret)
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

/* As take_column(), for one that must be there unless it would be empty. */
static int need_column(struct recording_reader *rd, struct table_in *t,
		       unsigned number, uint64_t count, struct column_in *ret)
{
	int r = take_column(rd, t, number, count, ret);

	if (r == 0 && !ret->there && count)
		return recording_malformed(rd, "a column is missing");
	return r;
}

static int column_done(struct recording_reader *rd, const struct column_in *c)
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
		if (!resolve(rd, f->ref, value, &narrow))
			return false;
	} else if (value > UINT32_MAX) {
		return false;
	}
	memcpy(at, &narrow, sizeof(narrow));
	return true;
}

/* Zeroed rows in memory to be filled; the first has this number. */
struct rows {
	const struct row_layout *layout;
	void *at;
	uint64_t number;
	uint64_t count;
};

static char *member(const struct rows *rows, const struct field *f, uint64_t i)
{
	return (char *)rows->at + i * rows->layout->row_size + f->offset;
}

static void store_numbers(const struct rows *rows, const struct field *f)
{
	ASSERT(f->size == sizeof(uint64_t));
	for (uint64_t i = 0; i < rows->count; i++) {
		uint64_t number = rows->number + i;

		memcpy(member(rows, f, i), &number, sizeof(number));
	}
}

static int read_field(struct recording_reader *rd, struct table_in *t,
		      const struct rows *rows, const struct field *f)
{
	struct column_in c;
	int r = f->rule == FIELD_ALWAYS
			? need_column(rd, t, f->column, rows->count, &c)
			: take_column(rd, t, f->column, rows->count, &c);

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
	return column_done(rd, &c);
}

static int read_rows(struct recording_reader *rd, struct table_in *t,
		     struct rows rows)
{
	int r = 0;

	for (size_t i = 0; i < rows.layout->field_count && r == 0; i++)
		r = read_field(rd, t, &rows, &rows.layout->fields[i]);
	return r;
}

/* Checks where a block's rows start, and goes on there. */
static int begin_rows(struct recording_reader *rd, const struct table_in *t)
{
	struct rowmap *m = &rd->map[rd->block.type];

	if (t->first < m->next)
		return recording_malformed(rd, "its rows are there already");
	if (t->first > m->next && !rd->found.count[LOSS_BLOCKS])
		return recording_malformed(rd, "rows before it are missing");
	if (!rowmap_begin(m, &rd->scratch, (uint32_t)t->first))
		return recording_no_memory(rd);
	return 0;
}

static int add_row(struct recording_reader *rd, uint32_t id)
{
	struct rowmap *m = &rd->map[rd->block.type];

	if (!rowmap_add(m, &rd->scratch, id))
		return recording_no_memory(rd);
	return 0;
}

/* Gives the rows just read, up to the column's end, their ids. */
static int add_rows(struct recording_reader *rd, uint32_t first, uint64_t count)
{
	int r = 0;

	for (uint64_t i = 0; i < count && r == 0; i++)
		r = add_row(rd, (uint32_t)(first + i));
	return r;
}

static int read_strings(struct recording_reader *rd, struct table_in *t)
{
	struct column_in length, bytes;
	char *text;
	int r = need_column(rd, t, STRING_LENGTH, t->count, &length);

	if (r < 0)
		return r;
	bytes = table_column(t, STRING_BYTES);
	if (bytes.there && bytes.encoding != ENCODING_BYTES)
		return recording_malformed(rd, "bytes stored as numbers");
	/* All in one piece, each with a NUL behind it. */
	text = arena_alloc(rd->p->arena, reader_left(&bytes.bytes) + t->count);
	if (!text)
		return recording_no_memory(rd);

	for (uint64_t i = 0; i < t->count && r == 0; i++) {
		struct span s = reader_take(&bytes.bytes, column_get(&length));

		if (s.len)
			memcpy(text, s.at, s.len);
		r = add_row(rd, strtab_add_static(rd->p->strings, text, s.len));
		text += s.len + 1;
	}
	if (r == 0)
		r = column_done(rd, &length);
	return r < 0 ? r : column_done(rd, &bytes);
}

static int read_comments(struct recording_reader *rd, struct table_in *t)
{
	struct profile *p = rd->p;
	struct column_in c;
	int r = take_column(rd, t, HEADER_COMMENTS, 0, &c);

	p->comments.count = 0;
	while (r == 0 && reader_left(&c.bytes)) {
		str_id *comment = VEC_PUSH(&p->comments, p->arena);

		if (!comment)
			return recording_no_memory(rd);
		if (!resolve(rd, BLOCK_STRINGS, column_get(&c), comment))
			r = recording_malformed(rd,
						"a number that leads nowhere");
	}
	return r < 0 ? r : column_done(rd, &c);
}

/* Makes room for exactly count zeroed types. */
static int make_types(struct recording_reader *rd, uint64_t count)
{
	struct profile *p = rd->p;

	p->types.count = 0;
	if (!VEC_RESERVE(&p->types, p->arena, count))
		return recording_no_memory(rd);
	while (p->types.count < count)
		p->types.at[p->types.count++] = (struct value_type){ 0 };
	return 0;
}

/* The header comes again when it has changed: the last one counts. */
static int read_header(struct recording_reader *rd, struct table_in *t)
{
	struct profile *p = rd->p;
	struct profile_header header = { 0 };
	int r;

	if (p->sample_count && t->count != p->types.count)
		return recording_malformed(rd, "the sample types have changed");
	r = make_types(rd, t->count);
	if (r == 0)
		r = read_rows(rd, t,
			      (struct rows){ .layout = &type_layout,
					     .at = p->types.at,
					     .count = t->count });
	if (r == 0)
		r = read_rows(rd, t,
			      (struct rows){ .layout = &header_layout,
					     .at = &header,
					     .count = 1 });
	p->header = header;
	rd->has_header = true;
	return r < 0 ? r : read_comments(rd, t);
}

static int read_mappings(struct recording_reader *rd, struct table_in *t)
{
	struct profile *p = rd->p;
	uint32_t first = p->mappings.count;
	int r;

	if (!VEC_RESERVE(&p->mappings, p->arena, t->count))
		return recording_no_memory(rd);
	r = read_rows(rd, t,
		      (struct rows){ .layout = &mapping_layout,
				     .at = p->mappings.at + first,
				     .number = t->first,
				     .count = t->count });
	p->mappings.count += (uint32_t)t->count;
	return r < 0 ? r : add_rows(rd, first, t->count);
}

static int read_functions(struct recording_reader *rd, struct table_in *t)
{
	struct profile *p = rd->p;
	uint32_t first = p->functions.count;
	int r;

	if (!VEC_RESERVE(&p->functions, p->arena, t->count))
		return recording_no_memory(rd);
	r = read_rows(rd, t,
		      (struct rows){ .layout = &function_layout,
				     .at = p->functions.at + first,
				     .number = t->first,
				     .count = t->count });
	p->functions.count += (uint32_t)t->count;
	return r < 0 ? r : add_rows(rd, first, t->count);
}

/* The lines of the locations from first on, which have been counted. */
static int read_lines(struct recording_reader *rd, struct table_in *t,
		      uint32_t first)
{
	struct profile *p = rd->p;
	uint64_t end = p->lines.count;
	struct rows rows = { .layout = &line_layout };

	for (uint64_t i = first; i < first + t->count; i++) {
		p->locations.at[i].first_line = (uint32_t)end;
		end += p->locations.at[i].line_count;
	}
	rows.count = end - p->lines.count;
	if (!rows.count)
		return 0;
	if (rows.count > rd->block.raw)
		return recording_malformed(rd,
					   "it has fewer lines than it says");
	if (!VEC_RESERVE(&p->lines, p->arena, rows.count))
		return recording_no_memory(rd);
	rows.at = p->lines.at + p->lines.count;
	p->lines.count = (uint32_t)end;
	return read_rows(rd, t, rows);
}

static int read_locations(struct recording_reader *rd, struct table_in *t)
{
	struct profile *p = rd->p;
	uint32_t first = p->locations.count;
	int r;

	if (!VEC_RESERVE(&p->locations, p->arena, t->count))
		return recording_no_memory(rd);
	r = read_rows(rd, t,
		      (struct rows){ .layout = &location_layout,
				     .at = p->locations.at + first,
				     .number = t->first,
				     .count = t->count });
	p->locations.count += (uint32_t)t->count;
	if (r == 0)
		r = read_lines(rd, t, first);
	return r < 0 ? r : add_rows(rd, first, t->count);
}

/* Takes length frames of a stack into room. */
static int take_frames(struct recording_reader *rd, struct column_in *c,
		       frame_id *room, uint64_t length)
{
	for (uint64_t i = 0; i < length; i++) {
		if (!resolve(rd, BLOCK_LOCATIONS, column_get(c), &room[i]) ||
		    !room[i])
			return recording_malformed(
				rd, "a frame that leads nowhere");
	}
	return 0;
}

struct stack_columns {
	struct column_in length;
	struct column_in parent;
	struct column_in frames;
	frame_id *room; /* for all frames of the block */
};

static int read_stack(struct recording_reader *rd, struct stack_columns *c,
		      uint64_t row)
{
	struct stacktab *stacks = &rd->p->stacks;
	uint64_t length = column_get(&c->length);
	uint64_t parent = c->parent.there ? column_get(&c->parent) : 0;
	stack_id caller;
	int r;

	if (parent >= row || !resolve(rd, BLOCK_STACKS, parent, &caller))
		return recording_malformed(rd, "a stack that leads nowhere");
	if (length > reader_left(&c->frames.bytes))
		return recording_malformed(rd,
					   "it has fewer frames than it says");
	r = take_frames(rd, &c->frames, c->room, length);
	if (r < 0)
		return r;
	return add_row(rd,
		       stack_add(stacks, caller, c->room, (uint32_t)length));
}

static int read_stacks(struct recording_reader *rd, struct table_in *t)
{
	struct stack_columns c;
	size_t size;
	int r = need_column(rd, t, STACK_LENGTH, t->count, &c.length);

	if (r == 0)
		r = take_column(rd, t, STACK_PARENT, t->count, &c.parent);
	if (r == 0)
		r = take_column(rd, t, STACK_FRAMES, 0, &c.frames);
	if (r < 0)
		return r;
	size = (reader_left(&c.frames.bytes) + 1) * sizeof(*c.room);
	c.room = arena_alloc(&rd->scratch, size);
	if (!c.room)
		return recording_no_memory(rd);

	for (uint64_t i = 0; i < t->count && r == 0; i++)
		r = read_stack(rd, &c, t->first + i);
	arena_free(&rd->scratch, c.room, size);
	if (r == 0)
		r = column_done(rd, &c.length);
	if (r == 0)
		r = column_done(rd, &c.parent);
	return r < 0 ? r : column_done(rd, &c.frames);
}

/* The lengths of the block's label sets, and how many labels there are. */
static uint64_t sum_column(struct column_in c, uint64_t count)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t length = column_get(&c);

		if (__builtin_add_overflow(sum, length, &sum))
			return UINT64_MAX;
	}
	return sum;
}

static int read_labels(struct recording_reader *rd, struct table_in *t)
{
	struct rows rows = { .layout = &label_layout };
	struct column_in length;
	struct label *labels;
	int r = need_column(rd, t, LABEL_COUNT, t->count, &length);

	if (r < 0)
		return r;
	rows.count = sum_column(length, t->count);
	if (rows.count > rd->block.raw)
		return recording_malformed(rd,
					   "it has fewer labels than it says");
	labels = ARENA_ARRAY(&rd->scratch, struct label, rows.count + 1);
	if (!labels)
		return recording_no_memory(rd);

	rows.at = labels;
	r = read_rows(rd, t, rows);
	for (uint64_t i = 0; i < t->count && r == 0; i++) {
		uint32_t count = (uint32_t)column_get(&length);

		r = add_row(rd, labels_add(&rd->p->label_sets, rows.at, count));
		rows.at = (struct label *)rows.at + count;
	}
	arena_free(&rd->scratch, labels, (rows.count + 1) * sizeof(*labels));
	return r < 0 ? r : column_done(rd, &length);
}

/* Reads a column of references from the samples, which are all 0 now. */
static int read_sample_ids(struct recording_reader *rd, struct column_in *c,
			   unsigned table, uint32_t *ids, uint64_t count)
{
	if (!c->there)
		return 0;
	for (uint64_t i = 0; i < count; i++)
		if (!resolve(rd, table, column_get(c), &ids[i]))
			return recording_malformed(
				rd, "a sample that leads nowhere");
	return column_done(rd, c);
}

static int read_times(struct recording_reader *rd, struct table_in *t,
		      uint32_t first)
{
	struct profile *p = rd->p;
	struct column_in c;
	int r = take_column(rd, t, SAMPLE_TIME, t->count, &c);

	if (r < 0 || !c.there)
		return r;
	if (profile_keep_times(p) < 0)
		return recording_no_memory(rd);
	for (uint64_t i = 0; i < t->count; i++)
		p->time[first + i] = (int64_t)column_get(&c);
	return column_done(rd, &c);
}

static int read_values(struct recording_reader *rd, struct table_in *t,
		       uint32_t first)
{
	struct profile *p = rd->p;

	for (uint32_t type = 0; type < p->types.count; type++) {
		int64_t *value = profile_values(p, first) + type;
		struct column_in c;
		int r = need_column(rd, t, SAMPLE_VALUES + type, t->count, &c);

		if (r < 0)
			return r;
		for (uint64_t i = 0; i < t->count; i++)
			value[i * p->types.count] = (int64_t)column_get(&c);
		r = column_done(rd, &c);
		if (r < 0)
			return r;
	}
	if (t->next.there && t->next.number >= SAMPLE_VALUES)
		return recording_malformed(rd, "it has values of no type");
	return 0;
}

/* If the header is lost, the samples still say how many values they have. */
static int guess_types(struct recording_reader *rd, struct table_in t)
{
	struct profile *p = rd->p;
	uint32_t count = 0;
	int r;

	if (rd->has_header || p->sample_count || !rd->found.count[LOSS_BLOCKS])
		return 0;
	while (table_column(&t, SAMPLE_VALUES + count).there)
		count++;
	r = make_types(rd, count);
	for (uint32_t i = 0; i < count && r == 0; i++)
		p->types.at[i].type = strtab_add_text(p->strings, LOST);
	return r;
}

static int begin_samples(struct recording_reader *rd, const struct table_in *t)
{
	if (t->first < rd->next_sample)
		return recording_malformed(rd, "its samples are there already");
	if (t->first > rd->next_sample && !rd->found.count[LOSS_BLOCKS])
		return recording_malformed(rd, "samples before it are missing");
	rd->found.count[LOSS_SAMPLES] += t->first - rd->next_sample;
	rd->next_sample = t->first + t->count;
	return 0;
}

static int read_samples(struct recording_reader *rd, struct table_in *t)
{
	struct profile *p = rd->p;
	uint32_t first = p->sample_count;
	struct column_in c;
	int r = begin_samples(rd, t);

	if (r < 0 || !t->count)
		return r;
	r = guess_types(rd, *t);
	if (r == 0)
		r = need_column(rd, t, SAMPLE_STACK, t->count, &c);
	if (r < 0)
		return r;
	if (t->count * p->types.count > rd->block.raw)
		return recording_malformed(rd,
					   "it has fewer values than it says");
	if (profile_reserve_samples(p, t->count) < 0)
		return recording_no_memory(rd);

	p->sample_count += (uint32_t)t->count;
	r = read_sample_ids(rd, &c, BLOCK_STACKS, p->stack + first, t->count);
	if (r == 0)
		r = take_column(rd, t, SAMPLE_LABELS, t->count, &c);
	if (r == 0)
		r = read_sample_ids(rd, &c, BLOCK_LABELS, p->labels + first,
				    t->count);
	if (r == 0)
		r = read_times(rd, t, first);
	return r < 0 ? r : read_values(rd, t, first);
}

/* What symbolizing found for the mapping of these lines. */
static void flag_mapping(struct profile *p, const struct location *l)
{
	const struct line *lines = location_lines(p, l);
	struct mapping *m = &p->mappings.at[l->mapping];

	if (!l->mapping)
		return;
	for (uint32_t i = 0; i < l->line_count; i++) {
		const struct function *f = &p->functions.at[lines[i].function];

		m->flags |= MAPPING_HAS_FUNCTIONS;
		m->flags |= f->file ? MAPPING_HAS_FILENAMES : 0;
		m->flags |= lines[i].line ? MAPPING_HAS_LINE_NUMBERS : 0;
	}
	m->flags |= l->line_count > 1 ? MAPPING_HAS_INLINE_FRAMES : 0;
}

struct symbol_columns {
	struct column_in location;
	struct column_in count;
	uint32_t first; /* line of the next location */
};

/* Gives a location that has no lines those that come next. */
static int read_symbol(struct recording_reader *rd, struct symbol_columns *c)
{
	struct profile *p = rd->p;
	uint64_t count = column_get(&c->count);
	uint32_t id;

	if (!resolve(rd, BLOCK_LOCATIONS, column_get(&c->location), &id) || !id)
		return recording_malformed(rd, "symbols that lead nowhere");
	if (!p->locations.at[id].line_count) {
		p->locations.at[id].first_line = c->first;
		p->locations.at[id].line_count = (uint32_t)count;
		flag_mapping(p, &p->locations.at[id]);
	}
	c->first += (uint32_t)count;
	return 0;
}

/* Lines of locations that are there without, found when recording ended. */
static int read_symbols(struct recording_reader *rd, struct table_in *t)
{
	struct profile *p = rd->p;
	struct rows rows = { .layout = &line_layout };
	struct symbol_columns c = { .first = p->lines.count };
	int r = need_column(rd, t, SYMBOL_LOCATION, t->count, &c.location);

	if (r == 0)
		r = need_column(rd, t, SYMBOL_COUNT, t->count, &c.count);
	if (r < 0)
		return r;
	rows.count = sum_column(c.count, t->count);
	if (rows.count > rd->block.raw)
		return recording_malformed(rd,
					   "it has fewer lines than it says");
	/* One more, since there may be no line at all yet. */
	if (!VEC_RESERVE(&p->lines, p->arena, rows.count + 1))
		return recording_no_memory(rd);
	rows.at = p->lines.at + p->lines.count;
	p->lines.count += (uint32_t)rows.count;
	r = read_rows(rd, t, rows);
	for (uint64_t i = 0; i < t->count && r == 0; i++)
		r = read_symbol(rd, &c);
	if (r == 0)
		r = column_done(rd, &c.location);
	return r < 0 ? r : column_done(rd, &c.count);
}

/* As the header, the last one counts. */
static int read_loss(struct recording_reader *rd, struct table_in *t)
{
	struct column_in kind, count;
	int r = need_column(rd, t, LOSS_KIND, t->count, &kind);

	if (r == 0)
		r = need_column(rd, t, LOSS_COUNT, t->count, &count);
	if (r < 0)
		return r;
	rd->told = (struct loss){ 0 };
	for (uint64_t i = 0; i < t->count; i++) {
		uint64_t number = column_get(&kind);

		if (number >= LOSS_KINDS)
			number = LOSS_OTHER;
		rd->told.count[number] += column_get(&count);
	}
	r = column_done(rd, &kind);
	return r < 0 ? r : column_done(rd, &count);
}

static int read_end(struct recording_reader *rd, struct table_in *t)
{
	struct column_in c;
	uint64_t total;
	int r = need_column(rd, t, END_SAMPLES, 1, &c);

	if (r < 0)
		return r;
	total = column_get(&c);
	if (total < rd->next_sample)
		return recording_malformed(rd, "there are more samples");
	if (total > rd->next_sample && !rd->found.count[LOSS_BLOCKS])
		return recording_malformed(rd, "samples before it are missing");
	rd->found.count[LOSS_SAMPLES] += total - rd->next_sample;
	rd->ended = true;
	return column_done(rd, &c);
}

/* How the rows of a type of block are read. */
struct table_reader {
	bool mapped; /* others refer to its rows */
	int (*read)(struct recording_reader *rd, struct table_in *t);
};

static const struct table_reader table_readers[BLOCK_TYPES] = {
	[BLOCK_STRINGS] = { true, read_strings },
	[BLOCK_HEADER] = { false, read_header },
	[BLOCK_MAPPINGS] = { true, read_mappings },
	[BLOCK_FUNCTIONS] = { true, read_functions },
	[BLOCK_LOCATIONS] = { true, read_locations },
	[BLOCK_STACKS] = { true, read_stacks },
	[BLOCK_LABELS] = { true, read_labels },
	[BLOCK_SAMPLES] = { false, read_samples },
	[BLOCK_LOSS] = { false, read_loss },
	[BLOCK_END] = { false, read_end },
	[BLOCK_SYMBOLS] = { false, read_symbols },
};

int recording_read_table(struct recording_reader *rd, struct table_in *t)
{
	const struct table_reader *reader = &table_readers[rd->block.type];
	int r = 0;

	ASSERT(rd->block.type < BLOCK_TYPES && reader->read);
	/* The first column has a byte a row: more rows cannot be here. */
	if (t->count > rd->block.raw)
		return recording_malformed(rd,
					   "it has fewer rows than it says");
	if (reader->mapped)
		r = begin_rows(rd, t);
	if (r == 0)
		r = reader->read(rd, t);
	/* What was not stored looks like any mistake, or like none. */
	if (rd->p->arena->failed || rd->scratch.failed)
		return recording_no_memory(rd);
	return r;
}
