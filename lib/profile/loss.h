/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_LOSS_H
#define WICK_PROFILE_LOSS_H

#include <stdint.h>

struct sink;

/*
 * The ways in which something that should be in a profile is not.  The numbers
 * are written to recordings and never change their meaning; to add one, append
 * it here, give it a row in loss.c and a line in wick-recording(5).
 */
enum loss_kind {
	LOSS_OTHER,    /* of kinds that only a newer wick can name */
	LOSS_CUT,      /* recordings that end in the middle of a block */
	LOSS_UNCLOSED, /* recordings that nobody ended */
	LOSS_BLOCKS,   /* damaged or missing blocks of recordings */
	LOSS_BYTES,    /* bytes of recordings that could not be used */
	LOSS_SAMPLES,  /* samples taken, but not here */
	LOSS_STACKS,   /* stacks that do not reach their thread's start */
	LOSS_THROTTLE, /* times that the kernel made sampling pause */
	LOSS_KINDS,
};

/*
 * How much is missing from a profile, counted by kind, so that every report can
 * say it.  Plain counts: profiles that are merged have theirs added.  Zeroed
 * means that nothing is known to be missing.
 */
struct loss {
	uint64_t count[LOSS_KINDS];
};

/* Counts what is missing from another profile as well. */
void loss_add(struct loss *l, const struct loss *other);

/*
 * Writes a sentence and a newline for each kind that there is, in the order of
 * the kinds; nothing if nothing is missing.
 */
void loss_write(const struct loss *l, struct sink *out);

#endif /* WICK_PROFILE_LOSS_H */
