/* SPDX-License-Identifier: MIT */
#ifndef WICK_BASE_XXH64_H
#define WICK_BASE_XXH64_H

#include <stdint.h>

#include "base/span.h"

/*
 * The XXH64 hash of data with seed 0.  Stable: it is written to files, where it
 * finds damage by accident.  It is no defence against a forger.
 */
uint64_t xxh64(struct span data);

#endif /* WICK_BASE_XXH64_H */
