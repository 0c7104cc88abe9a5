/* SPDX-License-Identifier: MIT */
#ifndef WICK_PPROF_COMPLETE_H
#define WICK_PPROF_COMPLETE_H

struct arena;
struct candidates;
struct profile;

/*
 * What a line of the shell, ending at the cursor, may go on with: commands,
 * options and their values, sample types, and functions of the profile, which
 * need only contain what is typed.
 */
void complete_line(const struct profile *p, struct arena *arena,
		   const char *line, struct candidates *ret);

#endif /* WICK_PPROF_COMPLETE_H */
