/* SPDX-License-Identifier: MIT */
/*
 * Writing profile.proto, as pprof itself writes it: fields in the order of
 * their numbers, strings in the order of their first use, numbers packed from
 * three on, what is zero left out.  The samples come before the strings they
 * refer to, so a first round over the profile only numbers the strings.
 */
#include <errno.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/sink.h"
#include "base/vec.h"
#include "format/gzip.h"
#include "format/pprof.h"
#include "format/proto.h"
#include "profile/profile.h"

struct encoder {
	const struct profile *profile;
	struct gzip_writer gzip;
	struct arena scratch;

	/* The strings that are used: their numbers, and in their order. */
	uint32_t *number; /* by str_id; 0: not used, except of "" */
	VEC(str_id) strings;
	bool *seen; /* by labels_id: its strings have numbers */

	/* Of the sample at hand. */
	VEC(frame_id) frames;
	VEC(uint64_t) ids;
};

/*
 * The first round.
 */

static void use(struct encoder *e, str_id id)
{
	str_id *place;

	if (!id || e->number[id])
		return;
	place = VEC_PUSH(&e->strings, &e->scratch);
	if (!place)
		return;
	*place = id;
	e->number[id] = e->strings.count;
}

static void use_type(struct encoder *e, struct value_type type)
{
	use(e, type.type);
	use(e, type.unit);
}

static void use_labels(struct encoder *e, labels_id id)
{
	uint32_t count;
	const struct label *l = labels_get(&e->profile->label_sets, id, &count);

	if (e->seen[id])
		return;
	e->seen[id] = true;
	for (uint32_t i = 0; i < count; i++) {
		use(e, l[i].key);
		use(e, l[i].numeric ? l[i].unit : l[i].text);
	}
}

static void use_rows(struct encoder *e)
{
	const struct profile *p = e->profile;

	for (uint32_t i = 1; i < p->mappings.count; i++) {
		use(e, p->mappings.at[i].file);
		use(e, p->mappings.at[i].build_id);
	}
	for (uint32_t i = 1; i < p->functions.count; i++) {
		use(e, p->functions.at[i].name);
		use(e, p->functions.at[i].system_name);
		use(e, p->functions.at[i].file);
	}
}

static void number_strings(struct encoder *e)
{
	const struct profile *p = e->profile;

	for (uint32_t i = 0; i < p->types.count; i++)
		use_type(e, p->types.at[i]);
	for (uint32_t i = 0; i < p->sample_count; i++)
		use_labels(e, p->labels[i]);
	use_rows(e);
	use(e, p->header.drop_frames);
	use(e, p->header.keep_frames);
	use_type(e, p->header.period_type);
	for (uint32_t i = 0; i < p->comments.count; i++)
		use(e, p->comments.at[i]);
	use(e, p->header.default_type);
	use(e, p->header.doc_url);
}

/*
 * The second.
 */

static void put_string(struct encoder *e, unsigned field, str_id id)
{
	proto_put_optional(&e->gzip.plain, field, e->number[id]);
}

