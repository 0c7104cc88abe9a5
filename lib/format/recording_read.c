/* SPDX-License-Identifier: MIT */
/*
 * The reader of recordings, outer half: from one block to the next, over what
 * is damaged, up to wherever the file ends.  Damage and a missing end are no
 * errors; they are counted in the profile's loss.  A block that is whole but
 * makes no sense is an error: then a program is wrong, not a disk.
 */
#include "format/recording_read.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/sink.h"
#include "format/format.h"
#include "format/recording.h"
#include "format/recording_column.h"
#include "profile/idmap.h"

/* The walk through a file's blocks. */
struct walk {
	struct recording_reader rd;
	struct scan scan;
	struct unpacker unpacker;
	uint64_t sequence; /* of the next block */
	uint64_t raw;	   /* bytes decompressed so far */
	bool damaged;	   /* since the last whole block */
};

/* Reads the file's header and goes to the first block. */
static int read_head(struct walk *w)
{
	struct span file = w->scan.file;
	struct recording_head h;

	if (file.len < RECORDING_HEAD)
		return error_set(w->rd.err, -EBADMSG,
				 "the recording ends in its header: it has "
				 "%zu bytes",
				 file.len);
	w->scan.at = RECORDING_HEAD;
	if (!recording_head_get(file, &h)) {
		/* The blocks can be read without it. */
		w->scan.bytes_lost = RECORDING_HEAD;
		return 0;
	}
	if (h.version != RECORDING_VERSION)
		return error_set(
			w->rd.err, -EPROTONOSUPPORT,
			"the recording is of version %u of the format, "
			"which only a newer wick can read",
			h.version);
	w->scan.at = h.size < file.len ? h.size : file.len;
	return 0;
}

static bool is_known(const struct block_head *h)
{
	return h->type > 0 && h->type < BLOCK_TYPES &&
	       h->version == BLOCK_VERSION;
}

static int unknown_block(struct walk *w, const struct block_head *h)
{
	if (!(h->flags & BLOCK_REQUIRED))
		return 0;
	return error_set(w->rd.err, -EPROTONOSUPPORT,
			 "the recording has a block of type %u, version %u, "
			 "which only a newer wick can read",
			 h->type, h->version);
}

/* Decompresses, within the memory that the caller allows. */
static int unpack(struct walk *w, const struct block *b, struct span *ret)
{
	const uint64_t limit = w->rd.p->arena->limit;
	int r;

	w->raw += b->head.raw;
	if (limit && w->raw > limit)
		return recording_no_memory(&w->rd);
	r = block_unpack(&w->unpacker, b, ret);
	if (r == -ENOMEM)
		return recording_no_memory(&w->rd);
	if (r < 0)
		return recording_malformed(&w->rd, "it does not decompress");
	return 0;
}

static int read_rows(struct walk *w, struct span raw)
{
	struct table_in t = table_of(raw);
	int r = 0;

	if (!t.fault)
		r = recording_read_table(&w->rd, &t);
	if (r == 0)
		table_finish(&t);
	if (!t.fault)
		return r;
	r = recording_malformed(&w->rd, t.fault);
	if (t.too_new)
		return error_set(w->rd.err, -EPROTONOSUPPORT,
				 "the recording needs a newer wick: block %u "
				 "(%s): %s",
				 w->rd.block.sequence,
				 block_name(w->rd.block.type), t.fault);
	return r;
}

/* Counts the blocks that are missing before this one. */
static void count_missing(struct walk *w, const struct block_head *h)
{
	w->rd.found.count[LOSS_BLOCKS] += h->sequence - w->sequence;
	w->sequence = (uint64_t)h->sequence + 1;
	w->damaged = false;
}

static int read_block(struct walk *w, const struct block *b)
{
	struct span raw;
	int r;

	/* Left over from another recording. */
	if (b->head.sequence < w->sequence) {
		w->scan.bytes_lost += BLOCK_HEAD + b->stored.len;
		return 0;
	}
	count_missing(w, &b->head);
	if (!is_known(&b->head))
		return unknown_block(w, &b->head);

	w->rd.block = b->head;
	r = unpack(w, b, &raw);
	return r < 0 ? r : read_rows(w, raw);
}

