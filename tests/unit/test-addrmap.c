/* SPDX-License-Identifier: MIT */
/* Kernel symbols, perf maps and jitdump. */
#include "test.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/sink.h"
#include "symbol/addrmap.h"
#include "symbol/jitdump.h"

static void check_name(const struct addrmap *m, uint64_t address, uint64_t time,
		       const char *name)
{
	const struct addrmap_entry *e = addrmap_find(m, address, time);

	if (!name) {
		CHECK(!e);
		return;
	}
	CHECK(e != NULL);
	CHECK_BYTES(e->name.at, e->name.len, name, strlen(name));
}

TEST(a_later_line_of_a_perf_map_replaces_an_earlier)
{
	struct arena arena = { 0 };
	struct addrmap m = { 0 };
	uint32_t skipped;

	CHECK_EQ(perfmap_read(&m,
			      span_text("1000 40 first\n"
					"0x1010 10 second of two words\n"
					"nonsense\n"
					"2000 zz bad\n"
					"1000 8 third"),
			      &arena, &skipped),
		 0);
	CHECK_EQ(skipped, 2);
	check_name(&m, 0x1000, UINT64_MAX, "third");
	check_name(&m, 0x1008, UINT64_MAX, "first");
	check_name(&m, 0x1015, UINT64_MAX, "second of two words");
	check_name(&m, 0x103f, UINT64_MAX, "first");
	check_name(&m, 0x1040, UINT64_MAX, NULL);
	check_name(&m, 0xfff, UINT64_MAX, NULL);
	arena_release(&arena);
}

TEST(kernel_symbols_reach_to_the_next)
{
	struct arena arena = { 0 };
	struct addrmap m = { 0 };

	CHECK_EQ(kallsyms_read(&m,
			       span_text("ffffffff81000000 T _text\n"
					 "ffffffff81000000 T startup\n"
					 "ffffffff81000080 D data\n"
					 "ffffffff81000100 t inner\t[mod]\n"),
			       &arena, NULL),
		 0);
	check_name(&m, 0xffffffff81000100, UINT64_MAX, "inner\t[mod]");
	check_name(&m, 0xffffffff80ffffff, UINT64_MAX, NULL);
	CHECK(addrmap_find(&m, 0xffffffff810000ff, UINT64_MAX) != NULL);
	arena_release(&arena);
}

TEST(hidden_kernel_addresses_are_an_error_that_says_what_to_do)
{
	struct arena arena = { 0 };
	struct addrmap m = { 0 };
	struct error err;

	CHECK_EQ(kallsyms_read(&m,
			       span_text("0000000000000000 T _text\n"
					 "0000000000000000 T other\n"),
			       &arena, &err),
		 -EACCES);
	CHECK(strstr(err.text, "kptr_restrict"));
	CHECK_EQ(kallsyms_read(&m, (struct span){ 0 }, &arena, &err), -ENODATA);
	arena_release(&arena);
}

static void put(struct sink *out, uint64_t value, size_t size)
{
	sink_write(out, &value, size);
}

static void put_record(struct sink *out, uint32_t id, uint32_t size,
		       uint64_t time)
{
	put(out, id, 4);
	put(out, 16 + size, 4);
	put(out, time, 8);
}

static void put_dump(struct sink *out)
{
	put(out, 0x4a695444, 4);
	put(out, 1, 4);
	put(out, 40, 4);
	put(out, 62, 4);
	put(out, 0, 4);
	put(out, 123, 4); /* pid */
	put(out, 0, 8);
	put(out, 0, 8);
	put_record(out, 2, 16 + 21 + 18, 10);
	put(out, 0x5000, 8);
	put(out, 2, 8);
	put(out, 0x5000, 8);
	put(out, 7, 4);
	put(out, 0, 4);
	sink_write(out, "a.js", 5);
	put(out, 0x5008, 8);
	put(out, 9, 4);
	put(out, 0, 4);
	sink_write(out, "\xff", 2);
	put_record(out, 0, 40 + 3, 10);
	put(out, 123, 8);
	put(out, 0x5000, 8);
	put(out, 0x5000, 8);
	put(out, 16, 8);
	put(out, 1, 8);
	sink_write(out, "fn", 3);
	put_record(out, 1, 48, 20);
	put(out, 123, 8);
	put(out, 0x6000, 8);
	put(out, 0x5000, 8);
	put(out, 0x6000, 8);
	put(out, 16, 8);
	put(out, 1, 8);
}

TEST(a_jitdump_is_read_by_address_and_time)
{
	struct arena arena = { 0 };
	struct sink out = sink_to_memory(&arena);
	const struct addrmap_entry *e;
	struct jitdump j;

	put_dump(&out);
	CHECK_EQ(jitdump_read(&j, sink_bytes(&out), &arena, NULL), 0);
	CHECK_EQ(j.pid, 123);
	CHECK(!j.cut);
	check_name(&j.map, 0x5008, 10, "fn");
	check_name(&j.map, 0x5008, 9, NULL);
	check_name(&j.map, 0x6008, 19, NULL);
	check_name(&j.map, 0x6008, 20, "fn");
	e = addrmap_find(&j.map, 0x500c, 10);
	CHECK_EQ(jitdump_line(&j, e, 0x500c)->line, 9);
	CHECK_BYTES(jitdump_line(&j, e, 0x500c)->file.at, 4, "a.js", 4);
	arena_release(&arena);
}

TEST(a_jitdump_cut_anywhere_is_read_as_far_as_it_goes)
{
	struct arena arena = { 0 };
	struct sink out = sink_to_memory(&arena);
	struct span all;
	struct jitdump j;

	put_dump(&out);
	all = sink_bytes(&out);
	for (size_t len = 0; len < all.len; len++) {
		int r = jitdump_read(&j, span_of(all.at, len), &arena, NULL);

		CHECK(len < 40 ? r == -ENOEXEC : r == 0);
	}
	arena_release(&arena);
}
