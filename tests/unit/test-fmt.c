/* SPDX-License-Identifier: MIT */
/* Formatting without stdio says what printf would. */
#include "base/fmt.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>

#include "test.h"

/* Formats both ways and compares text and length. */
#define SAME_AS_PRINTF(...) \
	do { \
		char ours[256], libc[256]; \
		size_t len = fmt_text(ours, sizeof(ours), __VA_ARGS__); \
		CHECK_EQ(len, snprintf(libc, sizeof(libc), __VA_ARGS__)); \
		CHECK_STR(ours, libc); \
	} while (0)

TEST(texts_are_as_printf_makes_them)
{
	SAME_AS_PRINTF("plain");
	SAME_AS_PRINTF("%s|%5s|%-5s|%c|%%", "a", "b", "c", 'd');
	SAME_AS_PRINTF("%.*s|%.3s|%.0s|", 2, "abcd", "abcd", "abcd");
	SAME_AS_PRINTF("%*s|%-*s|", 6, "x", 6, "y");
	SAME_AS_PRINTF("%2s", "longer than the field");
	SAME_AS_PRINTF("%60s|", "wide");
}

TEST(numbers_are_as_printf_makes_them)
{
	SAME_AS_PRINTF("%d %i %u %x", -1, 2, 3u, 0xbeefu);
	SAME_AS_PRINTF("%d %d", INT_MIN, INT_MAX);
	SAME_AS_PRINTF("%ld %lu %lld %llu", LONG_MIN, ULONG_MAX, LLONG_MIN,
		       ULLONG_MAX);
	SAME_AS_PRINTF("%zu %ju %jd", SIZE_MAX, UINTMAX_MAX, INTMAX_MIN);
	SAME_AS_PRINTF("%5d|%-5d|%05d|%05d", 42, 42, 42, -42);
	SAME_AS_PRINTF("%016lx|%08x", 0x1234ul, 0u);
}

TEST(numbers_of_every_length_are_as_printf_makes_them)
{
	for (uint64_t n = 1; n <= UINT64_MAX / 10; n *= 10)
		SAME_AS_PRINTF("%ju %ju %ju %jd", (uintmax_t)n - 1,
			       (uintmax_t)n, (uintmax_t)n * 9 + 8,
			       -(intmax_t)n);
}

TEST(a_text_too_long_is_cut_and_its_whole_length_told)
{
	char buf[4] = "zzz";

	CHECK_EQ(fmt_text(buf, sizeof(buf), "%s", "abcdef"), 6);
	CHECK_STR(buf, "abc");
	CHECK_EQ(fmt_text(buf, 1, "%d", 12345), 5);
	CHECK_STR(buf, "");
	CHECK_EQ(fmt_text(buf, 0, "x"), 1);
}

TEST(a_null_text_is_shown_not_followed)
{
	const char *volatile none = NULL; /* unseen by the compiler */
	char buf[16];

	fmt_text(buf, sizeof(buf), "%s", none);
	CHECK_STR(buf, "(null)");
}
