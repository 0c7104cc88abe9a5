/* SPDX-License-Identifier: MIT */
/*
 * What the filters of a view leave of a profile, kept from one report to the
 * next together with what reports on it have made.  At a prompt a filter stays
 * while questions are asked, and applying it is a good part of each answer.
 */
#ifndef WICK_REPORT_SELECTION_H
#define WICK_REPORT_SELECTION_H

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
	struct span remarks; /* which its filters have for a person */
	struct report_memo memo;
};

enum { SELECTIONS = 3 }; /* all, what is looked at, and for one question */

/* Of one profile, which must not change.  Zeroed: empty. */
struct selections {
	struct selection *at[SELECTIONS]; /* [0]: all; NULL: none */
	uint64_t uses;
};

void selections_release(struct selections *s);

/*
 * Applies the filters of a context whose profile is still as it was in its
 * request, or finds what they left when they were last applied.  The context's
 * profile is that then, and its memo the one of the selection.  Returns 0 or a
 * negative errno with a sentence.
 */
int selections_apply(struct selections *s, struct report_context *c,
		     struct error *err);

#endif /* WICK_REPORT_SELECTION_H */
