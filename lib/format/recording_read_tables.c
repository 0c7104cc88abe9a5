/* SPDX-License-Identifier: MIT */
/*
 * The reader's inner half: the rows of blocks that are whole, into a profile.
 * Here are the tables that say what things are called, and which function reads
 * which; recording_read_samples.c has those of the samples.
 */
#include "format/recording_read.h"

#include <string.h>

#include "base/check.h"

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

/* Gives the rows just read, up to the column's end, their ids. */
static int add_rows(struct recording_reader *rd, uint32_t first, uint64_t count)
{
	int r = 0;

	for (uint64_t i = 0; i < count && r == 0; i++)
		r = recording_add_row(rd, (uint32_t)(first + i));
	return r;
}

static int read_strings(struct recording_reader *rd, struct table_in *t)
{
	struct column_in length, bytes;
	char *text;
	int r = recording_need_column(rd, t, STRING_LENGTH, t->count, &length);

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
		r = recording_add_row(
			rd, strtab_add_static(rd->p->strings, text, s.len));
		text += s.len + 1;
	}
	if (r == 0)
		r = recording_column_done(rd, &length);
	return r < 0 ? r : recording_column_done(rd, &bytes);
}

static int read_comments(struct recording_reader *rd, struct table_in *t)
{
	struct profile *p = rd->p;
	struct column_in c;
	int r = recording_take_column(rd, t, HEADER_COMMENTS, 0, &c);

	p->comments.count = 0;
	while (r == 0 && reader_left(&c.bytes)) {
		str_id *comment = VEC_PUSH(&p->comments, p->arena);

		if (!comment)
			return recording_no_memory(rd);
		if (!recording_resolve(rd, BLOCK_STRINGS, column_get(&c),
				       comment))
			r = recording_malformed(rd,
						"a number that leads nowhere");
	}
	return r < 0 ? r : recording_column_done(rd, &c);
}

/* The header comes again when it has changed: the last one counts. */
static int read_header(struct recording_reader *rd, struct table_in *t)
{
	struct profile *p = rd->p;
	struct profile_header header = { 0 };
	int r;

	if (p->sample_count && t->count != p->types.count)
		return recording_malformed(rd, "the sample types have changed");
	r = recording_make_types(rd, t->count);
	if (r == 0)
		r = recording_read_rows(
			rd, t,
			(struct rows_in){ .layout = &type_layout,
					  .at = p->types.at,
					  .count = t->count });
	if (r == 0)
		r = recording_read_rows(
			rd, t,
			(struct rows_in){ .layout = &header_layout,
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
	r = recording_read_rows(rd, t,
				(struct rows_in){ .layout = &mapping_layout,
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
	r = recording_read_rows(rd, t,
				(struct rows_in){ .layout = &function_layout,
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
	struct rows_in rows = { .layout = &line_layout };

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
	return recording_read_rows(rd, t, rows);
}

static int read_locations(struct recording_reader *rd, struct table_in *t)
{
	struct profile *p = rd->p;
	uint32_t first = p->locations.count;
	int r;

	if (!VEC_RESERVE(&p->locations, p->arena, t->count))
		return recording_no_memory(rd);
	r = recording_read_rows(rd, t,
				(struct rows_in){ .layout = &location_layout,
						  .at = p->locations.at + first,
						  .number = t->first,
						  .count = t->count });
	p->locations.count += (uint32_t)t->count;
	if (r == 0)
		r = read_lines(rd, t, first);
	return r < 0 ? r : add_rows(rd, first, t->count);
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

	if (!recording_resolve(rd, BLOCK_LOCATIONS, column_get(&c->location),
			       &id) ||
	    !id)
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
	struct rows_in rows = { .layout = &line_layout };
	struct symbol_columns c = { .first = p->lines.count };
	int r = recording_need_column(rd, t, SYMBOL_LOCATION, t->count,
				      &c.location);

	if (r == 0)
		r = recording_need_column(rd, t, SYMBOL_COUNT, t->count,
					  &c.count);
	if (r < 0)
		return r;
	rows.count = recording_sum_column(c.count, t->count);
	if (rows.count > rd->block.raw)
		return recording_malformed(rd,
					   "it has fewer lines than it says");
	/* One more, since there may be no line at all yet. */
	if (!VEC_RESERVE(&p->lines, p->arena, rows.count + 1))
		return recording_no_memory(rd);
	rows.at = p->lines.at + p->lines.count;
	p->lines.count += (uint32_t)rows.count;
	r = recording_read_rows(rd, t, rows);
	for (uint64_t i = 0; i < t->count && r == 0; i++)
		r = read_symbol(rd, &c);
	if (r == 0)
		r = recording_column_done(rd, &c.location);
	return r < 0 ? r : recording_column_done(rd, &c.count);
}

/* As the header, the last one counts. */
static int read_loss(struct recording_reader *rd, struct table_in *t)
{
	struct column_in kind, count;
	int r = recording_need_column(rd, t, LOSS_KIND, t->count, &kind);

	if (r == 0)
		r = recording_need_column(rd, t, LOSS_COUNT, t->count, &count);
	if (r < 0)
		return r;
	rd->told = (struct loss){ 0 };
	for (uint64_t i = 0; i < t->count; i++) {
		uint64_t number = column_get(&kind);

		if (number >= LOSS_KINDS)
			number = LOSS_OTHER;
		rd->told.count[number] += column_get(&count);
	}
	r = recording_column_done(rd, &kind);
	return r < 0 ? r : recording_column_done(rd, &count);
}

static int read_end(struct recording_reader *rd, struct table_in *t)
{
	struct column_in c;
	uint64_t total;
	int r = recording_need_column(rd, t, END_SAMPLES, 1, &c);

	if (r < 0)
		return r;
	total = column_get(&c);
	if (total < rd->next_sample)
		return recording_malformed(rd, "there are more samples");
	if (total > rd->next_sample && !rd->found.count[LOSS_BLOCKS])
		return recording_malformed(rd, "samples before it are missing");
	rd->found.count[LOSS_SAMPLES] += total - rd->next_sample;
	rd->ended = true;
	return recording_column_done(rd, &c);
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
	[BLOCK_STACKS] = { true, recording_read_stacks },
	[BLOCK_LABELS] = { true, recording_read_labels },
	[BLOCK_SAMPLES] = { false, recording_read_samples },
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
