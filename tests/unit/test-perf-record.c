/* SPDX-License-Identifier: MIT */
/* The kernel's records, made by hand. */
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>

#include "collect/record.h"
#include "collect/regs.h"
#include "test.h"

enum { STACK = 256, USED = 64 };

/* A record being put together. */
struct bytes {
	uint8_t at[4096];
	size_t used;
};

static void put(struct bytes *b, const void *from, size_t len)
{
	memcpy(b->at + b->used, from, len);
	b->used += len;
}

static void put32(struct bytes *b, uint32_t value)
{
	put(b, &value, sizeof(value));
}

static void put64(struct bytes *b, uint64_t value)
{
	put(b, &value, sizeof(value));
}

static void begin(struct bytes *b, uint32_t type)
{
	b->used = 0;
	put32(b, type);
	put32(b, 0);
}

/* Ends a record that is not a sample, and gives it its size. */
static void end(struct bytes *b, bool trailer)
{
	uint16_t size;

	if (trailer) {
		put32(b, 7);
		put32(b, 8);
		put64(b, 1234567);
		put64(b, 3);
	}
	size = (uint16_t)b->used;
	memcpy(b->at + 6, &size, sizeof(size));
}

static struct span span(const struct bytes *b)
{
	return span_of(b->at, b->used);
}

static void make_sample(struct bytes *b, uint64_t used)
{
	uint8_t stack[STACK];

	for (unsigned i = 0; i < STACK; i++)
		stack[i] = (uint8_t)i;
	begin(b, PERF_RECORD_SAMPLE);
	put64(b, 0x401000); /* ip */
	put32(b, 7);
	put32(b, 8);
	put64(b, 1234567); /* time */
	put64(b, 3);	   /* processor */
	put64(b, 1000);	   /* period */
	put64(b, 2);	   /* the chain */
	put64(b, (uint64_t)PERF_CONTEXT_USER);
	put64(b, 0x401000);
	put64(b, PERF_SAMPLE_REGS_ABI_64);
	for (unsigned i = 0; i < regs_count; i++)
		put64(b, i);
	put64(b, STACK);
	put(b, stack, STACK);
	put64(b, used);
	end(b, false);
}

TEST(a_sample_is_taken_apart)
{
	struct bytes b;
	struct record r;
	size_t size;

	make_sample(&b, USED);
	CHECK(record_parse(span(&b), &r, &size));
	CHECK_EQ(size, b.used);
	CHECK_EQ(r.pid, 7);
	CHECK_EQ(r.tid, 8);
	CHECK_EQ(r.time, 1234567);
	CHECK_EQ(r.cpu, 3);
	CHECK_EQ(r.sample.ip, 0x401000);
	CHECK_EQ(r.sample.chain.len, 16);
	CHECK_EQ(span_word(r.sample.regs, 5), 5);
	CHECK_EQ(r.sample.stack.len, USED);
	CHECK_EQ(r.sample.stack.at[9], 9);
	CHECK_EQ(record_time(span(&b)), 1234567);
}

TEST(a_sample_of_the_kernel_has_no_registers)
{
	struct bytes b;
	struct record r;
	size_t size;

	begin(&b, PERF_RECORD_SAMPLE);
	for (unsigned i = 0; i < 5; i++)
		put64(&b, i);
	put64(&b, 0); /* no chain */
	put64(&b, PERF_SAMPLE_REGS_ABI_NONE);
	put64(&b, 0); /* no stack */
	end(&b, false);
	CHECK(record_parse(span(&b), &r, &size));
	CHECK_EQ(r.sample.regs.len, 0);
	CHECK_EQ(r.sample.stack.len, 0);
}

/* Whatever is cut off, nothing outside is read, and it is not believed. */
TEST(a_record_that_is_cut_is_refused)
{
	struct bytes b;
	struct record r;
	size_t size;

	make_sample(&b, USED);
	for (size_t len = 0; len < b.used; len++) {
		struct bytes cut = b;
		uint16_t short_size = (uint16_t)len;

		CHECK(!record_parse(span_of(b.at, len), &r, &size));
		CHECK_EQ(size, 0);
		/* The same with a size that fits. */
		memcpy(cut.at + 6, &short_size, sizeof(short_size));
		CHECK(!record_parse(span_of(cut.at, len), &r, &size));
	}
}