static int read_blocks(struct walk *w)
{
	int r = 0;

	while (r == 0 && !w->rd.ended) {
		struct block b;

		switch (scan_next(&w->scan, &b)) {
		case SCAN_BLOCK:
			r = read_block(w, &b);
			break;
		case SCAN_DAMAGED:
			w->damaged = true;
			break;
		case SCAN_CUT:
			w->rd.found.count[LOSS_CUT]++;
			return 0;
		case SCAN_END:
			w->rd.found.count[LOSS_UNCLOSED]++;
			return 0;
		}
	}
	return r;
}

/* An id that no row has: the first number that is free. */
static uint64_t free_id(const struct idmap *used)
{
	uint64_t id = 1;

	while (idmap_find(used, id))
		id++;
	return id;
}

/* Gives the row that stands for the lost ones, if any, an id of its own. */
static int name_stand_in(struct arena *scratch, void *rows, size_t row_size,
			 uint32_t count, uint32_t stand_in)
{
	struct idmap used;
	char *at = rows;
	uint64_t id;
	int r;

	if (!stand_in)
		return 0;
	r = idmap_init(&used, scratch, count);
	for (uint32_t i = 1; i < count && r == 0; i++) {
		memcpy(&id, at + i * row_size, sizeof(id));
		if (i != stand_in && !idmap_find(&used, id))
			r = idmap_add(&used, id, i);
	}
	if (r < 0)
		return r;
	id = free_id(&used);
	memcpy(at + stand_in * row_size, &id, sizeof(id));
	return 0;
}

static int name_stand_ins(struct recording_reader *rd)
{
	struct profile *p = rd->p;
	int r = name_stand_in(&rd->scratch, p->functions.at,
			      sizeof(*p->functions.at), p->functions.count,
			      rd->lost_function);

	if (r == 0)
		r = name_stand_in(&rd->scratch, p->locations.at,
				  sizeof(*p->locations.at), p->locations.count,
				  rd->lost_location);
	return r < 0 ? recording_no_memory(rd) : 0;
}

static void count_loss(struct walk *w)
{
	uint64_t *count = w->rd.found.count;

	/* Damage that no whole block follows cost one at least. */
	if (w->damaged)
		count[LOSS_BLOCKS]++;
	count[LOSS_BYTES] += w->scan.bytes_lost;
	count[LOSS_BYTES] += w->scan.file.len - w->scan.at;
	w->rd.p->loss = w->rd.told;
	loss_add(&w->rd.p->loss, &w->rd.found);
}

static int read_everything(struct walk *w)
{
	int r = read_head(w);

	if (r == 0)
		r = read_blocks(w);
	if (r == 0)
		r = name_stand_ins(&w->rd);
	if (r < 0)
		return r;
	count_loss(w);
	return profile_check(w->rd.p, w->rd.err);
}

static bool recording_detect(struct span data)
{
	return span_starts(data, RECORDING_MAGIC);
}

static int recording_read(struct profile *p, struct span data,
			  struct error *err)
{
	struct walk w = {
		.rd = { .p = p,
			.err = err,
			.scratch = { .limit = p->arena->limit } },
		.scan = { .file = data },
	};
	int r;

	if (!recording_detect(data))
		return -ENOTSUP;
	w.unpacker.arena = &w.rd.scratch;
	for (unsigned i = 0; i < BLOCK_SAMPLES; i++)
		w.rd.map[i].next = 1;
	r = read_everything(&w);
	arena_release(&w.rd.scratch);
	return r;
}

static int recording_write(const struct profile *p,
			   const struct workers *workers, struct sink *out,
			   struct error *err)
{
	struct arena arena = { 0 };
	struct recording rec = { .arena = &arena,
				 .out = out,
				 .level = RECORDING_LEVEL };
	int r = recording_begin(&rec, err);

	(void)workers; /* its blocks refer to those before */
	if (r == 0)
		r = recording_end(&rec, p, err);
	arena_release(&arena);
	return r;
}

const struct format format_recording = {
	.name = "wick",
	.extensions = "wick",
	.summary = "wick's own recordings",
	.detect = recording_detect,
	.read = recording_read,
	.write = recording_write,
};
