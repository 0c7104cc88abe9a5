/* SPDX-License-Identifier: MIT */
#ifndef WICK_FORMAT_LEGACY_ENTRY_H
#define WICK_FORMAT_LEGACY_ENTRY_H

#include "base/span.h"

struct legacy_mapping;

enum legacy_entry {
	ENTRY_NONE, /* the line is something else */
	ENTRY_DATA, /* it is an entry that can not be executed */
	ENTRY_CODE,
};

/*
 * Reads a line of a memory map, in the form of /proc/PID/maps or in a brief
 * one, "START-LIMIT [FILE] [(@OFFSET)] [BUILDID]".  m is filled in for
 * ENTRY_CODE; its texts are parts of the line.
 */
enum legacy_entry legacy_parse_entry(struct span line,
				     struct legacy_mapping *m);

#endif /* WICK_FORMAT_LEGACY_ENTRY_H */
