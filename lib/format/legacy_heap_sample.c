/* SPDX-License-Identifier: MIT */
/* What gperftools' and jemalloc's heap profiles have in common. */
#include "format/legacy_heap.h"

#include <errno.h>

#include "base/error.h"
#include "format/legacy_build.h"
#include "format/legacy_scale.h"
#include "format/legacy_text.h"

static struct span take_number(struct reader *r, bool sign)
{
	struct reader ahead = *r;
	const uint8_t *start = r->at;

	if (sign)
		text_take(&ahead, "-");
	if (!text_run(&ahead, TEXT_DIGIT).len)
		return (struct span){ 0 };
	*r = ahead;
	return span_of(start, (size_t)(r->at - start));
}

/* "COUNT: BYTES" */
static bool take_pair(struct reader *r, bool sign, struct span *count,
		      struct span *bytes)
{
	*count = take_number(r, sign);
	if (!count->len || !text_take(r, ":"))
		return false;
	text_run(r, TEXT_BLANK);
	*bytes = take_number(r, sign);
	return bytes->len;
}

bool heap_take_counts(struct reader *r, bool signs, struct heap_counts *c)
{
	if (!take_pair(r, signs, &c->in_use, &c->in_use_bytes))
		return false;
	text_run(r, TEXT_BLANK);
	if (!text_take(r, "["))
		return false;
	text_run(r, TEXT_BLANK);
	if (!take_pair(r, false, &c->allocated, &c->allocated_bytes))
		return false;
	text_run(r, TEXT_BLANK);
	return text_take(r, "]");
}

/* As text: "00" is not "0", as in pprof. */
static bool tells_more(struct span allocated, struct span in_use)
{
	return !span_equal(allocated, in_use) &&
	       !span_equal(allocated, span_text("0"));
}

bool heap_tells_allocated(const struct heap_counts *totals)
{
	return tells_more(totals->allocated, totals->in_use) ||
	       tells_more(totals->allocated_bytes, totals->in_use_bytes);
}

/* What is in use comes last, since the last type is the one shown. */
void heap_add_types(struct legacy_build *b, const struct heap_kind *kind)
{
	if (kind->allocated) {
		legacy_add_type_text(b, "alloc_objects", "count");
		legacy_add_type_text(b, "alloc_space", "bytes");
		legacy_add_type_text(b, "inuse_objects", "count");
		legacy_add_type_text(b, "inuse_space", "bytes");
	} else {
		legacy_add_type_text(b, "objects", "count");
		legacy_add_type_text(b, "space", "bytes");
	}
}

/*
 * Converts one pair and notes the size of a block in s.  False if a number
 * does not fit, or if nothing has bytes.
 */
static bool convert(struct span count, struct span bytes,
		    struct allocations *ret, struct legacy_sample *s)
{
	if (!text_signed(count, 10, &ret->count) ||
	    !text_signed(bytes, 10, &ret->bytes) || (!ret->count && ret->bytes))
		return false;
	if (ret->count)
		s->block = wrapping_quotient(ret->bytes, ret->count);
	return true;
}

static struct allocations unsample(const struct legacy_build *b,
				   const struct heap_kind *kind,
				   struct allocations seen)
{
	return kind->sampled ? scale_allocations(seen, b->period) : seen;
}

int heap_add_sample(struct legacy_build *b, const struct heap_kind *kind,
		    const struct heap_counts *c, const struct lines *lines,
		    struct error *err)
{
	struct legacy_sample s = { .has_block = true };
	struct allocations a;
	unsigned n = 0;

	if (kind->allocated) {
		if (!convert(c->allocated, c->allocated_bytes, &a, &s))
			goto bad;
		a = unsample(b, kind, a);
		s.value[n++] = a.count;
		s.value[n++] = a.bytes;
	}
	if (!convert(c->in_use, c->in_use_bytes, &a, &s))
		goto bad;
	a = unsample(b, kind, a);
	s.value[n++] = a.count;
	s.value[n++] = a.bytes;
	legacy_add_sample(b, s);
	return 0;
bad:
	return error_set(
		err, -EBADMSG,
		"line %u: the counts of a heap sample are wrong: '%.*s'",
		lines->number, text_shown(lines->line), lines->line.at);
}
