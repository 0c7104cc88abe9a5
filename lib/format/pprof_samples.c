/* SPDX-License-Identifier: MIT */
/*
 * The samples of a pprof profile, which are nearly all of it: a million
 * samples are forty million location ids.  An id is translated as it is read
 * and the stack goes straight into the tree.
 */
#include <errno.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/pages.h"
#include "format/pprof_decode.h"
#include "format/proto.h"
#include "profile/profile.h"

enum {
	BATCH = 512,		/* samples whose stacks are added at once */
	RELEASE_STEP = 4 << 20, /* bytes read between two madvise(2) */
};

/* The sample at hand, and the stacks of those before it that wait. */
struct sample {
	struct pprof_decoder *d;
	VEC(location_id) frames; /* of all that wait, each the leaf first */
	uint32_t ends[BATCH];	 /* where in frames each of them ends */
	uint32_t waiting;
	VEC(int64_t) values;
	VEC(struct label) labels;
	uint64_t missing; /* a location id that is nowhere */
	bool is_missing;
};

/* Keeps the first of them. */
static void note_missing(struct sample *s, uint64_t id)
{
	if (s->is_missing)
		return;
	s->is_missing = true;
	s->missing = id;
}

static bool take_location(struct sample *s, uint64_t id)
{
	location_id *frame = VEC_PUSH(&s->frames, &s->d->scratch);

	if (!frame)
		return false;
	*frame = idmap_find(&s->d->locations, id);
	if (!*frame)
		note_missing(s, id);
	return true;
}

/* The inmost loop of all: it keeps its state in registers. */
static bool take_packed_locations(struct sample *s, struct span packed)
{
	const struct idmap *ids = &s->d->locations;
	struct reader r = reader_of(packed);
	location_id *next;

	/* A number takes at least a byte. */
	if (!packed.len)
		return true;
	if (!VEC_RESERVE(&s->frames, &s->d->scratch, packed.len))
		return false;
	next = s->frames.at + s->frames.count;
	while (reader_left(&r)) {
		uint64_t id = proto_varint_alike(&r);
		location_id row = idmap_find(ids, id);

		if (!row)
			note_missing(s, id);
		*next++ = row;
	}
	s->frames.count = (uint32_t)(next - s->frames.at);
	return !r.failed;
}

static bool take_locations(struct sample *s, const struct proto_field *f)
{
	if (f->wire == PROTO_BYTES)
		return take_packed_locations(s, f->bytes);
	return f->wire == PROTO_VARINT && take_location(s, f->value);
}

static bool take_values(struct sample *s, const struct proto_field *f)
{
	struct reader r = reader_of(f->bytes);

	if (!VEC_RESERVE(&s->values, &s->d->scratch, f->bytes.len + 1))
		return false;
	if (f->wire == PROTO_VARINT)
		s->values.at[s->values.count++] = (int64_t)f->value;
	while (reader_left(&r))
		s->values.at[s->values.count++] = (int64_t)proto_varint(&r);
	return !r.failed && (f->wire == PROTO_BYTES || f->wire == PROTO_VARINT);
}

/*
 * A label is a text if it names one, else a number, else nothing: pprof loses
 * a number that is 0 and has no unit.
 */
static int take_label(struct sample *s, const struct proto_field *f)
{
	uint64_t n[PPROF_LABEL_END] = { 0 };
	struct label l = { 0 };
	struct label *place;
	int r;

	if (f->wire != PROTO_BYTES ||
	    !proto_numbers(f->bytes, n, PPROF_LABEL_END))
		return pprof_damaged(s->d);
	l.numeric = !n[PPROF_LABEL_TEXT];
	r = pprof_string(s->d, n[PPROF_LABEL_KEY], &l.key)
		    ?: pprof_string(s->d, n[PPROF_LABEL_TEXT], &l.text);
	if (r < 0)
		return r;
	if (l.numeric) {
		if (!n[PPROF_LABEL_NUMBER] && !n[PPROF_LABEL_UNIT])
			return 0;
		l.number = (int64_t)n[PPROF_LABEL_NUMBER];
		r = pprof_string(s->d, n[PPROF_LABEL_UNIT], &l.unit);
		if (r < 0)
			return r;
	}
	place = VEC_PUSH(&s->labels, &s->d->scratch);
	if (!place)
		return pprof_no_memory(s->d);
	*place = l;
	return 0;
}

