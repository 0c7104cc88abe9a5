/* SPDX-License-Identifier: MIT */
/* What the shell tells about its options and commands. */
#ifndef WICK_PPROF_SETTINGS_H
#define WICK_PPROF_SETTINGS_H

struct arena;
struct config;
struct profile;
struct words;

/* "o": every option and its value. */
void settings_show(const struct config *c, const struct profile *p,
		   struct arena *arena);

/* "help", alone or with the name of a command or an option. */
void settings_help(const struct profile *p, const struct words *words,
		   struct arena *arena);

#endif /* WICK_PPROF_SETTINGS_H */
