/* SPDX-License-Identifier: MIT */
/*
 * Pattern-defeating quicksort with the choices of Go (after 1.19): what is a
 * short range, where a pivot is looked for, what is taken for sorted, how a bad
 * pattern is broken up.  Each choice decides how equals end up, so none can be
 * another.  See gosort.h.
 */
#include "base/gosort.h"

enum {
	SHORT = 12, /* for insertion sort */
	ENOUGH_FOR_THREE = 8,
	ENOUGH_FOR_NINE = 50,
	SWAPS_OF_NINE = 12, /* as many as there can be: all in reverse */
	REPAIRS = 5,	    /* of a range that seems to be sorted */
	WORTH_REPAIR = 50,
};

struct sorting {
	uint32_t *ids;
	sort_before *before;
	const void *context;
};

/* The elements from one up to before another. */
struct range {
	size_t from;
	size_t end;
};

static size_t length(struct range r)
{
	return r.end - r.from;
}

static bool less(const struct sorting *s, size_t a, size_t b)
{
	return s->before(s->context, s->ids[a], s->ids[b]);
}

static void swap(struct sorting *s, size_t a, size_t b)
{
	uint32_t id = s->ids[a];

	s->ids[a] = s->ids[b];
	s->ids[b] = id;
}

static unsigned bit_length(size_t n)
{
	return n ? 64 - (unsigned)__builtin_clzll(n) : 0;
}

static void insertion_sort(struct sorting *s, struct range r)
{
	for (size_t i = r.from + 1; i < r.end; i++)
		for (size_t j = i; j > r.from && less(s, j, j - 1); j--)
			swap(s, j, j - 1);
}

/* Of the heap that begins at first and has size elements. */
static void sift_down(struct sorting *s, size_t first, size_t root, size_t size)
{
	for (;;) {
		size_t child = 2 * root + 1;

		if (child >= size)
			return;
		if (child + 1 < size &&
		    less(s, first + child, first + child + 1))
			child++;
		if (!less(s, first + root, first + child))
			return;
		swap(s, first + root, first + child);
		root = child;
	}
}

static void heap_sort(struct sorting *s, struct range r)
{
	size_t size = length(r);

	for (size_t i = (size - 1) / 2 + 1; i-- > 0;)
		sift_down(s, r.from, i, size);
	for (size_t i = size; i-- > 0;) {
		swap(s, r.from, r.from + i);
		sift_down(s, r.from, 0, i);
	}
}

static void order_two(const struct sorting *s, size_t *a, size_t *b,
		      unsigned *swaps)
{
	size_t was = *a;

	if (!less(s, *b, *a))
		return;
	*a = *b;
	*b = was;
	++*swaps;
}

static size_t median(const struct sorting *s, size_t a, size_t b, size_t c,
		     unsigned *swaps)
{
	order_two(s, &a, &b, swaps);
	order_two(s, &b, &c, swaps);
	order_two(s, &a, &b, swaps);
	return b;
}

/* Where a good pivot may be; how many swaps it took tells how sorted it is. */
static size_t choose_pivot(const struct sorting *s, struct range r,
			   unsigned *ret_swaps)
{
	size_t quarter = length(r) / 4;
	size_t at[3];

	*ret_swaps = 0;
	for (size_t i = 0; i < 3; i++)
		at[i] = r.from + (i + 1) * quarter;
	if (length(r) < ENOUGH_FOR_THREE)
		return at[1];
	for (size_t i = 0; i < 3 && length(r) >= ENOUGH_FOR_NINE; i++)
		at[i] = median(s, at[i] - 1, at[i], at[i] + 1, ret_swaps);
	return median(s, at[0], at[1], at[2], ret_swaps);
}

static void reverse(struct sorting *s, struct range r)
{
	for (size_t i = r.from, j = r.end - 1; i < j; i++, j--)
		swap(s, i, j);
}

/* Moves three elements to places that look random and are always the same. */
static void break_pattern(struct sorting *s, struct range r)
{
	size_t size = length(r);
	uint64_t random = size;
	uint64_t mask = ((uint64_t)1 << bit_length(size)) - 1;
	size_t middle = r.from + size / 4 * 2;

	if (size < ENOUGH_FOR_THREE)
		return;
	for (size_t i = 0; i < 3; i++) {
		size_t other;

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		other = random & mask;
		if (other >= size)
			other -= size;
		swap(s, middle - 1 + i, r.from + other);
	}
}

