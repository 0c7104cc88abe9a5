/* SPDX-License-Identifier: MIT */
/*
 * Unit tests.  The name of a test is the claim that it proves:
 *
 *	TEST(an_empty_table_finds_nothing)
 *	{
 *		struct table t = { 0 };
 *
 *		CHECK_EQ(table_find(&t, 1), 0);
 *	}
 *
 * A test registers itself; the runner in test.c prints TAP.  The first CHECK
 * that does not hold ends its test.  Put files in test_directory().
 *
 *	test-table              runs all tests
 *	test-table empty full   runs those whose names contain one of the words
 */
#ifndef WICK_TEST_H
#define WICK_TEST_H

#include <stddef.h>
#include <stdint.h>

struct test {
	const char *name;
	void (*run)(void);
	struct test *next;
};

#define TEST(name_) \
	static void name_(void); \
	static struct test name_##_test = { .name = #name_, .run = name_ }; \
	__attribute__((constructor)) static void name_##_register(void) \
	{ \
		test_add(&name_##_test); \
	} \
	static void name_(void)

#define CHECK(condition) \
	do { \
		if (!(condition)) \
			test_fail(__FILE__, __LINE__, "not true: %s", \
				  #condition); \
	} while (0)

/* Integers; both are shown in decimal and hexadecimal. */
#define CHECK_EQ(actual, expected) \
	test_check_eq(__FILE__, __LINE__, #actual, (long long)(actual), \
		      (long long)(expected))

/* Strings that end with NUL; NULL equals NULL only. */
#define CHECK_STR(actual, expected) \
	test_check_str(__FILE__, __LINE__, #actual, (actual), (expected))

/* Bytes; the first difference is shown. */
#define CHECK_BYTES(actual, actual_len, expected, expected_len) \
	test_check_bytes(__FILE__, __LINE__, #actual, \
			 (struct test_bytes){ (actual), (actual_len) }, \
			 (struct test_bytes){ (expected), (expected_len) })

/* Ends the test without a verdict; the reason is printed. */
#define SKIP(reason) test_skip(reason)

struct test_bytes {
	const void *at;
	size_t len;
};

void test_add(struct test *t);
_Noreturn void test_fail(const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
_Noreturn void test_skip(const char *reason);
void test_check_eq(const char *file, int line, const char *what,
		   long long actual, long long expected);
void test_check_str(const char *file, int line, const char *what,
		    const char *actual, const char *expected);
void test_check_bytes(const char *file, int line, const char *what,
		      struct test_bytes actual, struct test_bytes expected);

/*
 * An empty directory of this test program's own, made on first use and removed
 * at its end with what is in it.
 */
const char *test_directory(void);

#endif /* WICK_TEST_H */
