/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_NAMING_H
#define WICK_PROFILE_NAMING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/table.h"
#include "profile/profile.h"

/*
 * One level of the call chain at a location, as whoever found it says.  What
 * is unknown is "" or 0.
 */
struct frame_name {
	const char *name;
	const char *system_name; /* as the linker knows it */
	const char *directory;	 /* "" if file is a whole path or unknown */
	const char *file;
	uint32_t line;
	uint32_t column;
	uint32_t start_line;
};

/*
 * Gives locations of a profile their functions and lines, each function stored
 * once.  Zeroed but for the profile, it is ready.
 */
struct naming {
	struct profile *profile;
	struct arena scratch;
	struct table functions; /* those added here */
};

/*
 * Replaces the lines of a location by the frames, the innermost first, and
 * notes in its mapping what is known now.  False: out of memory.
 */
bool naming_set(struct naming *n, location_id location,
		const struct frame_name *frames, uint32_t count);

void naming_release(struct naming *n);

#endif /* WICK_PROFILE_NAMING_H */
