/* SPDX-License-Identifier: MIT */
#ifndef WICK_FORMAT_DETECT_H
#define WICK_FORMAT_DETECT_H

#include "base/span.h"

/*
 * What a file that is no profile looks like, to go behind "it looks like": a
 * noun phrase, and what to do about it where that is known.  NULL if it looks
 * like nothing in particular.
 */
const char *detect_other(struct span data);

#endif /* WICK_FORMAT_DETECT_H */
