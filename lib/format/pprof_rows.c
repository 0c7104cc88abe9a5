/* SPDX-License-Identifier: MIT */
/*
 * The rows of profile.proto's tables; see pprof_write.c.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/check.h"
#include "base/sink.h"
#include "format/pprof.h"
#include "format/pprof_encode.h"
#include "profile/stackpaths.h"

static struct pprof_short_id short_id(uint64_t id)
{
	uint8_t bytes[PROTO_MOST] = { 0 };
	struct pprof_short_id ret;

	ret.len = (uint8_t)(proto_store(bytes, id) - bytes);
	memcpy(ret.bytes, bytes, sizeof(ret.bytes));
	return ret;
}

int pprof_prepare_frames(struct pprof_encoder *e, const struct workers *workers)
{
	const struct profile *p = e->profile;
	uint32_t count = p->locations.count;

	if (stack_prepare_reading(&p->stacks, p->stack, p->sample_count,
				  workers) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		if (proto_size(p->locations.at[i].id) > PPROF_SHORT)
			return 0;
	e->short_id = ARENA_ARRAY(&e->scratch, struct pprof_short_id, count);
	if (!e->short_id)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		e->short_id[i] = short_id(p->locations.at[i].id);
	return 0;
}

enum { MOST_UNPACKED = 2 };

struct pprof_numbers pprof_measure(unsigned field, const uint64_t *numbers,
				   uint32_t count)
{
	struct pprof_numbers n = { field, numbers, count, 0 };

	ASSERT(field < 16);
	for (uint32_t i = 0; i < count; i++)
		n.len += proto_size(numbers[i]);
	return n;
}

size_t pprof_numbers_size(const struct pprof_numbers *n)
{
	if (n->count <= MOST_UNPACKED)
		return n->count + n->len;
	return 1 + proto_size(n->len) + n->len;
}

uint8_t *pprof_store_numbers(uint8_t *to, const struct pprof_numbers *n)
{
	if (n->count <= MOST_UNPACKED) {
		for (uint32_t i = 0; i < n->count; i++)
			to = proto_store_number(to, n->field, n->at[i]);
		return to;
	}
	to = proto_store_header(to, n->field, n->len);
	for (uint32_t i = 0; i < n->count; i++)
		to = proto_store(to, n->at[i]);
	return to;
}

/*
 * Samples.  They are nearly all of a large profile: a sample is measured, and
 * then stored at once, without asking the sink for every number.
 */

/* The frames of a stack, however deep it is: where the last of them, the leaf,
 * ends.  NULL: out of memory. */
static const frame_id *load_frames(struct pprof_row_writer *w, stack_id stack,
				   uint32_t *depth)
{
	enum { USUAL = 256 };
	const struct stacktab *t = &w->encoder->profile->stacks;
	const frame_id *written = stack_written(t, stack, depth);
	uint32_t room = USUAL;

	if (written)
		return written + *depth;
	w->frames.count = 0;
	do {
		if (!VEC_RESERVE(&w->frames, &w->scratch, room))
			return NULL;
		room = w->frames.capacity;
		*depth = stack_read(t, stack, w->frames.at + room, room);
		room = *depth;
	} while (*depth > w->frames.capacity);
	return w->frames.at + w->frames.capacity;
}

/* Numbers that were stored already become a field: a header goes in front. */
static struct span add_header(uint8_t *numbers, uint8_t *end, unsigned field)
{
	uint8_t header[PROTO_NUMBER_MOST];
	size_t len = (size_t)(proto_store_header(header, field,
						 (size_t)(end - numbers)) -
			      header);

	memcpy(numbers - len, header, len);
	return span_of(numbers - len, (size_t)(end - numbers) + len);
}

/* Stores the ids of the frames before end, the last first; there is room for
 * more bytes than they take. */
static uint8_t *store_ids(const struct pprof_encoder *e, uint8_t *to,
			  const frame_id *end, uint32_t count)
{
	if (!e->short_id) {
		while (count--)
			to = proto_store(to,
					 e->profile->locations.at[*--end].id);
		return to;
	}
	while (count--) {
		struct pprof_short_id id = e->short_id[*--end];

		/* All of it, in one piece. */
		memcpy(to, &id, sizeof(id));
		to += id.len;
	}
	return to;
}

