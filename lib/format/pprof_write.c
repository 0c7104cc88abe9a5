/* SPDX-License-Identifier: MIT */
/*
 * Writing profile.proto, as pprof itself writes it: fields in the order of
 * their numbers, strings in the order of their first use, numbers packed from
 * three on, what is zero left out.  The samples come before the strings they
 * refer to, so a first round over the profile only numbers the strings.
 *
 * The second writes the tables row by row.  When that has become more than a
 * small file, rows are shared out: a row depends on no other.
 */
#include <errno.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/error.h"
#include "base/sink.h"
#include "base/workers.h"
#include "format/gzip.h"
#include "format/pprof.h"
#include "format/pprof_encode.h"
#include "format/proto.h"
#include "profile/profile.h"

/* How many rows a worker takes at a time.  The pieces of a large file begin
 * with them, so that this decides its bytes and the workers do not. */
enum { ROWS = 4096 };

struct writing {
	struct pprof_encoder encoder;
	struct gzip_writer gzip;
	struct pprof_row_writer rows[WORKERS_MAX]; /* one a worker */
};

/*
 * The first round.
 */

static void use(struct pprof_encoder *e, str_id id)
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

static void use_type(struct pprof_encoder *e, struct value_type type)
{
	use(e, type.type);
	use(e, type.unit);
}

static void use_labels(struct pprof_encoder *e, labels_id id)
{
	uint32_t count;
	const struct label *l = labels_get(&e->profile->label_sets, id, &count);

	for (uint32_t i = 0; i < count; i++) {
		use(e, l[i].key);
		use(e, l[i].numeric ? l[i].unit : l[i].text);
	}
}

static void use_rows(struct pprof_encoder *e)
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

static void use_samples(struct pprof_encoder *e, bool *seen)
{
	const struct profile *p = e->profile;

	for (uint32_t i = 0; i < p->sample_count; i++) {
		if (!seen[p->labels[i]])
			use_labels(e, p->labels[i]);
		seen[p->labels[i]] = true;
	}
}

static int number_strings(struct pprof_encoder *e)
{
	const struct profile *p = e->profile;
	bool *seen = ARENA_ARRAY(&e->scratch, bool, p->label_sets.sets.count);

	e->number = ARENA_ARRAY(&e->scratch, uint32_t,
				p->strings->strings.count);
	if (!e->number || !seen)
		return -ENOMEM;

	for (uint32_t i = 0; i < p->types.count; i++)
		use_type(e, p->types.at[i]);
	use_samples(e, seen);
	use_rows(e);
	use(e, p->header.drop_frames);
	use(e, p->header.keep_frames);
	use_type(e, p->header.period_type);
	for (uint32_t i = 0; i < p->comments.count; i++)
		use(e, p->comments.at[i]);
	use(e, p->header.default_type);
	use(e, p->header.doc_url);
	return e->scratch.failed ? -ENOMEM : 0;
}

/*
 * The second.
 */

static struct sink *plain(struct writing *w)
{
	return &w->gzip.plain;
}

static void put_string(struct writing *w, unsigned field, str_id id)
{
	proto_put_optional(plain(w), field, w->encoder.number[id]);
}

static void put_type(struct writing *w, unsigned field, struct value_type type)
{
	size_t start = proto_open(plain(w));

	put_string(w, PPROF_TYPE_TYPE, type.type);
	put_string(w, PPROF_TYPE_UNIT, type.unit);
	proto_close(plain(w), field, start);
}

/* Rows [next, end) of a table that are still to be written. */
struct rows {
	struct writing *writing;
	pprof_put_row *put;
	uint32_t next;
	uint32_t end;
};

static uint32_t rows_after(uint32_t row, uint32_t end, uint32_t count)
{
	return end - row < count ? end : row + count;
}

static void fill_with_rows(void *context, unsigned worker, unsigned number,
			   struct gzip_piece *piece)
{
	const struct rows *r = context;
	struct pprof_row_writer *w = &r->writing->rows[worker];
	uint32_t row = rows_after(r->next, r->end, number * ROWS);
	uint32_t end = rows_after(row, r->end, ROWS);

	w->out = &piece->plain;
	for (; row < end; row++) {
		r->put(w, row);
		gzip_piece_step(piece);
	}
}

