/* SPDX-License-Identifier: MIT */
#ifndef WICK_SYMBOLIZE_PREPARE_H
#define WICK_SYMBOLIZE_PREPARE_H

#include <stddef.h>
#include <stdint.h>

#include "symbol/builder.h"

struct module;

enum {
	PREPARE_THREADS = 16,
};

/*
 * The builders of a module's units, one for each thread.  Zeroed, it is ready;
 * release it after the module is closed.
 */
struct preparation {
	struct builder builder[PREPARE_THREADS];
};

/*
 * Reads, on all processors, the units that the addresses need, so that
 * module_find() then only searches.  Failing to (no memory, no threads) costs
 * time, not answers.
 */
void prepare_addresses(struct preparation *p, struct module *m,
		       const uint64_t *address, size_t count);

void preparation_release(struct preparation *p);

#endif /* WICK_SYMBOLIZE_PREPARE_H */
