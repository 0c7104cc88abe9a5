/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_PRUNE_H
#define WICK_REPORT_PRUNE_H

#include "base/span.h"

struct error;
struct profile;

/*
 * Cuts from every stack the frames that the profile itself calls uninteresting
 * (its drop_frames and keep_frames), with all that they called.  In place.
 * Where these are no regular expressions the profile is good all the same, with
 * all its frames; remark, unless NULL, says so then, and else is empty.
 * Returns 0 or -ENOMEM.
 */
int profile_remove_uninteresting(struct profile *p, struct error *remark);

/*
 * A function's name without its argument list and a leading dot, as the
 * expressions for pruning expect it.
 */
struct span simple_name(struct span name);

#endif /* WICK_REPORT_PRUNE_H */
