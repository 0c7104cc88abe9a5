/* SPDX-License-Identifier: MIT */
#ifndef WICK_FORMAT_LEGACY_PARSER_H
#define WICK_FORMAT_LEGACY_PARSER_H

#include <stdbool.h>

#include "base/span.h"

struct error;
struct legacy_build;

/*
 * One legacy format.  To add one: write lib/format/legacy_<name>.c and list it
 * in legacy.c, where the order matters.
 */
struct legacy_parser {
	/* Whether the header is there. */
	bool (*detect)(struct span data);
	/*
	 * Fills b, which is empty.  Returns 0, -ENOTSUP if the next parser
	 * should be asked (which some can say only at the very end), or
	 * another negative errno with a sentence.
	 */
	int (*read)(struct legacy_build *b, struct span data,
		    struct error *err);
};

extern const struct legacy_parser legacy_contention;
extern const struct legacy_parser legacy_count;
extern const struct legacy_parser legacy_cpu;
extern const struct legacy_parser legacy_heap;
extern const struct legacy_parser legacy_java;
extern const struct legacy_parser legacy_jemalloc;
extern const struct legacy_parser legacy_thread;

#endif /* WICK_FORMAT_LEGACY_PARSER_H */
