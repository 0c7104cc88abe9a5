/* SPDX-License-Identifier: MIT */
#ifndef WICK_FORMAT_LEGACY_MAPS_H
#define WICK_FORMAT_LEGACY_MAPS_H

#include <stdbool.h>

#include "base/span.h"

struct error;
struct legacy_build;
struct lines;

/* Whether the memory map comes after this line. */
bool legacy_is_map_header(struct span line);

/*
 * Reads what is left of the text as a memory map, puts its entries in order,
 * numbers the places that samples use and finds the mapping of each.  All
 * samples are there already.  Lines that are no entries are skipped.  Returns
 * 0, -E2BIG if variables expand beyond reason, or -ENOMEM.
 */
int legacy_read_maps(struct legacy_build *b, struct lines *lines,
		     struct error *err);

/*
 * The same, after skipping everything before the memory map's header, which
 * may be the current line.
 */
int legacy_read_sections(struct legacy_build *b, struct lines *lines,
			 struct error *err);

#endif /* WICK_FORMAT_LEGACY_MAPS_H */
