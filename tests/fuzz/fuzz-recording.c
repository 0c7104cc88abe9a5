/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes the reader of recordings.  Whatever it accepts must hold together, and
 * must be the same after it was written and read again.
 *
 * Checksums would stop a fuzzer at the door, so the mutator mends them: what is
 * kept in the corpus are recordings whose blocks are whole, and the reader
 * needs no back door.
 */
#include "fuzz.h"

#include <string.h>

#include "../unit/profile_dump.h"
#include "base/arena.h"
#include "base/check.h"
#include "base/error.h"
#include "base/sink.h"
#include "base/xxh64.h"
#include "format/format.h"
#include "format/recording.h"
#include "format/recording_layout.h"

enum {
	MEMORY_MAX = 64 << 20,
	DUMP_MAX = 4 << 20, /* with more frames than this, do not compare */
};

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
			       unsigned seed);

/* Stands for libFuzzer's where that is not linked. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size,
					      size_t max)
{
	(void)data;
	(void)max;
	return size;
}

static void put_check(uint8_t *head, size_t size)
{
	uint32_t check = (uint32_t)xxh64(span_of(head, size - sizeof(check)));

	memcpy(head + size - sizeof(check), &check, sizeof(check));
}

/* Mends the block at place; returns where the next one may start. */
static size_t mend_block(uint8_t *data, size_t size, size_t place)
{
	uint8_t *head = data + place;
	uint32_t stored;
	uint64_t checksum;

	memcpy(head, BLOCK_MAGIC, 4);
	memcpy(&stored, head + 12, sizeof(stored));
	if (stored > size - place - BLOCK_HEAD) {
		stored = (uint32_t)(size - place - BLOCK_HEAD);
		memcpy(head + 12, &stored, sizeof(stored));
	}
	/* A stored block's two lengths are the same. */
	if (!(head[7] & BLOCK_ZSTD))
		memcpy(head + 16, &stored, sizeof(stored));
	checksum = xxh64(span_of(head + BLOCK_HEAD, stored));
	memcpy(head + 20, &checksum, sizeof(checksum));
	put_check(head, BLOCK_HEAD);
	return place + BLOCK_HEAD + stored;
}

static void mend(uint8_t *data, size_t size)
{
	size_t place = RECORDING_HEAD;

	if (size < RECORDING_HEAD)
		return;
	memcpy(data, RECORDING_MAGIC, 8);
	put_check(data, RECORDING_HEAD);
	while (size - place >= BLOCK_HEAD)
		place = mend_block(data, size, place);
}

/* One time in eight the damage stays, for the reader to find. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
			       unsigned seed)
{
	size = LLVMFuzzerMutate(data, size, max);
	if (seed % 8)
		mend(data, size);
	return size;
}

static uint64_t total_frames(const struct profile *p)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < p->sample_count; i++)
		total += stack_depth(&p->stacks, p->stack[i]);
	return total;
}

static void check_again(const struct profile *p)
{
	struct arena arena = { 0 };
	struct sink out = sink_to_memory(&arena);
	/* Compressing is zstd's to test, and would take most of the time. */
	struct recording rec = { .arena = &arena,
				 .out = &out,
				 .level = RECORDING_STORE };
	struct profile again;
	struct error err = { 0 };

	ASSERT(recording_begin(&rec, &err) == 0);
	ASSERT(recording_end(&rec, p, &err) == 0);
	ASSERT(profile_init(&again, &arena) == 0);
	ASSERT(format_recording.read(&again, sink_bytes(&out), &err) == 0);
	ASSERT(!strcmp(profile_dump(p, &arena), profile_dump(&again, &arena)));
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = { .limit = MEMORY_MAX };
	struct error err = { 0 };
	struct profile p;

	ASSERT(profile_init(&p, &arena) == 0);
	if (format_recording.read(&p, span_of(data, size), &err) == 0) {
		ASSERT(!arena.failed);
		ASSERT(profile_check(&p, &err) == 0);
		if (total_frames(&p) + p.sample_count < DUMP_MAX)
			check_again(&p);
	} else if (err.code) {
		ASSERT(err.text[0]);
	}
	arena_release(&arena);
	return 0;
}
