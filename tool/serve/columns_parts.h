/* SPDX-License-Identifier: MIT */
/*
 * Inside columns.c and its parts: what is being written, and the columns of
 * samples and of text, which have files of their own.
 */
#ifndef WICK_SERVE_COLUMNS_PARTS_H
#define WICK_SERVE_COLUMNS_PARTS_H

#include <stdint.h>

#include "base/json.h"
#include "base/strtab.h"
#include "profile/mergetree.h"
#include "profile/node.h"
#include "serve/columns.h"
#include "serve/pagefile.h"

struct profile;
struct sink;
struct stack_order;

struct columns {
	const struct profile *profile;
	const struct columns_options *options;
	struct arena *arena; /* lives until the file is written */
	struct pagefile file;
	struct strtab strings; /* of the page: harmless ones */
	uint32_t *string;      /* by str_id of the profile: the page's + 1 */
	struct nodetab nodes;
	const struct stack_order *order;
	uint32_t *rank; /* by node: number of its function in the page */
	struct mergetree tree;
	uint32_t *row;	  /* by stack_id: number of its stack in the page */
	uint32_t *thread; /* by label set: number of its thread */
	struct json json;
};

/* The page's number for a text of the profile's, or for any. */
uint32_t columns_string(struct columns *c, str_id id);
uint32_t columns_text(struct columns *c, struct span text);

/* A text as the value of a key, made harmless. */
void columns_put_text(struct columns *c, const char *key, struct span text);

/* Columns and JSON of label sets and threads; of samples.  0 or -ENOMEM. */
int columns_add_labels(struct columns *c);
int columns_add_samples(struct columns *c);

/* The file of places: see columns.h.  0 or -ENOMEM. */
int columns_write_places(struct columns *c, struct sink *out);

/* What the page says about the recording, as members of an open object. */
int columns_put_about(struct columns *c);

#endif /* WICK_SERVE_COLUMNS_PARTS_H */
