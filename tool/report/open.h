/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_OPEN_H
#define WICK_REPORT_OPEN_H

struct arena;
struct error;
struct profile;
struct sink;

/* How profiles are made ready for reports.  Zeroed is good for most. */
struct open_options {
	const char *base;  /* a profile to subtract; NULL: none */
	struct sink *talk; /* remarks for a person, a line each; or NULL */
};

/*
 * Loads the files, whose list ends with NULL, adds them up, finds names for
 * addresses that have none where the binaries are here, makes names readable
 * and drops frames that the profiles call uninteresting.  p belongs to arena.
 * Returns 0 or a negative errno with a sentence.
 */
int profile_open(struct profile *p, struct arena *arena, char *const *files,
		 const struct open_options *options, struct error *err);

/* Gives functions with mangled names their short form.  0 or -ENOMEM. */
int profile_make_readable(struct profile *p);

#endif /* WICK_REPORT_OPEN_H */
