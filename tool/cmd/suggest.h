/* SPDX-License-Identifier: MIT */
#ifndef WICK_CMD_SUGGEST_H
#define WICK_CMD_SUGGEST_H

/*
 * The word a person probably meant.  Offer every word that would have been
 * right, in order of preference, then ask for the best.
 *
 *	struct suggestion s = { .typed = name };
 *	suggest_offer(&s, "report");
 *	suggest_offer(&s, "record");
 *	const char *meant = s.best;
 *
 * best is borrowed from the offers; NULL: nothing is near enough.
 */
struct suggestion {
	const char *typed;
	const char *best;
	unsigned distance; /* of best */
};

void suggest_offer(struct suggestion *s, const char *word);

/*
 * The number of insertions, deletions, replacements and swaps of neighbours
 * that turn a into b; UINT_MAX if either is longer than 63 characters.
 */
unsigned edit_distance(const char *a, const char *b);

#endif /* WICK_CMD_SUGGEST_H */
