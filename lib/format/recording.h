/* SPDX-License-Identifier: MIT */
#ifndef WICK_FORMAT_RECORDING_H
#define WICK_FORMAT_RECORDING_H

#include <stdint.h>

struct arena;
struct error;
struct format;
struct profile;
struct sink;

/*
 * wick's own format, wick-recording(5): a profile as a row of blocks, each of
 * which can be read without those that follow.  What the reader could not read
 * is counted in the profile's loss.
 */
extern const struct format format_recording;

/* How hard to compress: zstd's levels. */
enum {
	RECORDING_STORE = 0, /* not at all */
	RECORDING_LEVEL = 3,
};

struct recording_state;

/*
 * A recording being written, while its profile grows.  The caller fills in the
 * first three, all borrowed.  The memory is the arena's: a few megabytes, and
 * four to eight bytes for each string, stack and label set of the profile.  No
 * malloc, no lock; one thread at a time.
 *
 * The profile given to recording_flush() is the same each time.  Rows that have
 * been written must not change, but for the header, the comments and the loss;
 * and locations that had no lines may be given some, as symbolizing does, and
 * their mappings the flags that come with it.
 */
struct recording {
	struct arena *arena;
	struct sink *out;
	int level;
	struct recording_state *state;
	uint32_t next_sample; /* in the profile; set it to 0 if you empty it */
};

/* Writes the file's header.  Returns 0 or -ENOMEM with a sentence. */
int recording_begin(struct recording *r, struct error *err);

/*
 * Appends what is new in p since the last time, and flushes the sink: what is
 * complete then survives the death of this process.  Returns 0 or a negative
 * errno with a sentence; the recording is then good up to the last block that
 * was written whole, and nothing more can be added.
 */
int recording_flush(struct recording *r, const struct profile *p,
		    struct error *err);

/* Appends the rest, and the mark that says that nothing is missing. */
int recording_end(struct recording *r, const struct profile *p,
		  struct error *err);

#endif /* WICK_FORMAT_RECORDING_H */
