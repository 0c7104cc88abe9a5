/* SPDX-License-Identifier: MIT */
/* Samples by address while a file is read, and the profile made of them. */
#include "format/legacy_build.h"

#include <errno.h>

#include "base/check.h"
#include "base/error.h"
#include "base/hash.h"
#include "format/legacy_frames.h"
#include "format/legacy_text.h"
#include "profile/profile.h"

int legacy_begin(struct legacy_build *b, struct arena *arena)
{
	*b = (struct legacy_build){ .arena = arena };
	/* Row 0 is no place, and what frames hold when memory ran out. */
	(void)VEC_PUSH(&b->places, arena);
	return arena->failed ? -ENOMEM : 0;
}

void legacy_add_type(struct legacy_build *b, struct span type, struct span unit)
{
	ASSERT(b->type_count < LEGACY_MAX_TYPES);
	b->types[b->type_count++] = (struct legacy_type){ type, unit };
}

void legacy_add_type_text(struct legacy_build *b, const char *type,
			  const char *unit)
{
	legacy_add_type(b, span_text(type), span_text(unit));
}

void legacy_set_period(struct legacy_build *b, const char *type,
		       const char *unit, int64_t period)
{
	b->period_type = (struct legacy_type){ span_text(type),
					       span_text(unit) };
	b->period = period;
}

uint32_t legacy_find_place(const struct legacy_build *b, uint64_t address)
{
	uint32_t hash = hash_u64(address);
	uint32_t i = table_start(&b->by_address, hash);
	uint32_t id;

	for (; (id = table_id(&b->by_address, i, hash)) != TABLE_END;
	     i = table_next(&b->by_address, i))
		if (id && b->places.at[id].address == address)
			return id;
	return LEGACY_NO_PLACE;
}

static uint32_t add_place(struct legacy_build *b, uint64_t address)
{
	struct legacy_place *place = VEC_PUSH(&b->places, b->arena);

	if (!place || !table_add(&b->by_address, b->arena, hash_u64(address),
				 b->places.count - 1))
		return LEGACY_NO_PLACE;
	place->address = address;
	return b->places.count - 1;
}

void legacy_add_frame(struct legacy_build *b, uint64_t address,
		      enum legacy_adjust adjust)
{
	bool leaf = !legacy_open_frames(b);
	uint32_t *frame = VEC_PUSH(&b->frames, b->arena);
	uint32_t place;

	if (!frame)
		return;
	if (adjust == LEGACY_ADJUST_ALL ||
	    (adjust == LEGACY_ADJUST_CALLERS && !leaf))
		address--;
	place = legacy_find_place(b, address);
	*frame = place ? place : add_place(b, address);
}

int legacy_add_frames(struct legacy_build *b, struct span text,
		      enum legacy_adjust adjust)
{
	struct reader r = reader_of(text);

	while (reader_left(&r)) {
		struct span number = text_take_address(&r);
		uint64_t address;

		if (!number.len) {
			r.at++;
			continue;
		}
		if (!text_unsigned(number, 0, &address))
			return -EBADMSG;
		legacy_add_frame(b, address, adjust);
	}
	return 0;
}

uint32_t legacy_open_frames(const struct legacy_build *b)
{
	return b->frames.count - b->open;
}

void legacy_drop_frames(struct legacy_build *b)
{
	b->frames.count = b->open;
}

void legacy_add_sample(struct legacy_build *b, struct legacy_sample s)
{
	struct legacy_sample *row = VEC_PUSH(&b->samples, b->arena);

	if (!row)
		return;
	s.first = b->open;
	s.count = b->frames.count - b->open;
	*row = s;
	b->open = b->frames.count;
}

uint32_t legacy_second_frame(const struct legacy_build *b, uint32_t i)
{
	const struct legacy_sample *s = &b->samples.at[i];

	return s->count > 1 ? b->frames.at[s->first + 1] : LEGACY_NO_PLACE;
}

/* The leaf takes the place of the frame behind it: the others need not move. */
void legacy_remove_second_frame(struct legacy_build *b, uint32_t i)
{
	struct legacy_sample *s = &b->samples.at[i];

	if (s->count < 2)
		return;
	b->frames.at[s->first + 1] = b->frames.at[s->first];
	s->first++;
	s->count--;
}

void legacy_remove_doubled_leaves(struct legacy_build *b)
{
	for (uint32_t i = 0; i < b->samples.count; i++) {
		uint32_t second = legacy_second_frame(b, i);
		uint32_t leaf;

		if (!second)
			continue;
		leaf = b->frames.at[b->samples.at[i].first];
		if (b->places.at[leaf].address ==
		    b->places.at[second].address + 1)
			legacy_remove_second_frame(b, i);
	}
}

