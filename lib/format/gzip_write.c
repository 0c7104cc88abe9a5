/* SPDX-License-Identifier: MIT */
/*
 * Writing gzip files.  A small file is left to libdeflate, at the level at
 * which Go writes profiles.  Nobody waits for that, but for a hundred times as
 * much they would: so a large file is cut into pieces for quickdeflate(), whose
 * results can be put together to a single stream.
 */
#include <errno.h>

#include "base/check.h"
#include "base/deflate.h"
#include "format/gzip.h"
#include "format/quickdeflate.h"

enum {
	LEVEL = 6,
	/* Bytes: references, of up to 32 KiB, end with it, but what is to be
	 * compressed must still be near the processor. */
	PIECE = 1 << 18,
};

void gzip_writer_open(struct gzip_writer *w, struct sink *out,
		      const struct workers *workers)
{
	*w = (struct gzip_writer){ .out = out, .workers = workers };
	w->plain = sink_to_memory(&w->arena);
}

/*
 * Checksums are polynomials modulo this one, the highest power in the lowest
 * bit.  What comes in front of n bytes counts as multiplied by x to the 8 n.
 */
static uint32_t multiply(uint32_t a, uint32_t b)
{
	uint32_t product = 0;

	for (uint32_t bit = 1u << 31; bit; bit >>= 1) {
		if (a & bit)
			product ^= b;
		b = b >> 1 ^ (b & 1 ? 0xedb88320u : 0);
	}
	return product;
}

/* The checksum of two texts in a row, the second of them len bytes long. */
static uint32_t join_checksums(uint32_t first, uint32_t second, uint64_t len)
{
	uint32_t power = 1u << 23; /* x to the 8 */

	for (; len; len >>= 1) {
		if (len & 1)
			first = multiply(first, power);
		power = multiply(power, power);
	}
	return first ^ second;
}

static void pack(struct gzip_piece *p)
{
	struct span data = sink_bytes(&p->plain);
	char *room;

	if (!data.len || p->plain.error)
		return;
	p->plain.used = 0;
	room = sink_room(&p->packed, quickdeflate_bound(data.len));
	if (!room) {
		p->plain.error = p->packed.error;
		return;
	}
	sink_filled(&p->packed,
		    quickdeflate(p->deflate, data, (uint8_t *)room));
	p->part->checksum = libdeflate_crc32(p->part->checksum, data.at,
					     data.len);
	p->part->len += data.len;
}

void gzip_piece_step(struct gzip_piece *p)
{
	if (p->plain.used >= PIECE)
		pack(p);
}

/* Takes over what is packed. */
static void append(struct gzip_writer *w, const struct gzip_part *part)
{
	const struct gzip_piece *p = &w->pieces[part->worker];

	sink_span(w->out, span_part(sink_bytes(&p->packed), part->begin,
				    part->end - part->begin));
	w->checksum = join_checksums(w->checksum, part->checksum, part->len);
	w->len += part->len;
}

static void fill_one(struct gzip_writer *w, unsigned worker, unsigned number)
{
	struct gzip_piece *p = &w->pieces[worker];
	struct gzip_part *part = &w->parts[number];

	*part = (struct gzip_part){ .worker = worker, .begin = p->packed.used };
	p->part = part;
	w->fill(w->fill_context, worker, number, p);
	pack(p);
	part->end = p->packed.used;
}

static void fill_some(void *context, unsigned worker)
{
	struct gzip_writer *w = context;
	unsigned number;

	while ((number = atomic_fetch_add(&w->next, 1)) < w->part_count)
		fill_one(w, worker, number);
}

static void fill_all(struct gzip_writer *w, unsigned parts, gzip_fill *fill,
		     void *context)
{
	ASSERT(parts <= GZIP_PARTS);
	if (w->plain.error)
		return;
	w->fill = fill;
	w->fill_context = context;
	w->part_count = parts;
	atomic_store(&w->next, 0);
	workers_run(w->workers, fill_some, w);
	for (unsigned i = 0; i < workers_parts(w->workers); i++)
		if (!w->plain.error)
			w->plain.error = w->pieces[i].plain.error;
	for (unsigned i = 0; i < parts && !w->plain.error; i++)
		append(w, &w->parts[i]);
	for (unsigned i = 0; i < workers_parts(w->workers); i++)
		w->pieces[i].packed.used = 0;
}

/* What is still in plain. */
static void fill_with_rest(void *context, unsigned worker, unsigned number,
			   struct gzip_piece *piece)
{
	const struct span *rest = context;
	size_t begin = (size_t)number * PIECE;
	size_t len = rest->len - begin;

	(void)worker;
	sink_write(&piece->plain, rest->at + begin, len < PIECE ? len : PIECE);
}

static void pack_plain(struct gzip_writer *w)
{
	const size_t step = (size_t)GZIP_PARTS * PIECE;
	struct span all = sink_bytes(&w->plain);

	for (size_t at = 0; at < all.len; at += step) {
		size_t len = all.len - at < step ? all.len - at : step;
		struct span rest = span_part(all, at, len);

		fill_all(w, (unsigned)((len + PIECE - 1) / PIECE),
			 fill_with_rest, &rest);
	}
	w->plain.used = 0;
}

static void open_piece(struct gzip_piece *p)
{
	p->plain = sink_to_memory(&p->arena);
	p->packed = sink_to_memory(&p->arena);
	p->deflate = arena_alloc(&p->arena, quickdeflate_size());
	if (!p->deflate)
		p->plain.error = -ENOMEM;
}

/* The header says nothing but that this is deflate, and compressed quickly. */
static void become_large(struct gzip_writer *w)
{
	static const uint8_t header[10] = { 0x1f, 0x8b, 8, [8] = 4, 255 };

	w->large = true;
	for (unsigned i = 0; i < workers_parts(w->workers); i++)
		open_piece(&w->pieces[i]);
	sink_write(w->out, header, sizeof(header));
}

void gzip_writer_step(struct gzip_writer *w)
{
	if (w->plain.used < GZIP_SMALL)
		return;
	if (!w->large)
		become_large(w);
	pack_plain(w);
}

void gzip_writer_fill(struct gzip_writer *w, unsigned parts, gzip_fill *fill,
		      void *context)
{
	ASSERT(w->large);
	pack_plain(w);
	fill_all(w, parts, fill, context);
}

/* The usual case. */
static void write_small(struct gzip_writer *w)
{
	struct libdeflate_compressor *c = deflate_open(LEVEL);
	size_t room = libdeflate_gzip_compress_bound(c, w->plain.used);
	char *member = c ? arena_alloc(&w->arena, room) : NULL;

	if (member)
		sink_write(w->out, member,
			   libdeflate_gzip_compress(c, w->plain.buf,
						    w->plain.used, member,
						    room));
	else
		w->plain.error = -ENOMEM;
	libdeflate_free_compressor(c);
}

static void end_large(struct gzip_writer *w)
{
	const uint32_t trailer[2] = { w->checksum, (uint32_t)w->len };

	sink_write(w->out, QUICKDEFLATE_END, 2);
	sink_write(w->out, trailer, sizeof(trailer));
}

int gzip_writer_close(struct gzip_writer *w)
{
	int r;

	gzip_writer_step(w);
	if (w->large) {
		pack_plain(w);
		end_large(w);
	} else if (!w->plain.error) {
		write_small(w);
	}
	r = w->plain.error ? w->plain.error : w->out->error;
	for (unsigned i = 0; i < workers_parts(w->workers); i++)
		arena_release(&w->pieces[i].arena);
	arena_release(&w->arena);
	*w = (struct gzip_writer){ 0 };
	return r;
}