static void put_rows(struct rows r)
{
	struct gzip_writer *gzip = &r.writing->gzip;
	struct pprof_row_writer *alone = &r.writing->rows[0];

	alone->out = &gzip->plain;
	for (; r.next < r.end && !gzip->large; r.next++) {
		r.put(alone, r.next);
		gzip_writer_step(gzip);
	}
	while (r.next < r.end) {
		uint32_t end = rows_after(r.next, r.end, GZIP_PARTS * ROWS);

		gzip_writer_fill(gzip, (end - r.next + ROWS - 1) / ROWS,
				 fill_with_rows, &r);
		r.next = end;
	}
}

static void put_comments(struct writing *w)
{
	struct pprof_encoder *e = &w->encoder;
	const struct profile *p = e->profile;
	uint32_t count = p->comments.count;
	uint64_t *number = ARENA_ARRAY(&e->scratch, uint64_t, count);
	struct pprof_numbers n;
	uint8_t *room;

	for (uint32_t i = 0; i < count && number; i++)
		number[i] = e->number[p->comments.at[i]];
	if (!number)
		return;
	n = pprof_measure(PPROF_COMMENT, number, count);
	room = (uint8_t *)sink_room(plain(w),
				    pprof_numbers_size(&n) + PROTO_MOST);
	if (room)
		sink_filled(plain(w),
			    (size_t)(pprof_store_numbers(room, &n) - room));
}

static void put_header(struct writing *w)
{
	const struct profile_header *h = &w->encoder.profile->header;
	struct sink *s = plain(w);

	put_string(w, PPROF_DROP_FRAMES, h->drop_frames);
	put_string(w, PPROF_KEEP_FRAMES, h->keep_frames);
	proto_put_optional(s, PPROF_TIME, (uint64_t)h->time_nanos);
	proto_put_optional(s, PPROF_DURATION, (uint64_t)h->duration_nanos);
	if (h->period_type.type || h->period_type.unit)
		put_type(w, PPROF_PERIOD_TYPE, h->period_type);
	proto_put_optional(s, PPROF_PERIOD, (uint64_t)h->period);
	put_comments(w);
	/* The one number that is there even if it is 0. */
	proto_put_number(s, PPROF_DEFAULT_TYPE,
			 w->encoder.number[h->default_type]);
	put_string(w, PPROF_DOC_URL, h->doc_url);
}

static void put_profile(struct writing *w)
{
	const struct profile *p = w->encoder.profile;
	const struct rows tables[] = {
		{ w, pprof_put_sample, 0, p->sample_count },
		{ w, pprof_put_mapping, 1, p->mappings.count },
		{ w, pprof_put_location, 1, p->locations.count },
		{ w, pprof_put_function, 1, p->functions.count },
		{ w, pprof_put_string, 0, w->encoder.strings.count + 1 },
	};

	for (uint32_t i = 0; i < p->types.count; i++)
		put_type(w, PPROF_SAMPLE_TYPE, p->types.at[i]);
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		put_rows(tables[i]);
	put_header(w);
}

static int prepare(struct writing *w, const struct workers *workers)
{
	int r = number_strings(&w->encoder);

	for (unsigned i = 0; i < WORKERS_MAX; i++)
		w->rows[i].encoder = &w->encoder;
	return r < 0 ? r : pprof_prepare_frames(&w->encoder, workers);
}

/* Returns 0, or -ENOMEM if memory ran out on the way. */
static int release(struct writing *w)
{
	bool failed = w->encoder.scratch.failed;

	for (unsigned i = 0; i < WORKERS_MAX; i++) {
		failed |= w->rows[i].scratch.failed;
		arena_release(&w->rows[i].scratch);
	}
	arena_release(&w->encoder.scratch);
	return failed ? -ENOMEM : 0;
}

int pprof_write(const struct profile *p, const struct workers *workers,
		struct sink *out, struct error *err)
{
	struct writing w = { .encoder.profile = p };
	int r = prepare(&w, workers);
	int released, closed;

	gzip_writer_open(&w.gzip, out, workers);
	if (r == 0)
		put_profile(&w);
	closed = gzip_writer_close(&w.gzip);
	released = release(&w);
	r = r ? r : released;
	r = r ? r : closed;
	if (r < 0)
		return error_set_errno(err, r, "cannot write the profile");
	return 0;
}
