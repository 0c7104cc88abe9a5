/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_RELABEL_H
#define WICK_PROFILE_RELABEL_H

#include <stdbool.h>

#include "profile/label.h"

struct profile;

/* What becomes of labels: some are kept, and one may be added. */
struct relabeling {
	bool (*keeps)(void *context, const struct label *l);
	void *context;
	const struct label *add; /* NULL: none */
};

/*
 * Changes the labels of every sample, which must be the profile's own.  Each
 * set that occurs is asked about once.  Returns 0 or -ENOMEM.
 */
int profile_relabel(struct profile *p, const struct relabeling *r);

/* Gives every sample the label, in place of any other values of its key.
 * Returns 0 or -ENOMEM. */
int profile_set_label(struct profile *p, const char *key, const char *value);

/*
 * Drops labels that pprof's format cannot tell from none, and that a profile
 * loses when it is written and read: those without a text, or of number 0 and
 * no unit.  Returns 0 or -ENOMEM.
 */
int profile_drop_blank_labels(struct profile *p);

#endif /* WICK_PROFILE_RELABEL_H */