static void number_place(struct legacy_build *b, uint32_t place)
{
	uint32_t *row;

	if (b->places.at[place].number)
		return;
	row = VEC_PUSH(&b->used, b->arena);
	if (!row)
		return;
	*row = place;
	b->places.at[place].number = b->used.count;
}

static void number_functions(struct legacy_build *b)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < b->used.count; i++) {
		uint32_t id = b->places.at[b->used.at[i]].function;

		if (id && !b->functions.at[id - 1].number)
			b->functions.at[id - 1].number = ++count;
	}
}

void legacy_number(struct legacy_build *b)
{
	for (uint32_t i = 0; i < b->samples.count; i++) {
		const struct legacy_sample *s = &b->samples.at[i];

		for (uint32_t j = 0; j < s->count; j++)
			number_place(b, b->frames.at[s->first + j]);
	}
	number_functions(b);
}

static struct value_type put_type(struct profile *p,
				  const struct legacy_type *t)
{
	return (struct value_type){
		.type = strtab_add_span(p->strings, t->type),
		.unit = strtab_add_span(p->strings, t->unit),
	};
}

static void put_header(const struct legacy_build *b, struct profile *p)
{
	for (uint32_t i = 0; i < b->type_count; i++) {
		struct value_type *type = VEC_PUSH(&p->types, p->arena);

		if (type)
			*type = put_type(p, &b->types[i]);
	}
	p->header = (struct profile_header){
		.duration_nanos = b->duration_nanos,
		.period = b->period,
		.period_type = put_type(p, &b->period_type),
	};
}

static void put_mappings(const struct legacy_build *b, struct profile *p)
{
	for (uint32_t i = 0; i < b->mappings.count; i++) {
		const struct legacy_mapping *m = &b->mappings.at[i];

		profile_add_mapping(
			p, (struct mapping){
				   .id = i + 1,
				   .start = m->start,
				   .limit = m->limit,
				   .offset = m->offset,
				   .file = strtab_add_span(p->strings, m->file),
				   .build_id = strtab_add_span(p->strings,
							       m->build_id),
			   });
	}
}

static void put_function(struct profile *p, const struct legacy_function *f)
{
	str_id name = strtab_add_span(p->strings, f->name);

	profile_add_function(
		p, (struct function){
			   .id = f->number,
			   .name = name,
			   .system_name = name,
			   .file = strtab_add_span(p->strings, f->file),
		   });
}

/* Functions come in the order of their numbers, so a number is its row. */
static void put_locations(const struct legacy_build *b, struct profile *p)
{
	for (uint32_t i = 0; i < b->used.count; i++) {
		const struct legacy_place *place = &b->places.at[b->used.at[i]];
		struct line line = { .line = place->line };

		if (place->function) {
			const struct legacy_function *f =
				&b->functions.at[place->function - 1];

			line.function = f->number;
			if (f->number == p->functions.count)
				put_function(p, f);
		}
		profile_add_location(p,
				     (struct location){
					     .id = place->number,
					     .address = place->address,
					     .mapping = place->mapping,
				     },
				     &line, place->function != 0);
	}
}

static labels_id put_block_label(struct profile *p, int64_t block)
{
	struct label label = {
		.key = strtab_add_text(p->strings, "bytes"),
		.number = block,
		.numeric = true,
	};

	return labels_add(&p->label_sets, &label, 1);
}

/* Frames become the rows of their locations, in place. */
static stack_id put_stack(const struct legacy_build *b, struct profile *p,
			  const struct legacy_sample *s)
{
	frame_id *frames;

	if (!s->count)
		return 0;
	frames = b->frames.at + s->first;
	for (uint32_t i = 0; i < s->count; i++)
		frames[i] = b->places.at[frames[i]].number;
	return stack_add_leaf_first(&p->stacks, frames, s->count);
}

static int put_samples(const struct legacy_build *b, struct profile *p)
{
	int r = profile_reserve_samples(p, b->samples.count);

	for (uint32_t i = 0; i < b->samples.count && r == 0; i++) {
		const struct legacy_sample *s = &b->samples.at[i];
		labels_id labels = s->has_block ? put_block_label(p, s->block)
						: 0;
		int64_t *value = profile_add_sample(p, put_stack(b, p, s),
						    labels);

		if (!value)
			return -ENOMEM;
		for (uint32_t j = 0; j < b->type_count; j++)
			value[j] = s->value[j];
	}
	return r;
}

int legacy_finish(struct legacy_build *b, struct profile *p, struct error *err)
{
	int r;

	if (b->arena->failed)
		return -ENOMEM;
	if (b->samples.count && !b->type_count)
		return error_set(
			err, -EBADMSG,
			"the profile does not say what its values are");
	put_header(b, p);
	put_mappings(b, p);
	put_locations(b, p);
	r = put_samples(b, p);
	legacy_set_frames(p);
	return p->arena->failed ? -ENOMEM : r;
}
