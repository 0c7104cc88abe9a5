/* SPDX-License-Identifier: MIT */
/*
 * The outside of a recording: the file's header, and blocks one after another,
 * each with a header, a checksum and its bytes, compressed or not.
 */
#ifndef WICK_FORMAT_RECORDING_BLOCK_H
#define WICK_FORMAT_RECORDING_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "format/recording_layout.h"

struct arena;
struct error;
struct sink;

struct block_head {
	uint16_t type;
	uint8_t version;
	uint8_t flags;
	uint32_t sequence;
	uint32_t stored; /* bytes in the file */
	uint32_t raw;	 /* bytes when decompressed */
	uint64_t checksum;
};

/* What the file's header says. */
struct recording_head {
	uint16_t version;
	uint16_t size; /* the first block follows */
	uint16_t machine;
};

/* Writes the header of a file that is made here. */
void recording_head_put(struct sink *out);

/* Reads it from a file of RECORDING_HEAD bytes at least; false: damaged. */
bool recording_head_get(struct span file, struct recording_head *ret);

/*
 * Compresses blocks.  Its memory is the arena's, taken once; zstd itself never
 * allocates.
 */
struct packer {
	struct arena *arena;
	void *context; /* zstd's */
	int level;     /* 0: blocks are stored as they are */
	uint8_t *packed;
	size_t packed_size;
};

/* level is zstd's; 0: store.  Returns 0 or -ENOMEM. */
int packer_init(struct packer *p, struct arena *arena, int level);

/*
 * Writes a block of type, version, flags and sequence in *h with the bytes raw;
 * the rest of *h is filled in here.
 */
void block_write(struct packer *p, struct block_head h, struct span raw,
		 struct sink *out);

/* Decompresses blocks; as struct packer. */
struct unpacker {
	struct arena *arena;
	void *context;
	uint8_t *raw;
	size_t raw_size;
};

/* A block that is whole. */
struct block {
	struct block_head head;
	struct span stored;
};

/*
 * The raw bytes of a block, valid until the next call.  Returns 0, -ENOMEM or
 * -EBADMSG.
 */
int block_unpack(struct unpacker *u, const struct block *b, struct span *ret);

enum scan_result {
	SCAN_BLOCK,
	SCAN_DAMAGED, /* bytes that are no whole block were passed over */
	SCAN_CUT,     /* the file ends inside a block */
	SCAN_END,
};

/* Goes through a file's blocks, from one that is whole to the next. */
struct scan {
	struct span file;
	size_t at;
	uint64_t bytes_lost;
};

/*
 * Finds the next block, in time that is linear in the file's length whatever
 * is in it.  *ret is set with SCAN_BLOCK only.
 */
enum scan_result scan_next(struct scan *s, struct block *ret);

#endif /* WICK_FORMAT_RECORDING_BLOCK_H */
