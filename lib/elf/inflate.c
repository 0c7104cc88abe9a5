/* SPDX-License-Identifier: MIT */
/*
 * Compressed sections.  The size is stated in front of the data and is only
 * believed within reason, since it decides how much memory is taken: debug
 * data shrinks to a third or a tenth, never to a thousandth.
 */
#include "elf/inflate.h"

#include <elf.h>
#include <errno.h>
#include <zstd.h>

#include "base/arena.h"
#include "base/deflate.h"
#include "base/error.h"
#include "elf/image.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

enum {
	SMALL = 4 << 20, /* any section may expand to this many bytes */
	MOST = 64,	 /* a larger one at most to this many times its size */
	ZDEBUG_HEADER = 12,
};

/* A method, as ch_type numbers them. */
struct method {
	const char *name;
	bool (*inflate)(struct span from, uint8_t *to, size_t size);
};

static bool inflate_zlib(struct span from, uint8_t *to, size_t size)
{
	struct libdeflate_decompressor *d = inflate_open();
	enum libdeflate_result r;

	if (!d)
		return false;
	r = libdeflate_zlib_decompress(d, from.at, from.len, to, size, NULL);
	libdeflate_free_decompressor(d);
	return r == LIBDEFLATE_SUCCESS;
}

static bool inflate_zstd(struct span from, uint8_t *to, size_t size)
{
	return ZSTD_decompress(to, size, from.at, from.len) == size;
}

static const struct method methods[] = {
	[ELFCOMPRESS_ZLIB] = { "zlib", inflate_zlib },
	[ELFCOMPRESS_ZSTD] = { "zstd", inflate_zstd },
};

static int inflate(const struct method *method, struct span from, uint64_t size,
		   struct arena *arena, struct span *ret)
{
	uint8_t *to;

	if (size > SMALL && size / MOST > from.len)
		return -E2BIG;
	/* One byte more, so that the content is followed by a NUL. */
	to = arena_alloc(arena, size + 1);
	if (!to)
		return -ENOMEM;
	if (size && !method->inflate(from, to, size)) {
		arena_free(arena, to, size + 1);
		return -EBADMSG;
	}
	*ret = span_of(to, size);
	return 0;
}

static int explain(struct error *err, int code, const char *section)
{
	if (code == -E2BIG)
		return error_set(err, code,
				 "section '%s' claims an absurd size", section);
	return error_set_errno(err, code, "cannot decompress section '%s'",
			       section);
}

static int load_flagged(const struct elf_section *section, struct span bytes,
			struct arena *arena, struct span *ret,
			struct error *err)
{
	Elf64_Chdr header;
	int r;

	if (bytes.len < sizeof(header))
		return explain(err, -EBADMSG, section->name);
	memcpy(&header, bytes.at, sizeof(header));
	if (header.ch_type >= sizeof(methods) / sizeof(methods[0]) ||
	    !methods[header.ch_type].inflate)
		return error_set(err, -ENOTSUP,
				 "section '%s' is compressed by method %u",
				 section->name, header.ch_type);
	bytes = span_part(bytes, sizeof(header), bytes.len - sizeof(header));
	r = inflate(&methods[header.ch_type], bytes, header.ch_size, arena,
		    ret);
	return r < 0 ? explain(err, r, section->name) : 0;
}

/* "ZLIB", the size as eight bytes, most significant first, the data. */
static int load_zdebug(const struct elf_section *section, struct span bytes,
		       struct arena *arena, struct span *ret, struct error *err)
{
	uint64_t size;
	int r;

	if (bytes.len < ZDEBUG_HEADER || !span_starts(bytes, "ZLIB"))
		return explain(err, -EBADMSG, section->name);
	memcpy(&size, bytes.at + 4, sizeof(size));
	bytes = span_part(bytes, ZDEBUG_HEADER, bytes.len - ZDEBUG_HEADER);
	r = inflate(&methods[ELFCOMPRESS_ZLIB], bytes, __builtin_bswap64(size),
		    arena, ret);
	return r < 0 ? explain(err, r, section->name) : 0;
}

int elf_section_load(const struct elf *elf, const struct elf_section *section,
		     struct arena *arena, struct span *ret, struct error *err)
{
	struct span bytes = elf_section_bytes(elf, section);

	if (section->flags & SHF_COMPRESSED)
		return load_flagged(section, bytes, arena, ret, err);
	if (strncmp(section->name, ".zdebug", 7) == 0)
		return load_zdebug(section, bytes, arena, ret, err);
	*ret = bytes;
	return 0;
}
