/* SPDX-License-Identifier: MIT */
#ifndef WICK_BASE_BASE64_H
#define WICK_BASE_BASE64_H

#include "base/span.h"

struct sink;

/* Writes bytes in base64, with its padding, in one line. */
void sink_base64(struct sink *out, struct span bytes);

#endif /* WICK_BASE_BASE64_H */
