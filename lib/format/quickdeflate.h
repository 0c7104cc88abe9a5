/* SPDX-License-Identifier: MIT */
#ifndef WICK_FORMAT_QUICKDEFLATE_H
#define WICK_FORMAT_QUICKDEFLATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

/* What compressing needs besides; zeroed is valid.  One thread at a time. */
struct quickdeflate;

/* How much memory a struct quickdeflate is. */
size_t quickdeflate_size(void);

/* The most that quickdeflate() may need for so many bytes. */
size_t quickdeflate_bound(size_t len);

/*
 * Compresses data to out, which has room for quickdeflate_bound(), and returns
 * how many bytes it became: whole blocks of deflate, none of them the last,
 * which end with a byte and refer to nothing before.  So the results of several
 * calls may follow each other, whoever made them, and are a deflate stream once
 * QUICKDEFLATE_END comes after.
 */
size_t quickdeflate(struct quickdeflate *q, struct span data, uint8_t *out);

#define QUICKDEFLATE_END "\x03\0" /* two bytes: a last block without data */

#endif /* WICK_FORMAT_QUICKDEFLATE_H */
