/* SPDX-License-Identifier: MIT */
/*
 * The fields of callgrind's format, each added to a line that is being made:
 * there is room for it, and where it ends is returned.
 */
#ifndef WICK_REPORT_CALLGRIND_TEXT_H
#define WICK_REPORT_CALLGRIND_TEXT_H

#include <stdint.h>
#include <string.h>

#include "base/digits.h"
#include "base/sink.h"
#include "profile/node.h"
#include "profile/unit.h"
#include "report/context.h"

static inline char *add_text(char *at, const char *text)
{
	size_t len = strlen(text);

	memcpy(at, text, len);
	return at + len;
}

static inline char *add_number(char *at, int64_t value)
{
	uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;

	if (value < 0)
		*at++ = '-';
	return digits_add(at, size);
}

static inline int hex_count(uint64_t value)
{
	return value ? (67 - __builtin_clzll(value)) / 4 : 1;
}

static inline char *add_hex(char *at, uint64_t value)
{
	at = add_text(at, "0x");
	for (int i = hex_count(value) - 1; i >= 0; i--)
		*at++ = "0123456789abcdef"[value >> (4 * i) & 15];
	return at;
}

/* The number of a name that is written in full elsewhere; 0: no name. */
static inline char *add_reference(char *at, const char *field, uint32_t number)
{
	at = add_text(at, field);
	if (!number) {
		*at++ = '\n';
		return at;
	}
	*at++ = '(';
	at = add_number(at, number);
	return add_text(at, ")\n");
}

/* Relative to the entry before where that is shorter. */
static inline char *add_address(char *at, uint64_t address,
				const struct node_info *before)
{
	int64_t step;
	uint64_t size;

	if (!before)
		return add_hex(at, address);
	step = (int64_t)(address - before->address);
	if (!step) {
		*at++ = '*';
		return at;
	}
	/* Each has a sign, and 0x is one more. */
	size = step < 0 ? -(uint64_t)step : (uint64_t)step;
	if ((int)digits_count(size) > hex_count(address))
		return add_hex(at, address);
	*at++ = step < 0 ? '-' : '+';
	return digits_add(at, size);
}

/* The unit of all costs, which are integers. */
struct cost_unit {
	const char *from;
	const char *to;
	struct conversion conversion;
	bool converts; /* or each value on its own */
};

static inline struct cost_unit cost_unit_of(const struct report_context *c)
{
	struct cost_unit u = { .from = c->sample_unit, .to = c->unit };

	u.converts = unit_conversion(&u.conversion, u.from, u.to);
	return u;
}

static inline int64_t cost_in_unit(const struct cost_unit *u, int64_t value)
{
	if (!u->converts)
		return integer_part(unit_scale(value, u->from, u->to).value);
	return integer_part((double)value * u->conversion.multiply /
			    u->conversion.divide);
}

/* The lines that a file begins with. */
static inline void put_callgrind_header(struct sink *out,
					const struct report_context *c)
{
	sink_text(out, "positions: instr line\n");
	sink_format(out, "events: %s(%s)\n", c->type, c->unit);
}

#endif /* WICK_REPORT_CALLGRIND_TEXT_H */