static void put_numbers(struct sink *s, unsigned field, const uint64_t *number,
			uint32_t count)
{
	size_t len = 0;
	uint8_t *at;

	if (count <= 2) {
		for (uint32_t i = 0; i < count; i++)
			proto_put_number(s, field, number[i]);
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		len += proto_size(number[i]);
	sink_uleb(s, field << 3 | PROTO_BYTES);
	sink_uleb(s, len);
	at = (uint8_t *)sink_room(s, len);
	if (!at)
		return;
	for (uint32_t i = 0; i < count; i++)
		at = proto_store(at, number[i]);
	sink_filled(s, len);
}

static void put_type(struct encoder *e, unsigned field, struct value_type type)
{
	size_t start = proto_open(&e->gzip.plain);

	put_string(e, PPROF_TYPE_TYPE, type.type);
	put_string(e, PPROF_TYPE_UNIT, type.unit);
	proto_close(&e->gzip.plain, field, start);
}

/* The frames of a stack, leaf first, however deep it is. */
static bool load_frames(struct encoder *e, stack_id stack)
{
	const struct stacktab *stacks = &e->profile->stacks;
	uint32_t depth = stack_frames(stacks, stack, e->frames.at,
				      e->frames.capacity);

	e->frames.count = 0;
	if (depth > e->frames.capacity) {
		if (!VEC_RESERVE(&e->frames, &e->scratch, depth))
			return false;
		stack_frames(stacks, stack, e->frames.at, depth);
	}
	e->frames.count = depth;
	return true;
}

static void put_stack(struct encoder *e, stack_id stack)
{
	const struct location *locations = e->profile->locations.at;

	e->ids.count = 0;
	if (!load_frames(e, stack) ||
	    !VEC_RESERVE(&e->ids, &e->scratch, e->frames.count))
		return;
	for (uint32_t i = 0; i < e->frames.count; i++)
		e->ids.at[i] = locations[e->frames.at[i]].id;
	put_numbers(&e->gzip.plain, PPROF_SAMPLE_LOCATION, e->ids.at,
		    e->frames.count);
}

static void put_label(struct encoder *e, const struct label *l)
{
	struct sink *s = &e->gzip.plain;
	size_t start = proto_open(s);

	put_string(e, PPROF_LABEL_KEY, l->key);
	if (l->numeric) {
		proto_put_optional(s, PPROF_LABEL_NUMBER, (uint64_t)l->number);
		put_string(e, PPROF_LABEL_UNIT, l->unit);
	} else {
		put_string(e, PPROF_LABEL_TEXT, l->text);
	}
	proto_close(s, PPROF_SAMPLE_LABEL, start);
}

static void put_sample(struct encoder *e, uint32_t i)
{
	const struct profile *p = e->profile;
	size_t start = proto_open(&e->gzip.plain);
	uint32_t count;
	const struct label *l = labels_get(&p->label_sets, p->labels[i],
					   &count);

	put_stack(e, p->stack[i]);
	put_numbers(&e->gzip.plain, PPROF_SAMPLE_VALUE,
		    (const uint64_t *)profile_values(p, i), p->types.count);
	for (uint32_t j = 0; j < count; j++)
		put_label(e, &l[j]);
	proto_close(&e->gzip.plain, PPROF_SAMPLE, start);
	gzip_writer_step(&e->gzip);
}

static void put_mapping(struct encoder *e, const struct mapping *m)
{
	static const struct {
		enum mapping_flags flag;
		enum pprof_mapping field;
	} flags[] = {
		{ MAPPING_HAS_FUNCTIONS, PPROF_MAPPING_HAS_FUNCTIONS },
		{ MAPPING_HAS_FILENAMES, PPROF_MAPPING_HAS_FILENAMES },
		{ MAPPING_HAS_LINE_NUMBERS, PPROF_MAPPING_HAS_LINE_NUMBERS },
		{ MAPPING_HAS_INLINE_FRAMES, PPROF_MAPPING_HAS_INLINE_FRAMES },
	};
	struct sink *s = &e->gzip.plain;
	size_t start = proto_open(s);

	proto_put_optional(s, PPROF_MAPPING_ID, m->id);
	proto_put_optional(s, PPROF_MAPPING_START, m->start);
	proto_put_optional(s, PPROF_MAPPING_LIMIT, m->limit);
	proto_put_optional(s, PPROF_MAPPING_OFFSET, m->offset);
	put_string(e, PPROF_MAPPING_FILE, m->file);
	put_string(e, PPROF_MAPPING_BUILD_ID, m->build_id);
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		proto_put_optional(s, flags[i].field,
				   (m->flags & flags[i].flag) != 0);
	proto_close(s, PPROF_MAPPING, start);
}

static void put_line(struct encoder *e, const struct line *line)
{
	struct sink *s = &e->gzip.plain;
	size_t start = proto_open(s);

	proto_put_optional(s, PPROF_LINE_FUNCTION,
			   e->profile->functions.at[line->function].id);
	proto_put_optional(s, PPROF_LINE_LINE, (uint64_t)line->line);
	proto_put_optional(s, PPROF_LINE_COLUMN, (uint64_t)line->column);
	proto_close(s, PPROF_LOCATION_LINE, start);
}

static void put_location(struct encoder *e, const struct location *l)
{
	const struct line *lines = location_lines(e->profile, l);
	struct sink *s = &e->gzip.plain;
	size_t start = proto_open(s);

	proto_put_optional(s, PPROF_LOCATION_ID, l->id);
	proto_put_optional(s, PPROF_LOCATION_MAPPING,
			   e->profile->mappings.at[l->mapping].id);
	proto_put_optional(s, PPROF_LOCATION_ADDRESS, l->address);
	for (uint32_t i = 0; i < l->line_count; i++)
		put_line(e, &lines[i]);
	proto_put_optional(s, PPROF_LOCATION_FOLDED, l->folded);
	proto_close(s, PPROF_LOCATION, start);
}

static void put_function(struct encoder *e, const struct function *f)
{
	struct sink *s = &e->gzip.plain;
	size_t start = proto_open(s);

	proto_put_optional(s, PPROF_FUNCTION_ID, f->id);
	put_string(e, PPROF_FUNCTION_NAME, f->name);
	put_string(e, PPROF_FUNCTION_SYSTEM_NAME, f->system_name);
	put_string(e, PPROF_FUNCTION_FILE, f->file);
	proto_put_optional(s, PPROF_FUNCTION_START_LINE,
			   (uint64_t)f->start_line);
	proto_close(s, PPROF_FUNCTION, start);
}

static void put_strings(struct encoder *e)
{
	const struct strtab *strings = e->profile->strings;

	proto_put_bytes(&e->gzip.plain, PPROF_STRING, span_text(""));
	for (uint32_t i = 0; i < e->strings.count; i++)
		proto_put_bytes(&e->gzip.plain, PPROF_STRING,
				str_span(strings, e->strings.at[i]));
}

static void put_comments(struct encoder *e)
{
	const struct profile *p = e->profile;

	e->ids.count = 0;
	if (!VEC_RESERVE(&e->ids, &e->scratch, p->comments.count))
		return;
	for (uint32_t i = 0; i < p->comments.count; i++)
		e->ids.at[i] = e->number[p->comments.at[i]];
	put_numbers(&e->gzip.plain, PPROF_COMMENT, e->ids.at,
		    p->comments.count);
}

static void put_header(struct encoder *e)
{
	const struct profile_header *h = &e->profile->header;
	struct sink *s = &e->gzip.plain;

	put_string(e, PPROF_DROP_FRAMES, h->drop_frames);
	put_string(e, PPROF_KEEP_FRAMES, h->keep_frames);
	proto_put_optional(s, PPROF_TIME, (uint64_t)h->time_nanos);
	proto_put_optional(s, PPROF_DURATION, (uint64_t)h->duration_nanos);
	if (h->period_type.type || h->period_type.unit)
		put_type(e, PPROF_PERIOD_TYPE, h->period_type);
	proto_put_optional(s, PPROF_PERIOD, (uint64_t)h->period);
	put_comments(e);
	/* The one number that is there even if it is 0. */
	proto_put_number(s, PPROF_DEFAULT_TYPE, e->number[h->default_type]);
	put_string(e, PPROF_DOC_URL, h->doc_url);
}

static void warm_stacks(const struct profile *p, uint32_t first)
{
	uint32_t left = p->sample_count - first;

	stack_warm(&p->stacks, p->stack + first,
		   left < STACK_WARM ? left : STACK_WARM);
}

static void put_profile(struct encoder *e)
{
	const struct profile *p = e->profile;

	for (uint32_t i = 0; i < p->types.count; i++)
		put_type(e, PPROF_SAMPLE_TYPE, p->types.at[i]);
	for (uint32_t i = 0; i < p->sample_count; i++) {
		if (i % STACK_WARM == 0)
			warm_stacks(p, i);
		put_sample(e, i);
	}
	for (uint32_t i = 1; i < p->mappings.count; i++)
		put_mapping(e, &p->mappings.at[i]);
	for (uint32_t i = 1; i < p->locations.count; i++)
		put_location(e, &p->locations.at[i]);
	for (uint32_t i = 1; i < p->functions.count; i++)
		put_function(e, &p->functions.at[i]);
	put_strings(e);
	put_header(e);
}

static int encode(struct encoder *e)
{
	const struct profile *p = e->profile;

	e->number = ARENA_ARRAY(&e->scratch, uint32_t,
				p->strings->strings.count);
	e->seen = ARENA_ARRAY(&e->scratch, bool, p->label_sets.sets.count);
	if (!e->number || !e->seen)
		return -ENOMEM;
	number_strings(e);
	put_profile(e);
	return e->scratch.failed ? -ENOMEM : 0;
}

int pprof_write(const struct profile *p, struct sink *out, struct error *err)
{
	struct encoder e = { .profile = p };
	int r = gzip_writer_open(&e.gzip, out);
	int closed;

	if (r == 0)
		r = encode(&e);
	closed = gzip_writer_close(&e.gzip);
	arena_release(&e.scratch);
	r = r ? r : closed;
	if (r < 0)
		return error_set_errno(err, r, "cannot write the profile");
	return 0;
}
