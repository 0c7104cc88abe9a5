/* SPDX-License-Identifier: MIT */
/*
 * The runner of unit tests: see test.h.  Standard output is TAP, one line per
 * test, so that Meson and scripts/check count tests and not programs.
 */
#include "test.h"

#include <ftw.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum outcome { PASSED, FAILED, SKIPPED };

static struct {
	struct test *first;
	struct test **end;
	const struct test *current;
	const char *reason; /* why the current test is skipped */
	jmp_buf leave;	    /* out of the current test */
	char directory[64]; /* "": not made */
} state = { .end = &state.first };

void test_add(struct test *t)
{
	*state.end = t;
	state.end = &t->next;
}

void test_fail(const char *file, int line, const char *format, ...)
{
	va_list ap;

	printf("# %s:%d: ", file, line);
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	printf("\n");
	longjmp(state.leave, FAILED);
}

void test_skip(const char *reason)
{
	state.reason = reason;
	longjmp(state.leave, SKIPPED);
}

void test_check_eq(const char *file, int line, const char *what,
		   long long actual, long long expected)
{
	if (actual != expected)
		test_fail(file, line, "%s is %lld (0x%llx), not %lld (0x%llx)",
			  what, actual, actual, expected, expected);
}

/* TAP is made of lines: a text that has several is shown on several. */
static void print_text(const char *label, const char *text)
{
	printf("#   %s ", label);
	for (; text && *text; text++) {
		putchar(*text);
		if (*text == '\n')
			printf("#            ");
	}
	printf(text ? "\n" : "NULL\n");
}

void test_check_str(const char *file, int line, const char *what,
		    const char *actual, const char *expected)
{
	if (actual == expected ||
	    (actual && expected && !strcmp(actual, expected)))
		return;
	print_text("is      ", actual);
	print_text("expected", expected);
	test_fail(file, line, "%s is not what was expected", what);
}

void test_check_bytes(const char *file, int line, const char *what,
		      struct test_bytes actual, struct test_bytes expected)
{
	const unsigned char *a = actual.at, *e = expected.at;

	for (size_t i = 0; i < actual.len && i < expected.len; i++)
		if (a[i] != e[i])
			test_fail(file, line, "%s: byte %zu is %02x, not %02x",
				  what, i, a[i], e[i]);
	if (actual.len != expected.len)
		test_fail(file, line, "%s has %zu bytes, not %zu", what,
			  actual.len, expected.len);
}

const char *test_directory(void)
{
	if (!state.directory[0]) {
		strcpy(state.directory, "/tmp/wick-test-XXXXXX");
		if (!mkdtemp(state.directory)) {
			perror("mkdtemp");
			exit(1);
		}
	}
	return state.directory;
}

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *where)
{
	(void)st;
	(void)type;
	(void)where;
	return remove(path);
}

static void remove_directory(void)
{
	if (state.directory[0])
		nftw(state.directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* ASSERT traps; say in which test before the program dies of it. */
static void on_crash(int sig)
{
	static const char text[] = "Bail out! crashed in ";
	const char *name = state.current->name;

	if (write(STDOUT_FILENO, text, sizeof(text) - 1) < 0 ||
	    write(STDOUT_FILENO, name, strlen(name)) < 0 ||
	    write(STDOUT_FILENO, "\n", 1) < 0)
		_exit(1);
	raise(sig); /* SA_RESETHAND: the default is back */
}

/* A sanitizer may have installed its own handler, which says more. */
static void catch_crashes(void)
{
	static const int fatal[] = { SIGSEGV, SIGBUS, SIGILL, SIGTRAP,
				     SIGABRT };
	struct sigaction act = { .sa_handler = on_crash,
				 .sa_flags = (int)SA_RESETHAND | SA_NODEFER };
	struct sigaction old;

	for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
		if (!sigaction(fatal[i], NULL, &old) &&
		    old.sa_handler == SIG_DFL)
			sigaction(fatal[i], &act, NULL);
}

static bool wanted(const struct test *t, char **words)
{
	if (!*words)
		return true;
	for (; *words; words++)
		if (strstr(t->name, *words))
			return true;
	return false;
}

static enum outcome run(const struct test *t)
{
	enum outcome outcome = (enum outcome)setjmp(state.leave);

	if (outcome == PASSED) {
		state.current = t;
		t->run();
	}
	return outcome;
}

int main(int argc, char **argv)
{
	int number = 0;
	int failed = 0;

	(void)argc;
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	catch_crashes();
	for (const struct test *t = state.first; t; t = t->next) {
		enum outcome outcome;

		if (!wanted(t, argv + 1))
			continue;
		outcome = run(t);
		failed += outcome == FAILED;
		printf("%sok %d - %s%s%s\n", outcome == FAILED ? "not " : "",
		       ++number, t->name, outcome == SKIPPED ? " # SKIP " : "",
		       outcome == SKIPPED ? state.reason : "");
	}
	printf("1..%d\n", number);
	remove_directory();
	return failed != 0;
}
