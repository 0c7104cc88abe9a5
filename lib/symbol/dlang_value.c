/* SPDX-License-Identifier: MIT */
/* The values that D's template arguments can have. */
#include "symbol/dlang.h"

static void put(struct dlang *d, const char *s)
{
	text_put(d->out, s);
}

static void put_hex(struct dlang *d, uint32_t value, int digits)
{
	for (int i = digits - 1; i >= 0; i--)
		text_char(d->out, "0123456789abcdef"[value >> 4 * i & 15]);
}

static int hex_value(uint8_t c)
{
	if (dlang_is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static void put_character(struct dlang *d, uint8_t type)
{
	uint32_t value;

	if (!dlang_number(d, &value))
		return;
	put(d, "'");
	if (type == 'a' && value >= 0x20 && value < 0x7f) {
		text_char(d->out, (char)value);
	} else if (type == 'a') {
		put(d, "\\x");
		put_hex(d, value, 2);
	} else {
		put(d, type == 'u' ? "\\u" : "\\U");
		put_hex(d, value, type == 'u' ? 4 : 8);
	}
	put(d, "'");
}

/* Digits of any length, and what the type adds to them. */
static void put_integer(struct dlang *d, uint8_t type)
{
	size_t start = d->at;
	uint32_t value;

	if (type == 'a' || type == 'u' || type == 'w') {
		put_character(d, type);
		return;
	}
	if (type == 'b') {
		if (dlang_number(d, &value))
			put(d, value ? "true" : "false");
		return;
	}
	while (dlang_is_digit(dlang_peek(d)))
		d->at++;
	if (d->at == start)
		dlang_fail(d);
	text_span(d->out, span_of(d->name.at + start, d->at - start));
	if (type == 'h' || type == 't' || type == 'k')
		put(d, "u");
	else if (type == 'l')
		put(d, "L");
	else if (type == 'm')
		put(d, "uL");
}

/* NAN | [N] INF | [N] <hex digits> P [N] <digits> */
static void put_real(struct dlang *d)
{
	struct span rest = span_of(d->name.at + d->at, d->name.len - d->at);

	if (span_starts(rest, "NAN")) {
		d->at += 3;
		put(d, "NaN");
		return;
	}
	if (dlang_eat(d, 'N'))
		put(d, "-");
	rest = span_of(d->name.at + d->at, d->name.len - d->at);
	if (span_starts(rest, "INF")) {
		d->at += 3;
		put(d, "Inf");
		return;
	}
	if (hex_value(dlang_peek(d)) < 0) {
		dlang_fail(d);
		return;
	}
	put(d, "0x");
	text_char(d->out, (char)dlang_peek(d));
	put(d, ".");
	for (d->at++; hex_value(dlang_peek(d)) >= 0; d->at++)
		text_char(d->out, (char)dlang_peek(d));
	if (!dlang_eat(d, 'P')) {
		dlang_fail(d);
		return;
	}
	put(d, dlang_eat(d, 'N') ? "p-" : "p");
	for (; dlang_is_digit(dlang_peek(d)); d->at++)
		text_char(d->out, (char)dlang_peek(d));
}

static void put_quoted(struct dlang *d, uint8_t c)
{
	static const char named[] = "\t\n\r\f\v";
	static const char names[] = "tnrfv";
	const char *at = c ? strchr(named, c) : NULL;

	if (at) {
		put(d, "\\");
		text_char(d->out, names[at - named]);
	} else if (c >= 0x20 && c < 0x7f) {
		text_char(d->out, (char)c);
	} else {
		put(d, "\\x");
		put_hex(d, c, 2);
	}
}

/* (a | w | d) <length> _ <hex digits> */
static void put_string(struct dlang *d, uint8_t kind)
{
	uint32_t len;

	if (!dlang_number(d, &len) || !dlang_eat(d, '_')) {
		dlang_fail(d);
		return;
	}
	put(d, "\"");
	for (uint32_t i = 0; i < len && !d->failed; i++) {
		int high = hex_value(dlang_peek_at(d, 0));
		int low = hex_value(dlang_peek_at(d, 1));

		if (high < 0 || low < 0) {
			dlang_fail(d);
			return;
		}
		put_quoted(d, (uint8_t)(high * 16 + low));
		d->at += 2;
	}
	put(d, "\"");
	if (kind != 'a')
		text_char(d->out, (char)kind);
}

/* Values without a type of their own. */
static void inner_value(struct dlang *d)
{
	dlang_value(d, 0, d->out->used);
}

/* <count> and that many values, or pairs of them. */
static void put_values(struct dlang *d, bool pairs)
{
	uint32_t count;

	if (!dlang_number(d, &count))
		return;
	for (uint32_t i = 0; i < count && !d->failed; i++) {
		if (i)
			put(d, ", ");
		inner_value(d);
		if (!pairs)
			continue;
		put(d, ":");
		inner_value(d);
	}
}

static void put_number(struct dlang *d, uint8_t type)
{
	if (dlang_eat(d, 'N'))
		put(d, "-");
	else
		(void)dlang_eat(d, 'i'); /* older names have only digits */
	if (!dlang_is_digit(dlang_peek(d)))
		dlang_fail(d);
	else
		put_integer(d, type);
}

static void put_complex(struct dlang *d)
{
	put_real(d);
	put(d, "+");
	if (!dlang_eat(d, 'c'))
		dlang_fail(d);
	put_real(d);
	put(d, "i");
}

static void value(struct dlang *d, uint8_t type, uint8_t kind)
{
	switch (kind) {
	case 'n':
		put(d, "null");
		break;
	case 'e':
		put_real(d);
		break;
	case 'c':
		put_complex(d);
		break;
	case 'a':
	case 'w':
	case 'd':
		put_string(d, kind);
		break;
	case 'A':
		put(d, "[");
		put_values(d, type == 'H');
		put(d, "]");
		break;
	case 'S':
		put(d, "(");
		put_values(d, false);
		put(d, ")");
		break;
	case 'f':
		dlang_mangled(d);
		break;
	default:
		dlang_fail(d);
		break;
	}
}

void dlang_value(struct dlang *d, uint8_t type, size_t start)
{
	uint8_t kind = dlang_peek(d);

	if (!dlang_enter(d))
		return;
	if (kind != 'S')
		d->out->used = start;
	if (kind == 'N' || kind == 'i' || dlang_is_digit(kind)) {
		put_number(d, type);
	} else {
		d->at++;
		value(d, type, kind);
	}
	d->depth--;
}
