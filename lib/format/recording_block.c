/* SPDX-License-Identifier: MIT */
/*
 * Framing: what makes a recording readable when its writer was killed or its
 * disk has rotted.  A header with a check of its own is believed: the block's
 * length is then known even if its content is damaged, and no byte is looked
 * at twice.  Only where no such header is, the next one is searched for.
 */
#define ZSTD_STATIC_LINKING_ONLY /* contexts in memory of our own */

#include "format/recording_block.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <zstd.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/sink.h"
#include "base/xxh64.h"

#if defined(__x86_64__)
enum { MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { MACHINE = EM_AARCH64 };
#else
enum { MACHINE = EM_NONE };
#endif

/* The 32 bits that end every header: a check of the bytes before them. */
static uint32_t head_check(const void *head, size_t size)
{
	return (uint32_t)xxh64(span_of(head, size - sizeof(uint32_t)));
}

/* As it lies in the file: no padding, little-endian. */
struct file_recording_head {
	char magic[8];
	uint16_t version;
	uint16_t size;
	uint16_t machine;
	uint16_t reserved;
	uint32_t reserved2;
	uint32_t check;
};

struct file_block_head {
	char magic[4];
	uint16_t type;
	uint8_t version;
	uint8_t flags;
	uint32_t sequence;
	uint32_t stored;
	uint32_t raw;
	uint32_t checksum[2]; /* two, since a 64-bit word would be aligned */
	uint32_t check;
};

_Static_assert(sizeof(struct file_recording_head) == RECORDING_HEAD,
	       "the file header has no padding");
_Static_assert(sizeof(struct file_block_head) == BLOCK_HEAD,
	       "a block's header has no padding");

void recording_head_put(struct sink *out)
{
	struct file_recording_head h = {
		.version = RECORDING_VERSION,
		.size = RECORDING_HEAD,
		.machine = MACHINE,
	};

	memcpy(h.magic, RECORDING_MAGIC, sizeof(h.magic));
	h.check = head_check(&h, sizeof(h));
	sink_write(out, &h, sizeof(h));
}

bool recording_head_get(struct span file, struct recording_head *ret)
{
	struct file_recording_head h;

	ASSERT(file.len >= sizeof(h));
	memcpy(&h, file.at, sizeof(h));
	if (memcmp(h.magic, RECORDING_MAGIC, sizeof(h.magic)) != 0 ||
	    h.check != head_check(&h, sizeof(h)) || h.size < sizeof(h))
		return false;
	*ret = (struct recording_head){
		.version = h.version,
		.size = h.size,
		.machine = h.machine,
	};
	return true;
}

int packer_init(struct packer *p, struct arena *arena, int level)
{
	size_t size = ZSTD_estimateCCtxSize(level);
	void *workspace;

	*p = (struct packer){ .arena = arena, .level = level };
	if (!level)
		return 0;
	workspace = arena_alloc(arena, size);
	if (!workspace)
		return -ENOMEM;
	p->context = ZSTD_initStaticCCtx(workspace, size);
	return p->context ? 0 : -ENOMEM;
}

/* Grows an array of bytes whose content does not matter. */
static int make_room(struct arena *arena, uint8_t **at, size_t *size,
		     size_t want)
{
	uint8_t *grown;

	if (want <= *size)
		return 0;
	grown = arena_resize(arena, *at, *size, want);
	if (!grown)
		return -ENOMEM;
	*at = grown;
	*size = want;
	return 0;
}

/* Compresses into p->packed; returns what to store, raw itself if smaller. */
static struct span pack(struct packer *p, struct span raw)
{
	size_t bound = ZSTD_compressBound(raw.len);
	size_t packed;

	if (!p->level ||
	    make_room(p->arena, &p->packed, &p->packed_size, bound) < 0)
		return raw;
	packed = ZSTD_compressCCtx(p->context, p->packed, bound, raw.at,
				   raw.len, p->level);
	if (ZSTD_isError(packed) || packed >= raw.len)
		return raw;
	return span_of(p->packed, packed);
}

void block_write(struct packer *p, struct block_head h, struct span raw,
		 struct sink *out)
{
	struct span stored = pack(p, raw);
	uint64_t checksum = xxh64(stored);
	struct file_block_head file = {
		.type = h.type,
		.version = h.version,
		.flags = h.flags,
		.sequence = h.sequence,
		.stored = (uint32_t)stored.len,
		.raw = (uint32_t)raw.len,
		.checksum = { (uint32_t)checksum, (uint32_t)(checksum >> 32) },
	};

