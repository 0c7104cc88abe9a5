/* SPDX-License-Identifier: MIT */
/* Binary CPU profiles, made here in every word size and byte order. */
#include "legacy.h"

#include <errno.h>

enum { C_PLUS_PLUS = 0, JAVA = 1, PERIOD = 10000 };

struct machine {
	unsigned size;
	bool big_endian;
};

static const struct machine machines[] = {
	{ 4, false },
	{ 4, true },
	{ 8, false },
	{ 8, true },
};

static struct {
	struct machine machine;
	struct sink out;
	struct arena arena;
} file;

static void put_word(uint64_t word)
{
	for (unsigned i = 0; i < file.machine.size; i++) {
		unsigned place = file.machine.big_endian
					 ? file.machine.size - 1 - i
					 : i;

		sink_char(&file.out, (char)(word >> (8 * place)));
	}
}

static void begin(struct machine machine, uint64_t language)
{
	arena_release(&file.arena);
	file.machine = machine;
	file.out = sink_to_memory(&file.arena);
	put_word(0);
	put_word(3);
	put_word(language);
	put_word(PERIOD);
	put_word(0);
}

/* The addresses end with 0. */
static void put_stack(uint64_t count, const uint64_t *addresses)
{
	uint64_t depth = 0;

	while (addresses[depth])
		depth++;
	put_word(count);
	put_word(depth);
	for (uint64_t i = 0; i < depth; i++)
		put_word(addresses[i]);
}

#define STACK(...) ((const uint64_t[]){ __VA_ARGS__, 0 })

static void put_end(const char *text)
{
	put_word(0);
	put_word(1);
	put_word(0);
	sink_text(&file.out, text);
}

static const char *part(const char *name)
{
	return legacy_part_span(sink_bytes(&file.out), name);
}

static const struct machine usual = { 8, false };

TEST(words_of_either_size_and_order_give_the_same_profile)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		begin(machines[i], C_PLUS_PLUS);
		put_stack(3, STACK(0x1010, 0x2020, 0x3030));
		put_stack(1, STACK(0x1018, 0x2424, 0x3030));
		put_end("1000-2000 r-xp 00000000 fc:00 11 /bin/server\n"
			"2000-4000 r-xp 00000000 fc:00 12 /lib/libc.so.6\n");
		CHECK_STR(legacy_raw_span(sink_bytes(&file.out)),
			  "PeriodType: cpu nanoseconds\n"
			  "Period: 10000000\n"
			  "Samples:\n"
			  "samples/count cpu/nanoseconds\n"
			  "          3   30000000: 1 2 3 \n"
			  "          1   10000000: 4 5 3 \n"
			  "Locations\n"
			  "     1: 0x1010 M=1 \n"
			  "     2: 0x201f M=2 \n"
			  "     3: 0x302f M=2 \n"
			  "     4: 0x1018 M=1 \n"
			  "     5: 0x2423 M=2 \n"
			  "Mappings\n"
			  "1: 0x1000/0x2000/0x0 /bin/server  \n"
			  "2: 0x2000/0x4000/0x0 /lib/libc.so.6  \n");
	}
}

TEST(large_addresses_need_eight_bytes)
{
	begin((struct machine){ 8, true }, C_PLUS_PLUS);
	put_stack(1, STACK(0xffffffff81000010));
	put_end("");
	CHECK_STR(part("Locations"), "     1: 0xffffffff81000010 M=1 \n");
}

TEST(a_profile_may_be_empty)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		begin(machines[i], C_PLUS_PLUS);
		CHECK_STR(part("Samples:"), "samples/count cpu/nanoseconds\n");
	}
}

TEST(stacks_may_end_with_the_file)
{
	begin(usual, C_PLUS_PLUS);
	put_stack(1, STACK(0x10));
	CHECK_STR(part("Samples:"), "samples/count cpu/nanoseconds\n"
				    "          1   10000000: 1 \n");
}

TEST(a_stack_may_have_no_frames)
{
	begin(usual, C_PLUS_PLUS);
	put_word(7);
	put_word(0);
	put_end("");
	CHECK_STR(part("Samples:"), "samples/count cpu/nanoseconds\n"
				    "          7   70000000: \n");
}

TEST(the_signal_handlers_frames_are_removed)
{
	begin(usual, C_PLUS_PLUS);
	for (unsigned i = 0; i < 40; i++)
		put_stack(1, STACK(0x10 + i, 0x801, 0x901, 0xa01));
	put_end("");
	CHECK_EQ(legacy_read_span(sink_bytes(&file.out)), 0);
	CHECK_EQ(stack_depth(&legacy.profile.stacks, legacy.profile.stack[39]),
		 2);
	CHECK_EQ(legacy.profile.locations.count, 42);
	CHECK_EQ(legacy.profile.locations.at[2].address, 0xa00);
}

TEST(one_sample_in_32_may_be_without_them)
{
	begin(usual, C_PLUS_PLUS);
	for (unsigned i = 0; i < 32; i++)
		put_stack(1, STACK(0x10 + i, i == 7 ? 0x701 : 0x801,
				   0x1001 + 16 * i, 0xa01));
	put_end("");
	CHECK_EQ(legacy_read_span(sink_bytes(&file.out)), 0);
	CHECK_EQ(stack_depth(&legacy.profile.stacks, legacy.profile.stack[0]),
		 3);
	CHECK_EQ(stack_depth(&legacy.profile.stacks, legacy.profile.stack[7]),
		 4);
}