/* Brings an element that is out of order to where it belongs, among all that
 * are before it or all that are behind. */
static void shift_down(struct sorting *s, size_t i)
{
	for (; i >= 1 && less(s, i, i - 1); i--)
		swap(s, i, i - 1);
}

static void shift_up(struct sorting *s, size_t i, size_t end)
{
	for (; i < end && less(s, i, i - 1); i++)
		swap(s, i, i - 1);
}

/* Sorts what nearly is; false if it is not that near. */
static bool repair(struct sorting *s, struct range r)
{
	size_t i = r.from + 1;

	for (unsigned step = 0; step < REPAIRS; step++) {
		while (i < r.end && !less(s, i, i - 1))
			i++;
		if (i == r.end)
			return true;
		if (length(r) < WORTH_REPAIR)
			return false;
		swap(s, i, i - 1);
		if (i - r.from >= 2)
			shift_down(s, i - 1);
		if (r.end - i >= 2)
			shift_up(s, i + 1, r.end);
	}
	return false;
}

/*
 * Swaps elements that are on the wrong side of the one at r.from, its equals
 * being wrong in front, or behind if equals_first.  Returns the first one
 * behind then; *ret_sorted tells whether there were none to swap.
 */
static size_t part(struct sorting *s, struct range r, bool equals_first,
		   bool *ret_sorted)
{
	size_t i = r.from + 1, j = r.end - 1;

	*ret_sorted = true;
	for (;; i++, j--) {
		while (i <= j && (equals_first ? !less(s, r.from, i)
					       : less(s, i, r.from)))
			i++;
		while (i <= j && (equals_first ? less(s, r.from, j)
					       : !less(s, j, r.from)))
			j--;
		if (i > j)
			return i;
		swap(s, i, j);
		*ret_sorted = false;
	}
}

/* How the last parting went. */
struct luck {
	bool balanced;
	bool sorted;
};

static void sort_range(struct sorting *s, struct range r, unsigned limit);

/* Sorts the smaller of the parts around a pivot; returns the other. */
static struct range sort_smaller(struct sorting *s, struct range r,
				 size_t pivot, unsigned limit,
				 struct luck *luck)
{
	size_t middle;
	struct range left, right;
	bool left_smaller;

	swap(s, r.from, pivot);
	middle = part(s, r, false, &luck->sorted) - 1;
	swap(s, middle, r.from);
	left = (struct range){ r.from, middle };
	right = (struct range){ middle + 1, r.end };
	/* Go counts the pivot as one of the right. */
	left_smaller = length(left) < length(right) + 1;
	luck->balanced = (left_smaller ? length(left) : length(right) + 1) >=
			 length(r) / 8;
	sort_range(s, left_smaller ? left : right, limit);
	return left_smaller ? right : left;
}

/* limit is how often parting may go badly before it is given up. */
static void sort_range(struct sorting *s, struct range r, unsigned limit)
{
	struct luck luck = { true, true };

	while (length(r) > SHORT) {
		bool sorted;
		unsigned swaps;
		size_t pivot;

		if (!limit) {
			heap_sort(s, r);
			return;
		}
		if (!luck.balanced) {
			break_pattern(s, r);
			limit--;
		}
		pivot = choose_pivot(s, r, &swaps);
		if (swaps == SWAPS_OF_NINE) {
			reverse(s, r);
			pivot = r.end - 1 - (pivot - r.from);
			swaps = 0;
		}
		if (!swaps && luck.balanced && luck.sorted && repair(s, r))
			return;
		/* Nothing here is less than the one before it. */
		if (r.from && !less(s, r.from - 1, pivot)) {
			swap(s, r.from, pivot);
			r.from = part(s, r, true, &sorted);
		} else {
			r = sort_smaller(s, r, pivot, limit, &luck);
		}
	}
	insertion_sort(s, r);
}

void go_sort(uint32_t *ids, size_t count, sort_before *before,
	     const void *context)
{
	struct sorting s = { ids, before, context };

	sort_range(&s, (struct range){ 0, count }, bit_length(count));
}
