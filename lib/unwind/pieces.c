/* SPDX-License-Identifier: MIT */
/*
 * Who describes which stretch of code.  Linkers write entries nearly sorted,
 * so that sorting is usually a look.
 */
#include "base/sort.h"
#include "unwind/build.h"
#include "unwind/compile.h"

void pieces_add(struct pieces *list, struct build *b, uint64_t lo, uint64_t hi,
		struct piece who)
{
	const struct unwind_source *s = b->source;
	struct piece *p;

	lo = lo < s->text_lo ? s->text_lo : lo;
	hi = hi > s->text_hi ? s->text_hi : hi;
	if (lo >= hi)
		return;
	p = VEC_PUSH(list, &b->work);
	if (!p)
		return;
	*p = who;
	p->lo = (uint32_t)(lo - b->base);
	p->hi = (uint32_t)(hi - b->base);
}

static bool is_sorted(const struct pieces *list)
{
	for (uint32_t i = 1; i < list->count; i++)
		if (list->at[i - 1].lo > list->at[i].lo)
			return false;
	return true;
}

static void sort(struct pieces *list, struct build *b)
{
	size_t count = list->count;
	struct sort_item *items = ARENA_ARRAY(&b->work, struct sort_item,
					      count);
	struct sort_item *scratch = ARENA_ARRAY(&b->work, struct sort_item,
						count);

	if (!items || !scratch) {
		list->count = 0;
		return;
	}
	for (size_t i = 0; i < count; i++)
		items[i] = (struct sort_item){
			.key = (uint64_t)list->at[i].lo << 32 | list->at[i].hi,
			.id = list->at[i].entry,
			.extra = list->at[i].input,
		};
	sort_items(items, scratch, count);
	for (size_t i = 0; i < count; i++)
		list->at[i] = (struct piece){
			.lo = (uint32_t)(items[i].key >> 32),
			.hi = (uint32_t)items[i].key,
			.entry = items[i].id,
			.input = items[i].extra,
		};
	arena_free(&b->work, items, count * sizeof(*items));
	arena_free(&b->work, scratch, count * sizeof(*scratch));
}

void pieces_settle(struct pieces *list, struct build *b)
{
	uint32_t kept = 0;

	if (!is_sorted(list))
		sort(list, b);
	for (uint32_t i = 0; i < list->count; i++) {
		struct piece *last = kept ? &list->at[kept - 1] : NULL;
		struct piece p = list->at[i];

		if (last && last->lo == p.lo)
			continue;
		if (last && last->hi > p.lo)
			last->hi = p.lo;
		list->at[kept++] = p;
	}
	list->count = kept;
}

static void push(struct pieces *list, struct build *b, struct piece p,
		 uint32_t hi)
{
	struct piece *to = p.lo < hi ? VEC_PUSH(list, &b->work) : NULL;

	if (to) {
		*to = p;
		to->hi = hi;
	}
}

void pieces_fill(struct pieces *high, const struct pieces *low, struct build *b)
{
	struct pieces merged = { 0 };
	uint32_t i = 0;

	if (!high->count) {
		*high = *low;
		return;
	}
	if (!low->count ||
	    !VEC_RESERVE(&merged, &b->work, (uint64_t)high->count + low->count))
		return;
	for (uint32_t k = 0; k < low->count; k++) {
		struct piece p = low->at[k];

		while (i < high->count && high->at[i].lo < p.hi) {
			const struct piece *h = &high->at[i];

			push(&merged, b, p, h->lo < p.hi ? h->lo : p.hi);
			if (p.lo < h->hi)
				p.lo = h->hi;
			if (h->hi > p.hi)
				break;
			push(&merged, b, *h, h->hi);
			i++;
		}
		push(&merged, b, p, p.hi);
	}
	for (; i < high->count; i++)
		push(&merged, b, high->at[i], high->at[i].hi);
	*high = merged;
}