static uint8_t *store_unpacked_ids(const struct pprof_encoder *e, uint8_t *to,
				   const frame_id *end, uint32_t count)
{
	while (count--)
		to = proto_store_number(to, PPROF_SAMPLE_LOCATION,
					e->profile->locations.at[*--end].id);
	return to;
}

/*
 * The ids of its locations, the leaf first, as they will be written: there are
 * too many to measure them first.
 */
static bool load_ids(struct pprof_row_writer *w, stack_id stack)
{
	const struct pprof_encoder *e = w->encoder;
	uint32_t count;
	const frame_id *end = load_frames(w, stack, &count);
	uint8_t *first;

	if (!end || !VEC_RESERVE(&w->bytes, &w->scratch,
				 ((uint64_t)count + 1) * PROTO_NUMBER_MOST))
		return false;
	first = w->bytes.at + PROTO_NUMBER_MOST;
	if (count > MOST_UNPACKED)
		w->ids = add_header(first, store_ids(e, first, end, count),
				    PPROF_SAMPLE_LOCATION);
	else
		w->ids = span_of(first, (size_t)(store_unpacked_ids(
							 e, first, end, count) -
						 first));
	return true;
}

/* Of three fields. */
enum { LABEL_MOST = 3 * PROTO_NUMBER_MOST };

static uint8_t *store_label(const struct pprof_encoder *e, uint8_t *to,
			    const struct label *l)
{
	to = proto_store_optional(to, PPROF_LABEL_KEY, e->number[l->key]);
	if (!l->numeric)
		return proto_store_optional(to, PPROF_LABEL_TEXT,
					    e->number[l->text]);
	to = proto_store_optional(to, PPROF_LABEL_NUMBER, (uint64_t)l->number);
	return proto_store_optional(to, PPROF_LABEL_UNIT, e->number[l->unit]);
}

static bool load_labels(struct pprof_row_writer *w, labels_id set)
{
	uint32_t count;
	const struct label *l = labels_get(&w->encoder->profile->label_sets,
					   set, &count);

	w->labels.count = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint8_t fields[LABEL_MOST];
		size_t len = (size_t)(store_label(w->encoder, fields, &l[i]) -
				      fields);
		uint8_t *to;

		if (!VEC_RESERVE(&w->labels, &w->scratch,
				 PROTO_NUMBER_MOST + LABEL_MOST))
			return false;
		to = w->labels.at + w->labels.count;
		to = proto_store_header(to, PPROF_SAMPLE_LABEL, len);
		memcpy(to, fields, len);
		w->labels.count = (uint32_t)(to + len - w->labels.at);
	}
	return true;
}

static void put_loaded_sample(struct pprof_row_writer *w, uint32_t row)
{
	const struct profile *p = w->encoder->profile;
	const struct pprof_numbers values = pprof_measure(
		PPROF_SAMPLE_VALUE, (const uint64_t *)profile_values(p, row),
		p->types.count);
	size_t len = w->ids.len + pprof_numbers_size(&values) + w->labels.count;
	uint8_t *room = (uint8_t *)sink_room(w->out, len + PROTO_NUMBER_MOST +
							     PROTO_MOST);
	uint8_t *to;

	if (!room)
		return;
	to = proto_store_header(room, PPROF_SAMPLE, len);
	memcpy(to, w->ids.at, w->ids.len);
	to = pprof_store_numbers(to + w->ids.len, &values);
	if (w->labels.count)
		memcpy(to, w->labels.at, w->labels.count);
	sink_filled(w->out, (size_t)(to - room) + w->labels.count);
}

void pprof_put_sample(struct pprof_row_writer *w, uint32_t row)
{
	enum { AHEAD = 8 };
	const struct profile *p = w->encoder->profile;

	if (p->sample_count - row > AHEAD)
		stack_ask_ahead(&p->stacks, p->stack[row + AHEAD]);
	if (load_ids(w, p->stack[row]) && load_labels(w, p->labels[row]))
		put_loaded_sample(w, row);
}

/*
 * The other tables.
 */

static void put_string(struct pprof_row_writer *w, unsigned field, str_id id)
{
	proto_put_optional(w->out, field, w->encoder->number[id]);
}