TEST(two_in_32_are_too_many)
{
	begin(usual, C_PLUS_PLUS);
	for (unsigned i = 0; i < 32; i++)
		put_stack(1, STACK(0x10 + i, i < 2 ? 0x701 : 0x801, 0xa01));
	put_end("");
	CHECK_EQ(legacy_read_span(sink_bytes(&file.out)), 0);
	CHECK_EQ(stack_depth(&legacy.profile.stacks, legacy.profile.stack[9]),
		 3);
}

TEST(a_doubled_leaf_is_removed_but_its_place_stays)
{
	begin(usual, C_PLUS_PLUS);
	put_stack(1, STACK(0x10, 0x10, 0x21));
	put_stack(1, STACK(0x20, 0x31));
	put_end("");
	CHECK_STR(part("Samples:"), "samples/count cpu/nanoseconds\n"
				    "          1   10000000: 1 3 \n"
				    "          1   10000000: 3 4 \n");
	CHECK_STR(part("Locations"), "     1: 0x10 M=1 \n"
				     "     2: 0xf M=1 \n"
				     "     3: 0x20 M=1 \n"
				     "     4: 0x30 M=1 \n");
}

TEST(times_wrap_around)
{
	begin(usual, C_PLUS_PLUS);
	put_stack(UINT64_MAX, STACK(0x10));
	put_end("");
	CHECK_STR(part("Samples:"), "samples/count cpu/nanoseconds\n"
				    "         -1  -10000000: 1 \n");
}

TEST(java_stacks_are_exact_and_come_with_symbols)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		begin(machines[i], JAVA);
		put_stack(2, STACK(0x10, 0x20));
		put_stack(1, STACK(0x30, 0x20));
		put_end("  0x20 a.Main.main (Main.java:3)\n"
			"  0x10 a.Main.run (Main.java:9)\n");
		CHECK_STR(legacy_raw_span(sink_bytes(&file.out)),
			  "PeriodType: cpu nanoseconds\n"
			  "Period: 10000000\n"
			  "Samples:\n"
			  "samples/count cpu/nanoseconds\n"
			  "          2   20000000: 1 2 \n"
			  "          1   10000000: 3 2 \n"
			  "Locations\n"
			  "     1: 0x0 a.Main.run Main.java:9:0 s=0\n"
			  "     2: 0x0 a.Main.main Main.java:3:0 s=0\n"
			  "     3: 0x0 M=1 \n"
			  "Mappings\n"
			  "1: 0x0/0xffffffffffffffff/0x0   \n");
	}
}

/* The stack that ends the others has the address 0, but is no stack. */
TEST(a_symbol_of_the_end_is_not_used)
{
	begin(usual, JAVA);
	put_stack(1, STACK(0x10));
	put_end("  0x0 f (A.java:1)\n"
		"  0x10 f (B.java:2)\n");
	CHECK_STR(part("Locations"), "     1: 0x0 f B.java:2:0 s=0\n");
}

TEST(words_of_eight_bytes_that_are_missing_are_zero)
{
	begin(usual, C_PLUS_PLUS);
	put_word(1);
	put_word(4);
	put_word(0x10);
	put_word(0x20);
	CHECK_STR(part("Locations"), "     1: 0x10 M=1 \n"
				     "     2: 0xffffffffffffffff M=1 \n");
}

TEST(a_stack_deeper_than_the_file_is_not_recognised)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		begin(machines[i], C_PLUS_PLUS);
		put_word(1);
		put_word(UINT64_MAX);
		put_word(0x10);
		CHECK_EQ(legacy_read_span(sink_bytes(&file.out)), -ENOTSUP);
	}
}

TEST(half_a_stack_header_is_not_recognised)
{
	begin(usual, C_PLUS_PLUS);
	put_word(1);
	CHECK_EQ(legacy_read_span(sink_bytes(&file.out)), -ENOTSUP);
}

TEST(headers_of_other_numbers_are_not_recognised)
{
	static const uint64_t headers[][5] = {
		{ 1, 3, 0, 10000, 0 }, { 0, 2, 0, 10000, 0 },
		{ 0, 3, 2, 10000, 0 }, { 0, 3, 0, 0, 0 },
		{ 0, 3, 0, 10000, 1 },
	};

	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
		begin(usual, C_PLUS_PLUS);
		file.out.used = 0;
		for (size_t j = 0; j < 5; j++)
			put_word(headers[i][j]);
		CHECK_EQ(legacy_read_span(sink_bytes(&file.out)), -ENOTSUP);
		CHECK(!format_legacy.detect(sink_bytes(&file.out)));
	}
}

/* Every cut is either refused or read in part; none reads beyond its end. */
TEST(a_file_may_be_cut_anywhere)
{
	struct span whole;

	begin(usual, C_PLUS_PLUS);
	put_stack(3, STACK(0x1010, 0x2020, 0x3030));
	put_stack(1, STACK(0x1018, 0x2424, 0x3030));
	put_end("1000-2000 r-xp 00000000 fc:00 11 /bin/server\n");
	whole = sink_bytes(&file.out);
	for (size_t i = 0; i < whole.len; i++) {
		int r = legacy_read_span(span_of(whole.at, i));

		CHECK(r == 0 || r == -ENOTSUP);
	}
}
