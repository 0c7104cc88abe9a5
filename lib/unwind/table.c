/* SPDX-License-Identifier: MIT */
/*
 * Accepts or refuses an image of rules.  All checking is done here, once, so
 * that the lookup in a signal handler needs none.
 */
#include "unwind/table.h"

#include <elf.h>
#include <errno.h>

#include "base/error.h"
#include "unwind/opcodes.h"

enum { LANES = 4 };

static const uint8_t magic[8] = "WICKUT\r\n";

/*
 * Four sums side by side, so that the multiplications overlap: a large table
 * is checked about as fast as it is read from the page cache.
 */
static uint64_t checksum(struct span image)
{
	const uint64_t prime = 0x9e3779b185ebca87u;
	uint64_t lane[LANES] = { 1, 2, 3, 4 };
	uint64_t sum = image.len;
	uint64_t word;
	size_t i = 0;

	for (; i + sizeof(lane) <= image.len; i += sizeof(lane)) {
		for (unsigned k = 0; k < LANES; k++) {
			memcpy(&word, image.at + i + 8 * k, 8);
			lane[k] = (lane[k] ^ word) * prime;
			lane[k] ^= lane[k] >> 31;
		}
	}
	for (; i < image.len; i++)
		lane[i % LANES] = (lane[i % LANES] ^ image.at[i]) * prime;
	for (unsigned k = 0; k < LANES; k++) {
		sum = (sum ^ lane[k]) * prime;
		sum ^= sum >> 29;
	}
	return sum;
}

/* The sum covers the header too, its own field taken as zero. */
static uint64_t image_checksum(struct span image, struct unwind_header head)
{
	struct span rest = span_part(image, sizeof(head),
				     image.len - sizeof(head));

	head.checksum = 0;
	return checksum(span_of(&head, sizeof(head))) ^ checksum(rest);
}

void unwind_table_seal(void *image, size_t len)
{
	struct unwind_header *h = image;

	memcpy(h->magic, magic, sizeof(magic));
	h->version = UNWIND_VERSION;
	h->size = len;
	h->checksum = image_checksum(span_of(image, len), *h);
}

static bool sizes_add_up(const struct unwind_header *h, size_t len)
{
	uint64_t want = sizeof(*h);

	want += 4 * ((uint64_t)h->n_pages + 1 + h->n_rows);
	want += sizeof(struct unwind_rule) * (uint64_t)h->n_rules;
	want += h->n_expressions;
	return want == len && h->size == len;
}

static bool pages_sound(const struct unwind_table *t, uint32_t n_pages)
{
	for (uint32_t i = 0; i < n_pages; i++)
		if (t->pages[i] > t->pages[i + 1])
			return false;
	return !t->pages[0] && t->pages[n_pages] == t->n_rows;
}

static bool rows_sound(const struct unwind_table *t)
{
	uint32_t highest = 0;

	for (uint32_t i = 0; i < t->n_rows; i++) {
		uint32_t rule = t->rows[i] & UNWIND_RULE_MASK;

		highest = rule > highest ? rule : highest;
	}
	return !t->n_rows || highest < t->n_rules;
}

static bool register_sound(unsigned where, int32_t offset)
{
	return where < UNWIND_WHERES &&
	       (where != UNWIND_IN_REG || (offset >= 0 && offset < 32));
}

static bool rule_sound(const struct unwind_rule *r, struct span expressions)
{
	if ((r->kind == UNWIND_REG || r->kind == UNWIND_CONTEXT) &&
	    (r->arg < 0 || r->arg > 31))
		return false;
	if (r->kind == UNWIND_EXPR) {
		struct span s = span_part(expressions, (uint32_t)r->cfa, 1);

		if (!s.len ||
		    !span_part(expressions, (uint32_t)r->cfa + 1u, s.at[0]).len)
			return false;
	}
	return r->kind < UNWIND_KINDS &&
	       register_sound(rule_ra_where(r), r->ra) &&
	       register_sound(rule_fp_where(r), r->fp) &&
	       register_sound(rule_extra_where(r), r->extra);
}

static bool rules_sound(const struct unwind_table *t)
{
	for (uint32_t i = 0; i < t->n_rules; i++)
		if (!rule_sound(&t->rules[i], t->expressions))
			return false;
	return true;
}

static struct unwind_table view_of(const struct unwind_header *h,
				   struct span image)
{
	const uint32_t *words = (const void *)(image.at + sizeof(*h));
	const struct unwind_rule *rules = (const void *)(words + h->n_pages +
							 1 + h->n_rows);

	return (struct unwind_table){
		.pages = words,
		.rows = words + h->n_pages + 1,
		.rules = rules,
		.expressions = span_of(rules + h->n_rules, h->n_expressions),
		.lo = h->text_lo,
		.size = (uint64_t)h->n_pages << h->page_bits,
		.page_bits = (uint16_t)h->page_bits,
		.n_rows = h->n_rows,
		.n_rules = h->n_rules,
		.machine = h->machine,
		.flags = h->flags,
	};
}

int unwind_table_open(struct unwind_table *t, struct span image,
		      struct error *err)
{
	const struct unwind_header *h = (const void *)image.at;

	*t = (struct unwind_table){ 0 };
	if (image.len < sizeof(*h) || (uintptr_t)image.at % 8 ||
	    memcmp(h->magic, magic, sizeof(magic)) != 0)
		return error_set(err, -EBADMSG, "not an unwind table");
	if (h->version != UNWIND_VERSION)
		return error_set(err, -EBADMSG, "unwind table of version %u",
				 h->version);
	if (h->machine != EM_X86_64 && h->machine != EM_AARCH64)
		return error_set(err, -EBADMSG,
				 "unwind table for unknown machine %u",
				 h->machine);
	if (!sizes_add_up(h, image.len) || h->key_len > UNWIND_KEY_MAX ||
	    h->page_bits < UNWIND_PAGE_BITS_MIN ||
	    h->page_bits > UNWIND_PAGE_BITS_MAX ||
	    image_checksum(image, *h) != h->checksum)
		return error_set(err, -EBADMSG, "damaged unwind table");

	struct unwind_table view = view_of(h, image);

	if (!pages_sound(&view, h->n_pages) || !rows_sound(&view) ||
	    !rules_sound(&view))
		return error_set(err, -EBADMSG, "inconsistent unwind table");
	*t = view;
	return 0;
}

struct span unwind_table_key(struct span image)
{
	const struct unwind_header *h = (const void *)image.at;

	if (image.len < sizeof(*h) || h->key_len > UNWIND_KEY_MAX)
		return (struct span){ 0 };
	return span_of(h->key, h->key_len);
}
