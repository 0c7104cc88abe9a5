/* SPDX-License-Identifier: MIT */
#ifndef WICK_UNWIND_TABLE_H
#define WICK_UNWIND_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "unwind/rule.h"

struct error;

/*
 * The rules of one object for all of its code, as an image of bytes that can
 * be kept on disk and used where it lies.  Behind the header:
 *
 *	pages	u32[n_pages + 1]  index of the first row at or after each page
 *	rows	u32[n_rows]	  the place in its page (12 bits) from which on
 *				  a rule holds, and which (20 bits)
 *	rules	struct unwind_rule[n_rules]
 *	expressions		  each a length byte and DWARF operations
 *
 * Addresses are the object's own, relative to text_lo, which is the start of a
 * page.  Pages are so large that each has some ten rows: then a look-up in
 * cold memory touches one line of pages, one or two of rows and one of rules.
 * A row holds until the next, over pages too.  Little-endian.
 */
struct unwind_header {
	uint8_t magic[8];
	uint16_t version;
	uint16_t machine; /* EM_X86_64, EM_AARCH64 */
	uint32_t flags;
	uint64_t text_lo;
	uint32_t n_pages;
	uint32_t n_rows;
	uint32_t n_rules;
	uint32_t n_expressions; /* bytes */
	uint32_t key_len;
	uint32_t page_bits; /* a page is 1 << page_bits bytes */
	uint8_t key[40];    /* the build id, or whatever stands for it */
	uint64_t size;	    /* of the whole image */
	uint64_t checksum;
	uint8_t padding[24];
};

_Static_assert(sizeof(struct unwind_header) == 128, "stored layout");

/* The sources were damaged, or cost more than they may; rows are missing. */
#define UNWIND_PARTIAL 1

enum {
	UNWIND_VERSION = 1,
	UNWIND_PAGE_BITS_MIN = 9,
	UNWIND_PAGE_BITS_MAX = 12,
	UNWIND_RULE_BITS = 20,
	UNWIND_RULE_MASK = (1 << UNWIND_RULE_BITS) - 1,
	UNWIND_KEY_MAX = 40,
};

/*
 * A checked view of an image.  Once unwind_table_open() has accepted it,
 * lookups read nothing outside it, whatever it says; so it must not change
 * afterwards (never map the file: a truncated one would fault).  Any number of
 * threads and signal handlers may look up at once.
 */
struct unwind_table {
	const uint32_t *pages;
	const uint32_t *rows;
	const struct unwind_rule *rules;
	struct span expressions;
	uint64_t lo;
	uint64_t size; /* bytes of address space from lo on */
	uint32_t n_rows;
	uint32_t n_rules;
	uint16_t machine;
	uint16_t page_bits;
	uint32_t flags;
};

/*
 * Checks the image, which must be aligned to 8 and outlive the view.  Returns
 * 0 or -EBADMSG, with a sentence saying what is wrong.
 */
int unwind_table_open(struct unwind_table *t, struct span image,
		      struct error *err);

/*
 * Finishes an image whose counts, rows and rules are in place: the fields of
 * the header that say what it is and that it is whole.
 */
void unwind_table_seal(void *image, size_t len);

/* The name of the object that the image was made from; empty if unsound. */
struct span unwind_table_key(struct span image);

/*
 * The rule for an address of the object; NULL if the table says nothing about
 * it.  Safe anywhere.
 */
static inline const struct unwind_rule *unwind_table_find(
	const struct unwind_table *t, uint64_t addr)
{
	uint64_t offset = addr - t->lo;

	if (offset >= t->size)
		return NULL;

	uint64_t page = offset >> t->page_bits;
	uint32_t first = t->pages[page];
	uint32_t count = t->pages[page + 1] - first;
	uint32_t low = (uint32_t)offset & ((1u << t->page_bits) - 1);
	uint32_t key = low << UNWIND_RULE_BITS | UNWIND_RULE_MASK;
	const uint32_t *row = t->rows + first;

	/* They are in one cache line or two: then fetch both at once. */
	__builtin_prefetch(row);
	__builtin_prefetch(row + count);
	/* No branch depends on the rows, which nobody could predict. */
	while (count > 1) {
		uint32_t half = count / 2;

		row = row[half] <= key ? row + half : row;
		count -= half;
	}
	if (!count || *row > key) {
		/* The last row of an earlier page reaches into this one. */
		if (row == t->rows)
			return NULL;
		row--;
	}
	return &t->rules[*row & UNWIND_RULE_MASK];
}

#endif /* WICK_UNWIND_TABLE_H */
