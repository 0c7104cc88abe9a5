/* SPDX-License-Identifier: MIT */
/*
 * Reading gzip files with libdeflate, which is two to three times as fast as
 * zlib but knows no streams: it must be given room for everything at once.  How
 * much that is can not be trusted to the file, so the room is address space
 * first and memory only when written, or soon if the file is likely to tell the
 * truth.  In small pages: see arena.c.
 */
#include "format/gzip.h"

#include <errno.h>
#include <sys/mman.h>

#include "base/check.h"
#include "base/deflate.h"
#include "base/error.h"
#include "base/pages.h"
#include "base/span.h"

enum {
	MOST_EXPANSION = 1032, /* the best that deflate can do */
	LIKELY_EXPANSION = 8,  /* more may be a lie */
	TRAILER = 8,	       /* checksum and size, four bytes each */
};

bool gzip_detect(struct span data)
{
	return data.len >= 2 && data.at[0] == 0x1f && data.at[1] == 0x8b;
}

/* What the file says it expands to: true of a single member below 4 GiB. */
static uint64_t claimed_size(struct span file)
{
	struct reader r = reader_of(span_part(file, file.len - 4, 4));

	return file.len < TRAILER ? 0 : reader_u32(&r);
}

static size_t most_size(struct span file, uint64_t limit)
{
	uint64_t most;

	if (__builtin_mul_overflow(file.len, MOST_EXPANSION, &most) ||
	    most > limit)
		most = limit;
	return most < SIZE_MAX / 2 ? (size_t)most : SIZE_MAX / 2;
}

static bool map_room(struct gunzipped *g, size_t size)
{
	void *p;

	size = size ? size : 1;
	p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return false;
	*g = (struct gunzipped){ .base = p, .mapped = size };
	return true;
}

static bool grow_room(struct gunzipped *g, size_t size)
{
	void *p = mremap(g->base, g->mapped, size, MREMAP_MAYMOVE);

	if (p == MAP_FAILED)
		return false;
	g->base = p;
	g->mapped = size;
	return true;
}

static int too_large(uint64_t limit, struct error *err)
{
	static const char *const unit[] = { "bytes", "KiB", "MiB", "GiB",
					    "TiB" };
	unsigned i = 0;

	for (; i < 4 && limit && limit % 1024 == 0; i++)
		limit /= 1024;
	return error_set(err, -EFBIG, "it expands to more than %llu %s",
			 (unsigned long long)limit, unit[i]);
}

static int bad_member(struct span file, size_t at, struct error *err)
{
	if (at && !gzip_detect(span_part(file, at, file.len - at)))
		return error_set(
			err, -EBADMSG,
			"there is something else after %zu bytes of gzip data",
			at);
	return error_set(err, -EBADMSG,
			 "the gzip data is damaged or cut short");
}

struct expansion {
	struct libdeflate_decompressor *inflater;
	struct span file;
	size_t at;   /* how far into the file */
	size_t most; /* bytes that may come out of it */
	uint64_t limit;
};

/* Appends one member to what is there. */
static int expand_member(struct expansion *e, struct gunzipped *g,
			 struct error *err)
{
	enum libdeflate_result result;
	size_t taken = 0, made = 0;

	for (;;) {
		result = libdeflate_gzip_decompress_ex(
			e->inflater, e->file.at + e->at, e->file.len - e->at,
			g->base + g->data.len, g->mapped - g->data.len, &taken,
			&made);
		if (result != LIBDEFLATE_INSUFFICIENT_SPACE)
			break;
		if (g->mapped >= e->most)
			return too_large(e->limit, err);
		if (!grow_room(g, e->most))
			return error_set(err, -ENOMEM, "out of memory");
	}
	if (result != LIBDEFLATE_SUCCESS)
		return bad_member(e->file, e->at, err);
	e->at += taken;
	g->data.len += made;
	return 0;
}

static int expand(struct expansion *e, struct gunzipped *g, struct error *err)
{
	int r;

	do {
		r = expand_member(e, g, err);
	} while (r == 0 && e->at < e->file.len);
	g->data.at = g->base;
	return r;
}

int gzip_expand(struct gunzipped *ret, struct span file, uint64_t limit,
		struct error *err)
{
	struct expansion e = { .file = file, .limit = limit };
	uint64_t claimed = claimed_size(file);
	int r;

	*ret = (struct gunzipped){ 0 };
	e.most = most_size(file, limit);
	if (!map_room(ret, claimed < e.most ? (size_t)claimed : e.most))
		return error_set(err, -ENOMEM, "out of memory");
	if (claimed / LIKELY_EXPANSION <= file.len)
		pages_get(span_of(ret->base, ret->mapped));
	e.inflater = inflate_open();
	if (!e.inflater)
		return error_set(err, -ENOMEM, "out of memory");

	r = expand(&e, ret, err);
	libdeflate_free_decompressor(e.inflater);
	return r;
}

void gunzipped_release(struct gunzipped *g)
{
	if (g->base)
		ASSERT(munmap(g->base, g->mapped) == 0);
	*g = (struct gunzipped){ 0 };
}
