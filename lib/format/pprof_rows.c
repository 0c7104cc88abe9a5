/* SPDX-License-Identifier: MIT */
/*
 * The rows of profile.proto's tables; see pprof_write.c.
 */
#include <errno.h>
#include <stdbool.h>

#include "base/check.h"
#include "base/sink.h"
#include "format/pprof.h"
#include "format/pprof_encode.h"

int pprof_prepare_frames(struct pprof_encoder *e)
{
	const struct profile *p = e->profile;

	e->frame = ARENA_ARRAY(&e->scratch, uint64_t, p->locations.count);
	if (!e->frame)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->locations.count; i++)
		e->frame[i] = p->locations.at[i].id;
	return 0;
}

size_t pprof_numbers_most(uint32_t count)
{
	return ((size_t)count + 1) * PROTO_NUMBER_MOST;
}

uint8_t *pprof_store_numbers(uint8_t *to, unsigned field,
			     const uint64_t *number, uint32_t count)
{
	size_t len = 0;

	if (count <= 2) {
		for (uint32_t i = 0; i < count; i++)
			to = proto_store_number(to, field, number[i]);
		return to;
	}
	for (uint32_t i = 0; i < count; i++)
		len += proto_size(number[i]);
	to = proto_store_header(to, field, len);
	for (uint32_t i = 0; i < count; i++)
		to = proto_store(to, number[i]);
	return to;
}

/*
 * Samples.  They are nearly all of a large profile: each is stored where there
 * is room for any, without asking the sink for every number.
 */

/* The frames of a stack, leaf first, however deep it is. */
static bool load_frames(struct pprof_row_writer *w, stack_id stack)
{
	const struct stacktab *stacks = &w->encoder->profile->stacks;
	uint32_t depth = stack_frames(stacks, stack, w->frames.at,
				      w->frames.capacity);

	w->frames.count = 0;
	if (depth > w->frames.capacity) {
		if (!VEC_RESERVE(&w->frames, &w->scratch, depth))
			return false;
		stack_frames(stacks, stack, w->frames.at, depth);
	}
	w->frames.count = depth;
	return true;
}

/* The ids of its locations. */
static bool load_ids(struct pprof_row_writer *w, stack_id stack)
{
	w->ids.count = 0;
	if (!load_frames(w, stack) ||
	    !VEC_RESERVE(&w->ids, &w->scratch, w->frames.count))
		return false;
	w->ids.count = w->frames.count;
	for (uint32_t i = 0; i < w->ids.count; i++)
		w->ids.at[i] = w->encoder->frame[w->frames.at[i]];
	return true;
}

/* Of four fields and a header. */
enum { LABEL_MOST = 5 * PROTO_NUMBER_MOST };

static uint8_t *store_label(const struct pprof_encoder *e, uint8_t *to,
			    const struct label *l)
{
	uint8_t fields[LABEL_MOST];
	uint8_t *end = proto_store_optional(fields, PPROF_LABEL_KEY,
					    e->number[l->key]);
	size_t len;

	if (l->numeric) {
		end = proto_store_optional(end, PPROF_LABEL_NUMBER,
					   (uint64_t)l->number);
		end = proto_store_optional(end, PPROF_LABEL_UNIT,
					   e->number[l->unit]);
	} else {
		end = proto_store_optional(end, PPROF_LABEL_TEXT,
					   e->number[l->text]);
	}
	len = (size_t)(end - fields);
	to = proto_store_header(to, PPROF_SAMPLE_LABEL, len);
	memcpy(to, fields, len);
	return to + len;
}

static uint8_t *store_sample(const struct pprof_row_writer *w, uint8_t *to,
			     uint32_t row)
{
	const struct profile *p = w->encoder->profile;
	uint32_t count;
	const struct label *l = labels_get(&p->label_sets, p->labels[row],
					   &count);

	to = pprof_store_numbers(to, PPROF_SAMPLE_LOCATION, w->ids.at,
				 w->ids.count);
	to = pprof_store_numbers(to, PPROF_SAMPLE_VALUE,
				 (const uint64_t *)profile_values(p, row),
				 p->types.count);
	for (uint32_t i = 0; i < count; i++)
		to = store_label(w->encoder, to, &l[i]);
	return to;
}

/* Room for the sample whose ids are loaded. */
static size_t sample_most(const struct pprof_row_writer *w, uint32_t row)
{
	const struct profile *p = w->encoder->profile;

	return pprof_numbers_most(w->ids.count) +
	       pprof_numbers_most(p->types.count) +
	       (size_t)p->label_sets.sets.at[p->labels[row]].count * LABEL_MOST;
}

static void warm_stacks(const struct profile *p, uint32_t first)
{
	uint32_t left = p->sample_count - first;

	stack_warm(&p->stacks, p->stack + first,
		   left < STACK_WARM ? left : STACK_WARM);
}

void pprof_put_sample(struct pprof_row_writer *w, uint32_t row)
{
	const struct profile *p = w->encoder->profile;
	size_t start = proto_open(w->out);
	uint8_t *room;

	if (row % STACK_WARM == 0)
		warm_stacks(p, row);
	if (!load_ids(w, p->stack[row]))
		return;
	room = (uint8_t *)sink_room(w->out, sample_most(w, row));
	if (!room)
		return;
	sink_filled(w->out, (size_t)(store_sample(w, room, row) - room));
	proto_close(w->out, PPROF_SAMPLE, start);
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

static void put_line(struct pprof_row_writer *w, const struct line *line)
{
	struct sink *s = w->out;
	size_t start = proto_open(s);

	proto_put_optional(
		s, PPROF_LINE_FUNCTION,
		w->encoder->profile->functions.at[line->function].id);
	proto_put_optional(s, PPROF_LINE_LINE, (uint64_t)line->line);
	proto_put_optional(s, PPROF_LINE_COLUMN, (uint64_t)line->column);
	proto_close(s, PPROF_LOCATION_LINE, start);
}

void pprof_put_location(struct pprof_row_writer *w, uint32_t row)
{
	const struct location *l = &w->encoder->profile->locations.at[row];
	const struct line *lines = location_lines(w->encoder->profile, l);
	struct sink *s = w->out;
	size_t start = proto_open(s);

	proto_put_optional(s, PPROF_LOCATION_ID, l->id);
	proto_put_optional(s, PPROF_LOCATION_MAPPING,
			   w->encoder->profile->mappings.at[l->mapping].id);
	proto_put_optional(s, PPROF_LOCATION_ADDRESS, l->address);
	for (uint32_t i = 0; i < l->line_count; i++)
		put_line(w, &lines[i]);
	proto_put_optional(s, PPROF_LOCATION_FOLDED, l->folded);
	proto_close(s, PPROF_LOCATION, start);
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
