/* SPDX-License-Identifier: MIT */
/* Profiles as a page on a server, for the commands that have one. */
#ifndef WICK_CMD_SERVEPAGE_H
#define WICK_CMD_SERVEPAGE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/vec.h"
#include "serve/pageserver.h"

struct columns_options;
struct error;
struct profile;

/* What a page shows, ready to be served or saved. */
struct page_list {
	struct arena arena; /* of all of it */
	VEC(struct served_profile) list;
};

/* Adds a profile, which lives as long as the list.  0 or a negative errno. */
int page_list_add(struct page_list *pages, const struct profile *p,
		  const struct columns_options *o, struct error *err);

struct serve_options {
	const char *address;
	const char *source_path;
	bool browser;	  /* open one, if there is any */
	bool open_to_all; /* see pageserver.h */
};

/* Says where the page is and serves it until interrupted. */
int servepage(const struct page_list *pages, const struct serve_options *o,
	      struct error *err);

#endif /* WICK_CMD_SERVEPAGE_H */
