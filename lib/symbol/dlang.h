/* SPDX-License-Identifier: MIT */
/* Inside the demangler of D's names.  Only lib/symbol/dlang*.c include this. */
#ifndef WICK_SYMBOL_DLANG_H
#define WICK_SYMBOL_DLANG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "symbol/scratch.h"

/*
 * The reader, which writes as it reads.  Where the order in the name is not
 * that in the source, parts are exchanged after they are written.
 */
struct dlang {
	struct span name;
	size_t at;
	size_t backref; /* the last one followed; they go back only */
	bool failed;
	unsigned depth;
	uint32_t work;
	unsigned flags;
	struct text *out;
};

void dlang_type(struct dlang *d);
void dlang_mangled(struct dlang *d);
bool dlang_number(struct dlang *d, uint32_t *ret);

/*
 * The value of a template argument.  type is the letter of its type, whose
 * text is what was written since start: it is dropped unless it is the name of
 * a struct literal.
 */
void dlang_value(struct dlang *d, uint8_t type, size_t start);

static inline uint8_t dlang_peek(const struct dlang *d)
{
	return d->at < d->name.len ? d->name.at[d->at] : 0;
}

static inline uint8_t dlang_peek_at(const struct dlang *d, size_t i)
{
	return i < d->name.len - d->at ? d->name.at[d->at + i] : 0;
}

static inline bool dlang_eat(struct dlang *d, uint8_t c)
{
	if (d->failed || dlang_peek(d) != c || !c)
		return false;
	d->at++;
	return true;
}

static inline void dlang_fail(struct dlang *d)
{
	d->failed = true;
}

static inline bool dlang_enter(struct dlang *d)
{
	enum { DEPTH_MAX = 400, WORK_MAX = 200000 };

	if (d->failed || ++d->depth > DEPTH_MAX || ++d->work > WORK_MAX)
		dlang_fail(d);
	return !d->failed;
}

static inline bool dlang_is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

#endif /* WICK_SYMBOL_DLANG_H */
