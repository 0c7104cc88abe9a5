/* SPDX-License-Identifier: MIT */
#ifndef WICK_SYMBOLIZE_CACHELIMIT_H
#define WICK_SYMBOLIZE_CACHELIMIT_H

#include <stdint.h>

/* What all files of the cache directory may take together. */
static const uint64_t cache_limit = 1ull << 30;

/*
 * Removes from the cache directory, and the folders in it, wick's files that
 * were not used for longest, until the rest is within limit, and what killed
 * writers left behind.  Files of other names are neither counted nor touched.
 * Of several processes one does it; files in use stay readable for those who
 * have them open.  Failures are not reported: the next run tries again.
 */
void cache_trim(const char *directory, uint64_t limit);

#endif /* WICK_SYMBOLIZE_CACHELIMIT_H */