void pprof_put_mapping(struct pprof_row_writer *w, uint32_t row)
{
	const struct mapping *m = &w->encoder->profile->mappings.at[row];
	static const struct {
		enum mapping_flags flag;
		enum pprof_mapping field;
	} flags[] = {
		{ MAPPING_HAS_FUNCTIONS, PPROF_MAPPING_HAS_FUNCTIONS },
		{ MAPPING_HAS_FILENAMES, PPROF_MAPPING_HAS_FILENAMES },
		{ MAPPING_HAS_LINE_NUMBERS, PPROF_MAPPING_HAS_LINE_NUMBERS },
		{ MAPPING_HAS_INLINE_FRAMES, PPROF_MAPPING_HAS_INLINE_FRAMES },
	};
	struct sink *s = w->out;
	size_t start = proto_open(s);

	proto_put_optional(s, PPROF_MAPPING_ID, m->id);
	proto_put_optional(s, PPROF_MAPPING_START, m->start);
	proto_put_optional(s, PPROF_MAPPING_LIMIT, m->limit);
	proto_put_optional(s, PPROF_MAPPING_OFFSET, m->offset);
	put_string(w, PPROF_MAPPING_FILE, m->file);
	put_string(w, PPROF_MAPPING_BUILD_ID, m->build_id);
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		proto_put_optional(s, flags[i].field,
				   (m->flags & flags[i].flag) != 0);
	proto_close(s, PPROF_MAPPING, start);
}

/* Of three fields. */
enum { LINE_MOST = 3 * PROTO_NUMBER_MOST };

static uint8_t *store_line(const struct profile *p, uint8_t *to,
			   const struct line *line)
{
	uint8_t fields[LINE_MOST];
	uint8_t *end = fields;

	end = proto_store_optional(end, PPROF_LINE_FUNCTION,
				   p->functions.at[line->function].id);
	end = proto_store_optional(end, PPROF_LINE_LINE, (uint64_t)line->line);
	end = proto_store_optional(end, PPROF_LINE_COLUMN,
				   (uint64_t)line->column);
	to = proto_store_header(to, PPROF_LOCATION_LINE,
				(size_t)(end - fields));
	memcpy(to, fields, sizeof(fields));
	return to + (end - fields);
}

void pprof_put_location(struct pprof_row_writer *w, uint32_t row)
{
	const struct profile *p = w->encoder->profile;
	const struct location *l = &p->locations.at[row];
	const struct line *lines = location_lines(p, l);
	uint64_t most = ((uint64_t)l->line_count + 1) *
			(PROTO_NUMBER_MOST + LINE_MOST);
	uint8_t *to;

	w->bytes.count = 0;
	if (!VEC_RESERVE(&w->bytes, &w->scratch, most))
		return;
	to = w->bytes.at;
	to = proto_store_optional(to, PPROF_LOCATION_ID, l->id);
	to = proto_store_optional(to, PPROF_LOCATION_MAPPING,
				  p->mappings.at[l->mapping].id);
	to = proto_store_optional(to, PPROF_LOCATION_ADDRESS, l->address);
	for (uint32_t i = 0; i < l->line_count; i++)
		to = store_line(p, to, &lines[i]);
	to = proto_store_optional(to, PPROF_LOCATION_FOLDED, l->folded);
	proto_put_bytes(w->out, PPROF_LOCATION,
			span_of(w->bytes.at, (size_t)(to - w->bytes.at)));
}

void pprof_put_function(struct pprof_row_writer *w, uint32_t row)
{
	const struct function *f = &w->encoder->profile->functions.at[row];
	struct sink *s = w->out;
	size_t start = proto_open(s);

	proto_put_optional(s, PPROF_FUNCTION_ID, f->id);
	put_string(w, PPROF_FUNCTION_NAME, f->name);
	put_string(w, PPROF_FUNCTION_SYSTEM_NAME, f->system_name);
	put_string(w, PPROF_FUNCTION_FILE, f->file);
	proto_put_optional(s, PPROF_FUNCTION_START_LINE,
			   (uint64_t)f->start_line);
	proto_close(s, PPROF_FUNCTION, start);
}

void pprof_put_string(struct pprof_row_writer *w, uint32_t row)
{
	const struct pprof_encoder *e = w->encoder;
	str_id id = row ? e->strings.at[row - 1] : 0;

	proto_put_bytes(w->out, PPROF_STRING,
			str_span(e->profile->strings, id));
}
