/* SPDX-License-Identifier: MIT */
/* Bytes reach their place, or the failure is kept until asked for. */
#include "base/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "test.h"

static int open_file(void)
{
	int fd = open(test_directory(), O_RDWR | O_TMPFILE, 0600);

	CHECK(fd >= 0);
	return fd;
}

TEST(clean_text_cannot_move_the_cursor)
{
	struct arena arena = { 0 };
	struct sink s = sink_to_memory(&arena);

	sink_clean(&s, span_text("a\033[2J\n\xc3\xbc\177"));
	CHECK_BYTES(sink_bytes(&s).at, sink_bytes(&s).len, "a?[2J?\xc3\xbc?",
		    9);
	arena_release(&arena);
}

TEST(memory_holds_everything_in_order)
{
	struct arena a = { 0 };
	struct sink s = sink_to_memory(&a);

	for (int i = 0; i < 10000; i++)
		sink_format(&s, "%d,", i % 10);
	CHECK_EQ(sink_flush(&s), 0);
	CHECK_EQ(s.total, 20000);
	CHECK_EQ(sink_bytes(&s).len, 20000);
	CHECK_BYTES(sink_bytes(&s).at + 19990, 10, "5,6,7,8,9,", 10);
	arena_release(&a);
}

TEST(a_file_gets_writes_smaller_and_larger_than_the_buffer)
{
	char buf[8], read_back[64];
	int fd = open_file();
	struct sink s = sink_to_fd(fd, buf, sizeof(buf));

	sink_text(&s, "abc");
	sink_text(&s, "defghijklmnop");
	sink_char(&s, 'q');
	sink_repeat(&s, '-', 20);
	CHECK_EQ(sink_flush(&s), 0);
	CHECK_EQ(s.total, 37);
	CHECK_EQ(pread(fd, read_back, sizeof(read_back), 0), 37);
	CHECK_BYTES(read_back, 37, "abcdefghijklmnopq--------------------", 37);
	close(fd);
}

TEST(the_first_failure_is_kept_and_later_writes_are_dropped)
{
	char buf[8];
	int fd = open("/dev/full", O_WRONLY);
	struct sink s = sink_to_fd(fd, buf, sizeof(buf));

	CHECK(fd >= 0);
	sink_text(&s, "longer than the buffer");
	sink_text(&s, "and more");
	CHECK_EQ(sink_flush(&s), -ENOSPC);
	CHECK_EQ(sink_flush(&s), -ENOSPC);
	close(fd);
}

static int note_size(void *context, struct span bytes)
{
	struct sink *sizes = context;

	sink_format(sizes, "%zu%c ", bytes.len, bytes.at[0]);
	return bytes.at[0] == 'x' ? -EPIPE : 0;
}

TEST(a_function_gets_full_buffers_and_what_is_larger_as_it_is)
{
	struct arena a = { 0 };
	struct sink sizes = sink_to_memory(&a);
	char buf[8];
	struct sink s = sink_to_function(note_size, &sizes, buf, sizeof(buf));

	sink_text(&s, "abcdef");
	sink_text(&s, "gh");
	sink_text(&s, "ijk");
	sink_text(&s, "longer than the buffer");
	memcpy(sink_room(&s, 8), "room", 4);
	sink_filled(&s, 4);
	CHECK_EQ(sink_flush(&s), 0);
	sink_text(&s, "x");
	CHECK_EQ(sink_flush(&s), -EPIPE);
	sink_text(&s, "never");
	CHECK_EQ(sink_flush(&s), -EPIPE);
	CHECK_BYTES(sink_bytes(&sizes).at, sizes.used, "8a 3i 22l 4r 1x ", 16);
	arena_release(&a);
}

TEST(numbers_are_padded_on_the_left)
{
	struct arena a = { 0 };
	struct sink s = sink_to_memory(&a);
	static const char want[] = "0|  -7|-9223372036854775808|  100|42|"
				   "18446744073709551615|";

	sink_number(&s, 0, 0);
	sink_char(&s, '|');
	sink_number(&s, -7, 4);
	sink_char(&s, '|');
	sink_number(&s, INT64_MIN, 10);
	sink_char(&s, '|');
	sink_unsigned(&s, 100, 5);
	sink_char(&s, '|');
	sink_unsigned(&s, 42, 1);
	sink_char(&s, '|');
	sink_unsigned(&s, UINT64_MAX, 0);
	sink_char(&s, '|');
	CHECK_BYTES(sink_bytes(&s).at, s.used, want, sizeof(want) - 1);
	arena_release(&a);
}

TEST(memory_that_runs_out_is_a_failure_too)
{
	struct arena a = { .limit = 100000 };
	struct sink s = sink_to_memory(&a);

	sink_repeat(&s, 'x', 1 << 20);
	CHECK_EQ(sink_flush(&s), -ENOMEM);
	arena_release(&a);
}

TEST(varints_are_as_protobuf_has_them)
{
	struct arena a = { 0 };
	struct sink s = sink_to_memory(&a);

	sink_uleb(&s, 0);
	sink_uleb(&s, 127);
	sink_uleb(&s, 300);
	sink_uleb(&s, UINT64_MAX);
	CHECK_BYTES(sink_bytes(&s).at, sink_bytes(&s).len,
		    "\x00\x7f\xac\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		    14);
	arena_release(&a);
}

TEST(what_is_written_as_a_varint_reads_back)
{
	struct arena a = { 0 };
	struct sink s = sink_to_memory(&a);
	struct reader r;

	for (unsigned shift = 0; shift < 64; shift++)
		sink_uleb(&s, (uint64_t)1 << shift);
	r = reader_of(sink_bytes(&s));
	for (unsigned shift = 0; shift < 64; shift++)
		CHECK_EQ(reader_uleb(&r), (uint64_t)1 << shift);
	CHECK(!r.failed && !reader_left(&r));
	arena_release(&a);
}