static int take_field(struct sample *s, const struct proto_field *f)
{
	switch (f->number) {
	case PPROF_SAMPLE_LOCATION:
		return take_locations(s, f) ? 0 : pprof_damaged(s->d);
	case PPROF_SAMPLE_VALUE:
		return take_values(s, f) ? 0 : pprof_damaged(s->d);
	case PPROF_SAMPLE_LABEL:
		return take_label(s, f);
	default:
		return 0;
	}
}

static int take_sample(struct sample *s, struct span message)
{
	struct reader r = reader_of(message);
	struct proto_field f;
	int ret = 0;

	s->values.count = 0;
	s->labels.count = 0;
	while (ret == 0 && proto_next(&r, &f))
		ret = take_field(s, &f);
	return r.failed ? pprof_damaged(s->d) : ret;
}

/* What the tables do not rule out. */
static int check_sample(const struct sample *s)
{
	unsigned types = s->d->profile->types.count;
	unsigned long long ordinal = s->d->ordinal;

	if (s->values.count != types)
		return error_set(
			s->d->err, -EBADMSG,
			"malformed profile: sample %llu has %u value%s, but there %s %u sample type%s",
			ordinal, s->values.count,
			s->values.count == 1 ? "" : "s",
			types == 1 ? "is" : "are", types,
			types == 1 ? "" : "s");
	if (s->is_missing)
		return error_set(
			s->d->err, -EBADMSG,
			"malformed profile: sample %llu has location %llu, which does not exist",
			ordinal, (unsigned long long)s->missing);
	return 0;
}

/* Adds the stacks that wait. */
static void add_stacks(struct sample *s)
{
	struct profile *p = s->d->profile;

	stack_add_many(&p->stacks, s->frames.at, s->ends, s->waiting,
		       p->stack + p->sample_count - s->waiting);
	s->waiting = 0;
	s->frames.count = 0;
}

static int add_sample(struct sample *s)
{
	struct profile *p = s->d->profile;
	labels_id labels = labels_add(&p->label_sets, s->labels.at,
				      s->labels.count);
	int64_t *values = profile_add_sample(p, 0, labels);

	if (!values || p->arena->failed)
		return pprof_no_memory(s->d);
	for (uint32_t i = 0; i < s->values.count; i++)
		values[i] = s->values.at[i];
	s->ends[s->waiting++] = s->frames.count;
	if (s->waiting == BATCH)
		add_stacks(s);
	return 0;
}

static int decode_sample(struct sample *s, struct span message)
{
	int r = take_sample(s, message);

	if (r == 0)
		r = check_sample(s);
	return r < 0 ? r : add_sample(s);
}

static int decode_samples(struct sample *s, bool consume)
{
	const struct pprof_section *section = &s->d->section[PPROF_SAMPLE];
	struct reader r = { .at = section->begin, .end = section->end };
	const struct span data = s->d->data;
	const uint8_t *kept = data.at;
	struct proto_field f;
	int ret = 0;

	if (consume)
		pages_drop(
			span_of(r.end, (size_t)(data.at + data.len - r.end)));
	while (ret == 0 && proto_next(&r, &f)) {
		if (f.number != PPROF_SAMPLE)
			continue;
		s->d->ordinal++;
		ret = decode_sample(s, f.bytes);
		if (consume && r.at - kept > RELEASE_STEP) {
			pages_drop(span_of(kept, (size_t)(r.at - kept)));
			kept = r.at;
		}
	}
	add_stacks(s);
	/* By now it is a profile, whatever is wrong with it. */
	if (ret == -ENOTSUP)
		return error_set(s->d->err, -EBADMSG,
				 "malformed profile: sample %llu is damaged",
				 (unsigned long long)s->d->ordinal);
	return ret;
}

int pprof_decode_samples(struct pprof_decoder *d, bool consume)
{
	struct sample s = { .d = d };
	struct profile *p = d->profile;
	uint64_t count = d->section[PPROF_SAMPLE].count;

	if (!count)
		return 0;
	if (!p->types.count)
		return error_set(
			d->err, -EBADMSG,
			"malformed profile: missing sample type information");
	/* A sample has a value of each type, so no more than these are good. */
	if (count > d->data.len / p->types.count)
		count = d->data.len / p->types.count;
	if (profile_reserve_samples(p, count) < 0)
		return pprof_no_memory(d);
	stacktab_expect(&p->stacks, count);
	d->what = "sample";
	d->ordinal = 0;
	return decode_samples(&s, consume);
}