	if (stored.at != raw.at)
		file.flags |= BLOCK_ZSTD;
	memcpy(file.magic, BLOCK_MAGIC, sizeof(file.magic));
	file.check = head_check(&file, sizeof(file));
	sink_write(out, &file, sizeof(file));
	sink_span(out, stored);
}

static int unpacker_prepare(struct unpacker *u, size_t raw)
{
	size_t size = ZSTD_estimateDCtxSize();
	void *workspace;

	if (!u->context) {
		workspace = arena_alloc(u->arena, size);
		if (!workspace)
			return -ENOMEM;
		u->context = ZSTD_initStaticDCtx(workspace, size);
	}
	if (!u->context)
		return -ENOMEM;
	return make_room(u->arena, &u->raw, &u->raw_size, raw);
}

int block_unpack(struct unpacker *u, const struct block *b, struct span *ret)
{
	size_t raw = b->head.raw;
	size_t unpacked;

	if (raw > BLOCK_RAW_MAX)
		return -EBADMSG;
	if (!(b->head.flags & BLOCK_ZSTD)) {
		*ret = b->stored;
		return raw == b->stored.len ? 0 : -EBADMSG;
	}
	/* Never empty, so that there is a place to decompress to. */
	if (unpacker_prepare(u, raw + 1) < 0)
		return -ENOMEM;

	unpacked = ZSTD_decompressDCtx(u->context, u->raw, raw, b->stored.at,
				       b->stored.len);
	if (ZSTD_isError(unpacked) || unpacked != raw)
		return -EBADMSG;
	*ret = span_of(u->raw, raw);
	return 0;
}

/* Whether a header starts here, and what it says. */
static bool block_head_get(struct span at, struct block_head *ret)
{
	struct file_block_head file;

	if (at.len < sizeof(file))
		return false;
	memcpy(&file, at.at, sizeof(file));
	if (memcmp(file.magic, BLOCK_MAGIC, sizeof(file.magic)) != 0 ||
	    file.check != head_check(&file, sizeof(file)))
		return false;

	*ret = (struct block_head){
		.type = file.type,
		.version = file.version,
		.flags = file.flags,
		.sequence = file.sequence,
		.stored = file.stored,
		.raw = file.raw,
		.checksum = (uint64_t)file.checksum[1] << 32 | file.checksum[0],
	};
	return true;
}

/* How many bytes there are before the next header, or the end. */
static size_t bytes_to_head(struct span rest)
{
	struct span at = rest;
	struct block_head h;

	while (at.len) {
		const uint8_t *hit = memmem(at.at, at.len, BLOCK_MAGIC,
					    strlen(BLOCK_MAGIC));

		if (!hit)
			return rest.len;
		at = span_of(hit, at.len - (size_t)(hit - at.at));
		if (block_head_get(at, &h))
			return (size_t)(at.at - rest.at);
		at = span_of(at.at + 1, at.len - 1);
	}
	return rest.len;
}

static enum scan_result lose(struct scan *s, size_t bytes,
			     enum scan_result result)
{
	s->at += bytes;
	s->bytes_lost += bytes;
	return result;
}

enum scan_result scan_next(struct scan *s, struct block *ret)
{
	struct span rest = span_of(s->file.at + s->at, s->file.len - s->at);
	struct block b;

	if (!rest.len)
		return SCAN_END;
	if (rest.len < BLOCK_HEAD)
		return lose(s, rest.len, SCAN_CUT);
	if (!block_head_get(rest, &b.head))
		return lose(s, bytes_to_head(rest), SCAN_DAMAGED);
	if (b.head.stored > rest.len - BLOCK_HEAD)
		return lose(s, rest.len, SCAN_CUT);

	b.stored = span_of(rest.at + BLOCK_HEAD, b.head.stored);
	if (xxh64(b.stored) != b.head.checksum)
		return lose(s, BLOCK_HEAD + b.stored.len, SCAN_DAMAGED);
	s->at += BLOCK_HEAD + b.stored.len;
	*ret = b;
	return SCAN_BLOCK;
}
