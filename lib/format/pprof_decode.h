/* SPDX-License-Identifier: MIT */
/*
 * What the passes of the pprof reader share; nobody else includes it.  See
 * pprof_read.c for why there are passes.
 */
#ifndef WICK_FORMAT_PPROF_DECODE_H
#define WICK_FORMAT_PPROF_DECODE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "format/pprof.h"
#include "profile/idmap.h"
#include "profile/profile.h"

struct error;
struct proto_field;

/* Where the fields of one kind are. */
struct pprof_section {
	const uint8_t *begin; /* of the first */
	const uint8_t *end;   /* of the last */
	uint64_t count;
};

/*
 * A file being read.  Whoever reads it owns scratch, which holds what is not
 * needed afterwards; the rest is borrowed.
 */
struct pprof_decoder {
	struct profile *profile;
	struct span data;
	struct error *err;
	struct arena scratch;

	/* From the first pass, by field number. */
	struct pprof_section section[PPROF_PROFILE_END];
	uint64_t number[PPROF_PROFILE_END];
	struct span period_type;

	/* From the file's numbers to ours. */
	VEC(str_id) strings;
	struct idmap mappings;
	struct idmap functions;
	struct idmap locations;

	/* What is being read, for sentences: the ordinal-th of its kind, or
	 * (0) the only one. */
	const char *what;
	uint64_t ordinal;

	VEC(struct line) lines; /* of the location at hand */
};

typedef int pprof_decode(struct pprof_decoder *d, const struct proto_field *f);

/*
 * Gives each field of a kind to decode, until one fails; what is the kind's
 * name.  Returns 0 or what decode returned.
 */
int pprof_each(struct pprof_decoder *d, enum pprof_profile field,
	       const char *what, pprof_decode *decode);

/* Sets *ret to the string that the file knows by index; 0 or -EBADMSG. */
int pprof_string(struct pprof_decoder *d, uint64_t index, str_id *ret);

/*
 * What is being read is not well-formed.  Returns -ENOTSUP, as it may be
 * something else that only looks like protobuf, or -ENOMEM if that is why.
 */
int pprof_damaged(struct pprof_decoder *d);

int pprof_no_memory(struct pprof_decoder *d);

/* Everything but the samples.  Returns 0, -ENOTSUP, -EBADMSG or -ENOMEM. */
int pprof_decode_tables(struct pprof_decoder *d);

/*
 * The samples, once the tables are there.  Returns 0, -EBADMSG or -ENOMEM.
 * With consume the pages of data are given back on the way.
 */
int pprof_decode_samples(struct pprof_decoder *d, bool consume);

#endif /* WICK_FORMAT_PPROF_DECODE_H */
