/* SPDX-License-Identifier: MIT */
#ifndef WICK_INSIDE_ACCOUNT_H
#define WICK_INSIDE_ACCOUNT_H

#include <stdint.h>

struct collect_options;
struct pieces;

/*
 * Says on standard error what was recorded from inside, as summary_write()
 * does; bytes: of its file.
 */
void account_write(struct pieces *p, uint64_t bytes,
		   const struct collect_options *o);

#endif /* WICK_INSIDE_ACCOUNT_H */
