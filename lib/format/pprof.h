/* SPDX-License-Identifier: MIT */
#ifndef WICK_FORMAT_PPROF_H
#define WICK_FORMAT_PPROF_H

#include <stdbool.h>

#include "base/span.h"

struct error;
struct format;
struct profile;
struct sink;
struct workers;

/*
 * The format of Go's and Google's pprof: the message Profile of profile.proto,
 * usually within gzip.  These are its field numbers.  Numbers marked "string"
 * are indexes into the profile's string table.
 */
enum pprof_profile {
	PPROF_SAMPLE_TYPE = 1, /* ValueType, repeated */
	PPROF_SAMPLE = 2,
	PPROF_MAPPING = 3,
	PPROF_LOCATION = 4,
	PPROF_FUNCTION = 5,
	PPROF_STRING = 6,      /* the first is empty */
	PPROF_DROP_FRAMES = 7, /* string */
	PPROF_KEEP_FRAMES = 8, /* string */
	PPROF_TIME = 9,
	PPROF_DURATION = 10,
	PPROF_PERIOD_TYPE = 11, /* ValueType */
	PPROF_PERIOD = 12,
	PPROF_COMMENT = 13,	 /* string, repeated */
	PPROF_DEFAULT_TYPE = 14, /* string */
	PPROF_DOC_URL = 15,	 /* string */
	PPROF_PROFILE_END,
};

enum pprof_value_type {
	PPROF_TYPE_TYPE = 1, /* string */
	PPROF_TYPE_UNIT = 2, /* string */
	PPROF_TYPE_END,
};

enum pprof_sample {
	PPROF_SAMPLE_LOCATION = 1, /* ids, the leaf first */
	PPROF_SAMPLE_VALUE = 2,	   /* one for each sample type */
	PPROF_SAMPLE_LABEL = 3,
};

enum pprof_label {
	PPROF_LABEL_KEY = 1,  /* string */
	PPROF_LABEL_TEXT = 2, /* string */
	PPROF_LABEL_NUMBER = 3,
	PPROF_LABEL_UNIT = 4, /* string */
	PPROF_LABEL_END,
};

enum pprof_mapping {
	PPROF_MAPPING_ID = 1,
	PPROF_MAPPING_START = 2,
	PPROF_MAPPING_LIMIT = 3,
	PPROF_MAPPING_OFFSET = 4,
	PPROF_MAPPING_FILE = 5,	    /* string */
	PPROF_MAPPING_BUILD_ID = 6, /* string */
	PPROF_MAPPING_HAS_FUNCTIONS = 7,
	PPROF_MAPPING_HAS_FILENAMES = 8,
	PPROF_MAPPING_HAS_LINE_NUMBERS = 9,
	PPROF_MAPPING_HAS_INLINE_FRAMES = 10,
	PPROF_MAPPING_END,
};

enum pprof_location {
	PPROF_LOCATION_ID = 1,
	PPROF_LOCATION_MAPPING = 2, /* id */
	PPROF_LOCATION_ADDRESS = 3,
	PPROF_LOCATION_LINE = 4, /* Line, the innermost first */
	PPROF_LOCATION_FOLDED = 5,
};

enum pprof_line {
	PPROF_LINE_FUNCTION = 1, /* id */
	PPROF_LINE_LINE = 2,
	PPROF_LINE_COLUMN = 3,
	PPROF_LINE_END,
};

enum pprof_function {
	PPROF_FUNCTION_ID = 1,
	PPROF_FUNCTION_NAME = 2,	/* string */
	PPROF_FUNCTION_SYSTEM_NAME = 3, /* string */
	PPROF_FUNCTION_FILE = 4,	/* string */
	PPROF_FUNCTION_START_LINE = 5,
	PPROF_FUNCTION_END,
};

extern const struct format format_pprof;

/* See struct format; data is not compressed. */
bool pprof_detect(struct span data);
int pprof_read(struct profile *p, struct span data, struct error *err);
int pprof_consume(struct profile *p, struct span data, struct error *err);

/* Writes it as pprof does: compressed, the rows under their own ids. */
int pprof_write(const struct profile *p, const struct workers *workers,
		struct sink *out, struct error *err);

#endif /* WICK_FORMAT_PPROF_H */
