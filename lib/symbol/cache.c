/* SPDX-License-Identifier: MIT */
/*
 * The file of indexes: a header, the segments of code, a directory of units,
 * and the units' parts as index.c wrote them.  Written once and renamed into
 * place by the caller, so that a reader never sees half of one.
 */
#include "symbol/cache.h"

#include <libdeflate.h>

#include "base/sink.h"

enum {
	CACHE_VERSION = 1,
	ALIGNMENT = 8,
};

static const char magic[8] = { 'w', 'i', 'c', 'k', 's', 'y', 'm', '\0' };

struct cache_header {
	char magic[8];
	uint32_t version;
	uint32_t unit_count;
	uint32_t segment_count;
	uint32_t checksum; /* of all up to the parts, this being 0 */
	uint64_t identity;
	uint64_t base;
	uint64_t size; /* of the whole file */
	uint8_t id_len;
	uint8_t id[BUILD_ID_MAX];
	uint8_t zero[7];
};

/* Where a part is: offset 0, it is not known. */
struct cache_entry {
	uint64_t offset;
	uint32_t size;
	uint32_t checksum;
};

_Static_assert(sizeof(struct cache_header) % ALIGNMENT == 0,
	       "what follows the header is aligned");

static struct cache_header make_header(const struct cache_key *key,
				       uint32_t units, uint32_t segments,
				       uint64_t size)
{
	struct cache_header h = {
		.version = CACHE_VERSION,
		.unit_count = units,
		.segment_count = segments,
		.identity = key->identity,
		.base = key->base,
		.size = size,
		.id_len = key->id.len,
	};

	memcpy(h.magic, magic, sizeof(magic));
	memcpy(h.id, key->id.byte, key->id.len);
	return h;
}

static uint32_t checksum(uint32_t sum, const void *p, size_t len)
{
	return libdeflate_crc32(sum, p, len);
}

bool cache_open(struct cache *c, struct span bytes, const struct cache_key *key)
{
	struct cache_header h, want;
	struct reader r = reader_of(bytes);
	struct span head = reader_take(&r, sizeof(h));
	uint32_t sum;

	*c = (struct cache){ 0 };
	if (!head.len || (uintptr_t)bytes.at % ALIGNMENT)
		return false;
	memcpy(&h, head.at, sizeof(h));
	want = make_header(key, h.unit_count, h.segment_count, bytes.len);
	sum = h.checksum;
	h.checksum = 0;
	if (memcmp(&h, &want, sizeof(h)) != 0)
		return false;
	c->segments = reader_take(
		&r, h.segment_count * (uint64_t)sizeof(struct code_segment));
	c->directory = reader_take(&r, h.unit_count * (uint64_t)INDEX_PARTS *
					       sizeof(struct cache_entry));
	if (r.failed)
		return false;
	h.checksum = checksum(0, &h, sizeof(h));
	h.checksum = checksum(h.checksum, c->segments.at,
			      c->segments.len + c->directory.len);
	if (h.checksum != sum)
		return false;
	c->unit_count = h.unit_count;
	c->segment_count = h.segment_count;
	c->bytes = bytes;
	return true;
}

struct code_segment cache_segment(const struct cache *c, uint32_t i)
{
	struct code_segment s;

	memcpy(&s, c->segments.at + i * sizeof(s), sizeof(s));
	return s;
}

/* The directory's entry for a part; zeros if there is none. */
static struct cache_entry entry_at(const struct cache *c, uint32_t unit,
				   enum index_part part)
{
	struct cache_entry e = { 0 };

	if (unit < c->unit_count)
		memcpy(&e,
		       c->directory.at +
			       (unit * (size_t)INDEX_PARTS + part) * sizeof(e),
		       sizeof(e));
	return e;
}

bool cache_claims(const struct cache *c, uint32_t unit, enum index_part part)
{
	return entry_at(c, unit, part).offset != 0;
}

bool cache_part(const struct cache *c, uint32_t unit, enum index_part part,
		struct span *ret)
{
	struct cache_entry e = entry_at(c, unit, part);
	struct span s = span_part(c->bytes, e.offset, e.size);

	if (!e.offset || s.len != e.size || e.offset % ALIGNMENT ||
	    checksum(0, s.at, s.len) != e.checksum)
		return false;
	*ret = s;
	return true;
}

static uint64_t directory_size(const struct cache_content *content)
{
	return content->segment_count * (uint64_t)sizeof(struct code_segment) +
	       content->unit_count * (uint64_t)INDEX_PARTS *
		       sizeof(struct cache_entry);
}

static struct cache_entry make_entry(const struct cache_content *content,
				     uint32_t unit, enum index_part part,
				     uint64_t *offset)
{
	struct cache_entry e = { 0 };
	struct span s = { 0 };

	if (!content->part(content->context, unit, part, &s))
		return e;
	e = (struct cache_entry){
		.offset = *offset,
		.size = (uint32_t)s.len,
		.checksum = checksum(0, s.at, s.len),
	};
	*offset += (s.len + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
	return e;
}

/* Goes over the directory: sums it up, and writes it if out is not NULL. */
static uint32_t pass_directory(const struct cache_content *content,
			       uint32_t sum, uint64_t *offset, struct sink *out)
{
	for (uint32_t i = 0; i < content->unit_count; i++)
		for (enum index_part p = 0; p < INDEX_PARTS; p++) {
			struct cache_entry e = make_entry(content, i, p,
							  offset);

			sum = checksum(sum, &e, sizeof(e));
			if (out)
				sink_write(out, &e, sizeof(e));
		}
	return sum;
}

static void write_parts(const struct cache_content *content, struct sink *out)
{
	for (uint32_t i = 0; i < content->unit_count; i++)
		for (enum index_part p = 0; p < INDEX_PARTS; p++) {
			struct span s = { 0 };

			if (!content->part(content->context, i, p, &s))
				continue;
			sink_span(out, s);
			sink_repeat(out, '\0', -s.len & (ALIGNMENT - 1));
		}
}

void cache_write(const struct cache_content *content, struct sink *out)
{
	size_t segments = content->segment_count * sizeof(struct code_segment);
	uint64_t first = sizeof(struct cache_header) + directory_size(content);
	uint64_t size = first;
	struct cache_header h;
	uint32_t sum;

	/* The header holds the size and the sum of what comes behind it. */
	(void)pass_directory(content, 0, &size, NULL);
	h = make_header(&content->key, content->unit_count,
			content->segment_count, size);
	size = first;
	sum = checksum(0, &h, sizeof(h));
	sum = checksum(sum, content->segment, segments);
	h.checksum = pass_directory(content, sum, &size, NULL);
	sink_write(out, &h, sizeof(h));
	sink_write(out, content->segment, segments);
	size = first;
	(void)pass_directory(content, 0, &size, out);
	write_parts(content, out);
}
