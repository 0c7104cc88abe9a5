/* SPDX-License-Identifier: MIT */
/*
 * What the filters of a view leave of a profile, kept from one report to the
 * next together with what reports on it have made.  At a prompt a filter stays
 * while questions are asked, and applying it is a good part of each answer.
 */
#ifndef WICK_REPORT_SELECTION_H
#define WICK_REPORT_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"
#include "profile/profile.h"
#include "report/memo.h"

struct error;
struct report_context;

struct selection {
	struct arena arena; /* this, too, is in it */
	uint64_t key;	    /* of the filters */
	uint64_t used;	    /* when it was asked for last */
	struct profile profile;
	struct span remarks;	    /* which its filters have for a person */
	bool of_tagged;		    /* made of what is tagged */
	const struct selection *of; /* made of another, too; or NULL */
	struct report_memo memo;
};

enum { SELECTIONS = 3 }; /* all, what is looked at, and for one question */

/* Of one profile, which must not change.  Zeroed: empty. */
struct selections {
	struct selection *at[SELECTIONS]; /* [0]: all; NULL: none */
	struct selection *tagged; /* all, with tags in the stacks; or NULL */
	uint64_t uses;
};

void selections_release(struct selections *s);

/*
 * Puts tags into the stacks of a context (tagroot, tagleaf), or finds what was
 * made of them before.  Returns 0 or a negative errno with a sentence.
 */
int selections_add_tags(struct selections *s, struct report_context *c,
			struct error *err);

/*
 * Applies the filters of a context whose profile is as it was in its request
 * or as selections_add_tags() left it, or finds what they left when they were
 * last applied.  The context's profile is that then, and its memo the one of
 * the selection.  Returns 0 or a negative errno with a sentence.
 */
int selections_apply(struct selections *s, struct report_context *c,
		     struct error *err);

#endif /* WICK_REPORT_SELECTION_H */
