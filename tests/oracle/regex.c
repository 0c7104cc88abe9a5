/* SPDX-License-Identifier: MIT */
/* What wick's regular expressions answer; the form is regex.go's. */
#include "report/regex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { GROUPS = 64 };

/* Decodes hexadecimal in place; returns the end of what it read. */
static char *unhex(char *s, size_t *ret_len)
{
	unsigned byte;
	size_t n = 0;
	char *at = s;

	for (; sscanf(at, "%2x", &byte) == 1 && at[0] != ' '; at += 2)
		s[n++] = (char)byte;
	*ret_len = n;
	return at;
}

static void print_match(struct regex *re, const char *text, size_t len)
{
	struct regex_range ranges[GROUPS];
	unsigned n = regex_find(re, text, len, ranges, GROUPS);

	if (regex_match(re, text, len) != (n > 0))
		printf("match and find differ: ");
	if (!n)
		printf("no");
	for (unsigned i = 0; i < n && i < GROUPS; i++)
		printf("%s%zd %zd", i ? " " : "", (ssize_t)ranges[i].start,
		       (ssize_t)ranges[i].end);
	if (regex_gave_up(re))
		printf(" gave up");
	printf("\n");
}

/* A pattern comes with several texts in a row. */
struct compiled {
	char *pattern;
	struct regex *re; /* NULL: it has an error */
	struct error err;
};

static void compile(struct compiled *c, const char *hex, size_t hex_len,
		    const char *pattern, size_t len)
{
	if (c->pattern && strlen(c->pattern) == hex_len &&
	    !memcmp(c->pattern, hex, hex_len))
		return;
	free(c->pattern);
	regex_free(c->re);
	c->re = NULL;
	c->pattern = strndup(hex, hex_len);
	(void)regex_compile_bytes(&c->re, pattern, len, &c->err);
}

static void answer(struct compiled *c, char *line)
{
	char *hex = strdup(line);
	size_t pattern_len;
	size_t text_len;
	char *text = unhex(line, &pattern_len) + 1;

	unhex(text, &text_len);
	compile(c, hex, 2 * pattern_len, line, pattern_len);
	free(hex);
	if (c->re) {
		print_match(c->re, text, text_len);
		return;
	}
	printf("error ");
	for (const char *e = c->err.text; *e; e++)
		printf("%02x", (unsigned char)*e);
	printf("\n");
}

int main(void)
{
	struct compiled c = { 0 };
	char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, stdin) > 0)
		answer(&c, line);
	regex_free(c.re);
	free(c.pattern);
	free(line);
	return 0;
}
