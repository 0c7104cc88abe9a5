/* SPDX-License-Identifier: MIT */
/*
 * Reading profile.proto.  Its parts come in any order, and the samples, which
 * are nearly all of a large file, come first as a rule and refer to everything
 * else.  So the file is read in passes: the first finds where each kind of
 * part is and how many there are (here), then one pass each makes strings,
 * mappings, functions and locations (pprof_tables.c), and the samples come
 * last, straight into the stack tree (pprof_samples.c).  No pass makes anything
 * but the rows that stay.
 *
 * What is accepted follows pprof's own reader to the letter.  Once the
 * outermost structure is whole and there is a string table, the file is a
 * profile and every fault in it is named; before that it may be anything.
 */
#include <errno.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/fmt.h"
#include "format/format.h"
#include "format/pprof.h"
#include "format/pprof_decode.h"
#include "format/proto.h"
#include "profile/profile.h"

int pprof_no_memory(struct pprof_decoder *d)
{
	return error_set(d->err, -ENOMEM, "not enough memory for the profile");
}

/* "sample 3", or "drop_frames", of which there is one. */
struct place {
	char text[48];
};

static struct place place(const struct pprof_decoder *d)
{
	struct place p;

	if (d->ordinal)
		fmt_text(p.text, sizeof(p.text), "%s %llu", d->what,
			 (unsigned long long)d->ordinal);
	else
		fmt_text(p.text, sizeof(p.text), "%s", d->what);
	return p;
}

int pprof_damaged(struct pprof_decoder *d)
{
	if (d->scratch.failed)
		return pprof_no_memory(d);
	return error_set(d->err, -ENOTSUP,
			 "it looks like a pprof profile, but %s is damaged",
			 place(d).text);
}

int pprof_string(struct pprof_decoder *d, uint64_t index, str_id *ret)
{
	if (index >= d->strings.count)
		return error_set(d->err, -EBADMSG,
				 "string table index %lld out of range in %s",
				 (long long)index, place(d).text);
	*ret = d->strings.at[index];
	return 0;
}

int pprof_each(struct pprof_decoder *d, enum pprof_profile field,
	       const char *what, pprof_decode *decode)
{
	const struct pprof_section *s = &d->section[field];
	struct reader r = { .at = s->begin, .end = s->end };
	struct proto_field f;
	int ret = 0;

	d->what = what;
	d->ordinal = 0;
	while (ret == 0 && proto_next(&r, &f)) {
		if (f.number != field)
			continue;
		d->ordinal++;
		ret = decode(d, &f);
	}
	return ret;
}

static bool wire_fits(const struct proto_field *f)
{
	enum { NUMBER = 1 << PROTO_VARINT, BYTES = 1 << PROTO_BYTES };
	static const unsigned char wires[PPROF_PROFILE_END] = {
		[PPROF_SAMPLE_TYPE] = BYTES,
		[PPROF_SAMPLE] = BYTES,
		[PPROF_MAPPING] = BYTES,
		[PPROF_LOCATION] = BYTES,
		[PPROF_FUNCTION] = BYTES,
		[PPROF_STRING] = BYTES,
		[PPROF_DROP_FRAMES] = NUMBER,
		[PPROF_KEEP_FRAMES] = NUMBER,
		[PPROF_TIME] = NUMBER,
		[PPROF_DURATION] = NUMBER,
		[PPROF_PERIOD_TYPE] = BYTES,
		[PPROF_PERIOD] = NUMBER,
		[PPROF_COMMENT] = NUMBER | BYTES,
		[PPROF_DEFAULT_TYPE] = NUMBER,
		[PPROF_DOC_URL] = NUMBER,
	};

	if (f->number >= PPROF_PROFILE_END || !wires[f->number])
		return true;
	return wires[f->number] & 1 << f->wire;
}

/* Damage is worth a word only in what has begun as a profile does. */
static int broken(struct pprof_decoder *d, const uint8_t *at)
{
	if (!d->section[PPROF_SAMPLE_TYPE].count &&
	    !d->section[PPROF_STRING].count)
		return -ENOTSUP;
	return error_set(
		d->err, -ENOTSUP,
		"it looks like a pprof profile, but is damaged or cut short at byte %zu",
		(size_t)(at - d->data.at));
}

static int index_field(struct pprof_decoder *d, const struct proto_field *f,
		       const uint8_t *begin, const uint8_t *end)
{
	struct pprof_section *s;

	if (!wire_fits(f))
		return broken(d, begin);
	if (f->number >= PPROF_PROFILE_END)
		return 0;
	if (f->number == PPROF_TIME && d->number[PPROF_TIME])
		return error_set(d->err, -EBADMSG,
				 "concatenated profiles detected");

	s = &d->section[f->number];
	if (!s->count++)
		s->begin = begin;
	s->end = end;
	d->number[f->number] = f->value;
	if (f->number == PPROF_PERIOD_TYPE)
		d->period_type = f->bytes;
	if (f->number == PPROF_STRING && s->count == 1 && f->bytes.len)
		return error_set(d->err, -ENOTSUP,
				 "its string table does not begin with ''");
	return 0;
}

static int index_fields(struct pprof_decoder *d)
{
	struct reader r = reader_of(d->data);
	const uint8_t *begin = r.at;
	struct proto_field f;

	for (; proto_next(&r, &f); begin = r.at) {
		int ret = index_field(d, &f, begin, r.at);

		if (ret < 0)
			return ret;
	}
	if (r.failed)
		return broken(d, begin);
	return d->section[PPROF_STRING].count ? 0 : -ENOTSUP;
}

static int decode(struct pprof_decoder *d, bool consume)
{
	int r = index_fields(d);

	if (r < 0)
		return r;
	r = pprof_decode_tables(d);
	if (r < 0)
		return r;
	r = profile_check(d->profile, d->err);
	if (r < 0)
		return r;
	r = pprof_decode_samples(d, consume);
	if (r < 0)
		return r;
	return d->profile->arena->failed ? pprof_no_memory(d) : 0;
}

static int read_with(struct profile *p, struct span data, bool consume,
		     struct error *err)
{
	struct pprof_decoder d = { .profile = p, .data = data, .err = err };
	int r;

	if (!data.len)
		return error_set(err, -EBADMSG, "empty input file");
	d.scratch.limit = p->arena->limit;
	r = decode(&d, consume);
	arena_release(&d.scratch);
	return r;
}

bool pprof_detect(struct span data)
{
	struct reader r = reader_of(data);
	struct proto_field f;

	return proto_next(&r, &f) && wire_fits(&f);
}

int pprof_read(struct profile *p, struct span data, struct error *err)
{
	return read_with(p, data, false, err);
}

int pprof_consume(struct profile *p, struct span data, struct error *err)
{
	return read_with(p, data, true, err);
}

const struct format format_pprof = {
	.name = "pprof",
	.extensions = "pb.gz pb pprof",
	.summary = "profile.proto, as Go and Google's pprof read and write it",
	.detect = pprof_detect,
	.read = pprof_read,
	.consume = pprof_consume,
	.write = pprof_write,
};
