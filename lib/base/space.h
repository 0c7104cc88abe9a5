/* SPDX-License-Identifier: MIT */
#ifndef WICK_BASE_SPACE_H
#define WICK_BASE_SPACE_H

#include "base/span.h"

/*
 * The text without the spaces around it, of all kinds that Unicode has.  Bytes
 * that are not UTF-8 are no spaces.
 */
struct span span_trim(struct span s);

#endif /* WICK_BASE_SPACE_H */
