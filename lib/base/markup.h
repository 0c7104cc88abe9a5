/* SPDX-License-Identifier: MIT */
#ifndef WICK_BASE_MARKUP_H
#define WICK_BASE_MARKUP_H

#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

struct sink;

/*
 * Writes text that nobody vouches for, such as a symbol's name, so that it can
 * stand in XML, SVG or HTML between tags and within quoted attributes, and
 * looks like what it is:
 *
 *   - the five characters of markup are written as references,
 *   - bytes that are no UTF-8, and what XML forbids, become U+FFFD,
 *   - control characters, and those that are not seen but turn the direction
 *     of text or hide parts of it, are spelled out: \u{202e}.
 *
 * Of a text of more than most characters the rest becomes an ellipsis, which
 * is one of them; each spelled-out character counts as one.
 */
void sink_markup(struct sink *out, struct span text, size_t most);

/* The same without references, for what is never read as markup. */
void sink_visible(struct sink *out, struct span text, size_t most);

/* What stands for one of the five characters of markup; NULL: itself. */
const char *markup_reference(uint32_t code);

/*
 * The part of text, maybe all, that takes no more than columns in a font of one
 * width when written as above.  What is not ASCII counts as two, since it may
 * be that wide.
 */
struct span markup_fit(struct span text, size_t columns);

#endif /* WICK_BASE_MARKUP_H */
