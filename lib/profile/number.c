/* SPDX-License-Identifier: MIT */
/* See number.h. */
#include "profile/number.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/decimal.h"
#include "base/sink.h"
#include "profile/unit.h"

/* Two decimals, less a final ".00". */
static struct decimal short_decimal(double value)
{
	struct decimal d = decimal_fixed(value, 2);

	if (d.len > 3 && !memcmp(d.text + d.len - 3, ".00", 3)) {
		d.len -= 3;
		d.text[d.len] = '\0';
	}
	return d;
}

const char *number_label(struct arena *arena, int64_t value, const char *from,
			 const char *to)
{
	struct measure m = unit_scale(value, from, to);
	struct decimal number = short_decimal(m.value);
	size_t unit = strlen(m.unit);
	char *label;

	if (!strcmp(number.text, "0") || !strcmp(number.text, "-0"))
		return "0";
	label = arena_alloc(arena, number.len + unit + 1);
	if (!label)
		return "";
	memcpy(label, number.text, number.len);
	memcpy(label + number.len, m.unit, unit);
	return label;
}

struct percent percent_of(int64_t value, int64_t total)
{
	enum { WIDTH = 5 };
	struct percent p = { .text = "    " };
	struct decimal number = { "100", 3 };
	double ratio = 0;
	size_t pad;

	if (total)
		ratio = fabs((double)value / (double)total) * 100;
	if (ratio < 1.0)
		number = decimal_short(ratio);
	else if (!(ratio >= 99.95 && ratio <= 100.05))
		number = decimal_fixed(ratio, 2);
	pad = number.len < WIDTH ? WIDTH - number.len : 0;
	memcpy(p.text + pad, number.text, number.len);
	p.len = pad + number.len + 1;
	memcpy(p.text + p.len - 1, "%", sizeof("%"));
	return p;
}

const char *skip_spaces(const char *text)
{
	return text + strspn(text, " ");
}

/* The length of the character at the front; 1 for a byte that begins none. */
static size_t rune_length(struct span s)
{
	static const struct {
		uint8_t lead_from, lead_to, second_from, second_to, length;
	} forms[] = {
		{ 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 },
		{ 0xe1, 0xec, 0x80, 0xbf, 3 }, { 0xed, 0xed, 0x80, 0x9f, 3 },
		{ 0xee, 0xef, 0x80, 0xbf, 3 }, { 0xf0, 0xf0, 0x90, 0xbf, 4 },
		{ 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};

	for (size_t f = 0; s.at[0] >= 0x80 && f < sizeof(forms) / 5; f++) {
		if (s.at[0] < forms[f].lead_from || s.at[0] > forms[f].lead_to)
			continue;
		if (s.len < forms[f].length || s.at[1] < forms[f].second_from ||
		    s.at[1] > forms[f].second_to)
			return 1;
		for (size_t i = 2; i < forms[f].length; i++)
			if ((s.at[i] & 0xc0) != 0x80)
				return 1;
		return forms[f].length;
	}
	return 1;
}

size_t rune_count(struct span text)
{
	size_t count = 0;

	for (; text.len; count++) {
		size_t len = rune_length(text);

		text = span_of(text.at + len, text.len - len);
	}
	return count;
}

static bool is_ascii(struct span text)
{
	uint8_t any = 0;

	for (size_t i = 0; i < text.len; i++)
		any |= text.at[i];
	return any < 0x80;
}

void put_right(struct sink *out, struct span text, size_t width)
{
	size_t count = is_ascii(text) ? text.len : rune_count(text);

	if (count < width)
		sink_repeat(out, ' ', width - count);
	sink_span(out, text);
}
