/* SPDX-License-Identifier: MIT */
/*
 * See texts.h.  Tens of millions of texts are copied, from all over the pool,
 * so what counts is how many lines of memory each of them touches: a text that
 * fits a slot, or a line, is in one, and its length is in its place.  (To put
 * them together from what many have in common, with a pool of half the size,
 * took half as long again: it touches more lines.)
 */
#include "report/texts.h"

#include <errno.h>
#include <string.h>

#include "base/check.h"
#include "base/sink.h"
#include "profile/profile.h"

enum {
	LINE = 64,
	POOL_LEAST = 16 << 10,
	POOL_MOST = TEXT_SLOT << (32 - TEXT_LEN_BITS),
	POOL_EACH = 512, /* bytes of the pool for each text */
};

static size_t pool_size(uint32_t count)
{
	uint64_t size = (uint64_t)count * POOL_EACH;

	if (size < POOL_LEAST)
		return POOL_LEAST;
	return size < POOL_MOST ? size : POOL_MOST;
}

/* Place 0 means none, so the first line stays empty. */
int texts_init(struct texts *t, uint32_t count)
{
	size_t size = pool_size(count);
	char *pool;

	*t = (struct texts){
		.arena.huge_pages = true,
		.size = size,
		.used = LINE,
	};
	t->place = ARENA_ARRAY(&t->arena, uint32_t, count);
	pool = arena_alloc(&t->arena, size + LINE);
	if (!t->place || !pool)
		return -ENOMEM;
	t->pool = pool + (LINE - (uintptr_t)pool % LINE) % LINE;
	return 0;
}

struct texts texts_part(const struct texts *t, unsigned number, unsigned parts)
{
	size_t each = t->size / parts / LINE * LINE;
	struct texts part = *t;

	part.used = each * number;
	part.size = each * (number + 1);
	if (part.used < t->used)
		part.used = t->used;
	return part;
}

void texts_release(struct texts *t)
{
	arena_release(&t->arena);
	*t = (struct texts){ 0 };
}

static int refuse(void *context, struct span bytes)
{
	(void)context;
	(void)bytes;
	return -ENOSPC;
}

/* Where the text that was written behind all others shall stay. */
static size_t settle(struct texts *t, size_t len)
{
	size_t at = t->used;

	if (len <= TEXT_SLOT && t->small % LINE) {
		at = t->small;
		memcpy(t->pool + at, t->pool + t->used, TEXT_SLOT);
		t->small += TEXT_SLOT;
		return at;
	}
	if (len <= TEXT_SLOT)
		t->small = at + TEXT_SLOT;
	t->used = (at + len + LINE - 1) & ~(size_t)(LINE - 1);
	return at;
}

/* Copies are of whole lines, and end in the pool. */
void texts_add(struct texts *t, uint32_t number,
	       const struct text_source *source)
{
	size_t room = t->size - t->used;
	struct sink text;

	if (t->full)
		return;
	if (room > TEXT_LEN_MAX)
		room = TEXT_LEN_MAX;
	text = sink_to_function(refuse, NULL, t->pool + t->used, room);
	source->put(source->context, &text, number);
	t->full = text.error && room < TEXT_LEN_MAX;
	if (text.error || !text.used)
		return;
	t->place[number] = (uint32_t)(settle(t, text.used) / TEXT_SLOT
					      << TEXT_LEN_BITS |
				      text.used);
	t->full |= t->used == t->size;
}

int texts_add_labels(struct texts *t, const struct profile *p,
		     const struct text_source *source)
{
	uint32_t sets = p->label_sets.sets.count;
	int r = texts_init(t, sets);

	if (r < 0 || sets > p->sample_count / 2)
		return r;
	for (labels_id set = 1; set < sets; set++)
		texts_add(t, set, source);
	return 0;
}

void texts_put(const struct texts *t, uint32_t number, struct sink *out,
	       const struct text_source *source)
{
	struct span text = texts_get(t, number);

	if (text.len)
		sink_span(out, text);
	else
		source->put(source->context, out, number);
}

/*
 * Two known sizes instead of the right one: finding out how to copy just so
 * many bytes costs more than copying some that are written over.
 */
static inline void copy_text(char *to, const char *from, size_t len)
{
	if (len <= TEXT_SLOT) {
		memcpy(to, from, TEXT_SLOT);
		return;
	}
	for (size_t i = 0; i < len; i += LINE)
		memcpy(to + i, from + i, LINE);
}

/* Writes a text with its indent, kept or not, wherever there is room. */
static void put_indented(const struct texts *t, uint32_t number,
			 struct sink *out, const struct text_source *source)
{
	sink_repeat(out, ' ', t->indent);
	texts_put(t, number, out, source);
}

/*
 * Asks for the first and the last line of a text: most have no other.  Always
 * inlined, because gcc drops calls of functions that do nothing but prefetch.
 */
__attribute__((always_inline)) static inline void ask_for(const struct texts *t,
							  uint32_t number)
{
	struct span text = texts_get(t, number);

	__builtin_prefetch(text.at);
	__builtin_prefetch(text.at + text.len - 1);
}

/*
 * What the loop needs is in variables of its own: text is bytes, which may be
 * anything's, so whatever is in memory would be loaded again after each copy.
 */
void texts_put_run(const struct texts *t, struct text_run run,
		   struct text_run next, struct sink *out,
		   const struct text_source *source)
{
	const struct texts kept = *t;
	const char *begin = out->buf + out->used;
	const char *end = out->buf + out->size;
	char *to = out->buf + out->used;

	ASSERT(kept.indent <= TEXT_SLOT);
	while (run.count-- > 0) {
		struct span text = texts_get(&kept, run.numbers[run.count]);
		size_t room = (size_t)(end - to);

		if (next.count)
			ask_for(&kept, next.numbers[--next.count]);
		if (text.len && room >= text.len + TEXT_SLOT + LINE) {
			memset(to, ' ', TEXT_SLOT);
			copy_text(to + kept.indent, (const char *)text.at,
				  text.len);
			to += kept.indent + text.len;
			continue;
		}
		sink_filled(out, (size_t)(to - begin));
		put_indented(t, run.numbers[run.count], out, source);
		to = out->buf + out->used;
		begin = to;
		end = out->buf + out->size;
	}
	sink_filled(out, (size_t)(to - begin));
	while (next.count)
		ask_for(&kept, next.numbers[--next.count]);
}