TEST(lengths_that_lie_are_refused)
{
	struct bytes b;
	struct record r;
	size_t size;
	const uint64_t huge = UINT64_MAX / 8;

	make_sample(&b, USED);
	memcpy(b.at + 8 + 40, &huge, sizeof(huge)); /* of the chain */
	CHECK(!record_parse(span(&b), &r, &size));
	make_sample(&b, huge); /* more used than there is */
	CHECK(record_parse(span(&b), &r, &size));
	CHECK_EQ(r.sample.stack.len, STACK);
}

TEST(shrinking_takes_out_what_is_not_used)
{
	struct bytes b;
	struct record r;
	size_t size;

	make_sample(&b, USED);
	size = record_shrink(b.at, b.used, SIZE_MAX);
	CHECK_EQ(size, b.used - (STACK - USED));
	CHECK(record_parse(span_of(b.at, size), &r, &size));
	CHECK_EQ(r.sample.stack.len, USED);
	CHECK_EQ(r.sample.stack.at[USED - 1], USED - 1);
	size = record_shrink(b.at, size, 16);
	CHECK(record_parse(span_of(b.at, size), &r, &size));
	CHECK_EQ(r.sample.stack.len, 16);
	CHECK_EQ(record_shrink(b.at, size, 16), size);
}

TEST(other_records_are_left_as_they_are)
{
	struct bytes b;

	begin(&b, PERF_RECORD_LOST);
	put64(&b, 1);
	put64(&b, 42);
	end(&b, true);
	CHECK_EQ(record_shrink(b.at, b.used, 0), b.used);
}

TEST(a_mapping_is_taken_apart)
{
	struct bytes b;
	struct record r;
	size_t size;

	begin(&b, PERF_RECORD_MMAP2);
	put32(&b, 7);
	put32(&b, 8);
	put64(&b, 0x7f0000000000);
	put64(&b, 0x3000);
	put64(&b, 0x1000);
	put32(&b, 8);
	put32(&b, 1);
	put64(&b, 4711);
	put64(&b, 0);
	put32(&b, PROT_READ | PROT_EXEC);
	put32(&b, MAP_PRIVATE);
	put(&b, "/lib/x.so\0\0\0\0\0\0", 16);
	end(&b, true);
	CHECK(record_parse(span(&b), &r, &size));
	CHECK_EQ(r.mapping.lo, 0x7f0000000000);
	CHECK_EQ(r.mapping.offset, 0x1000);
	CHECK_EQ(r.mapping.inode, 4711);
	CHECK(r.mapping.executable);
	CHECK_BYTES(r.mapping.name.at, r.mapping.name.len, "/lib/x.so", 9);
	CHECK_EQ(r.time, 1234567);
	CHECK_EQ(record_time(span(&b)), 1234567);
}

TEST(beginnings_names_and_losses_are_taken_apart)
{
	struct bytes b;
	struct record r;
	size_t size;

	begin(&b, PERF_RECORD_FORK);
	put32(&b, 20);
	put32(&b, 10);
	put32(&b, 21);
	put32(&b, 11);
	put64(&b, 5);
	end(&b, true);
	CHECK(record_parse(span(&b), &r, &size));
	CHECK_EQ(r.pid, 20);
	CHECK_EQ(r.tid, 21);
	CHECK_EQ(r.task.parent, 10);
	CHECK_EQ(r.task.parent_thread, 11);

	begin(&b, PERF_RECORD_COMM);
	put32(&b, 20);
	put32(&b, 21);
	put(&b, "worker\0\0", 8);
	end(&b, true);
	CHECK(record_parse(span(&b), &r, &size));
	CHECK_EQ(r.tid, 21);
	CHECK_BYTES(r.name.at, r.name.len, "worker", 6);

	begin(&b, PERF_RECORD_LOST);
	put64(&b, 1);
	put64(&b, 42);
	end(&b, true);
	CHECK(record_parse(span(&b), &r, &size));
	CHECK_EQ(r.lost, 42);
}
