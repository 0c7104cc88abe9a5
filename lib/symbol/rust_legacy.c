/* SPDX-License-Identifier: MIT */
/*
 * Rust's names in the scheme before v0: a C++ nested name whose identifiers
 * have escapes in them and whose last one is a hash, which is dropped.
 */
#include "symbol/mangling.h"

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static int hex_value(uint8_t c)
{
	if (is_digit(c))
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * Whether the name ends in 17h and 16 hexadecimal digits, as different as a
 * hash's are, and E.  *name becomes what is between _ZN and that.
 */
static bool strip_hash(struct span *name)
{
	const uint8_t *hash;
	unsigned seen = 0;
	unsigned different = 0;

	/* A suffix after the last E is not part of it. */
	for (size_t i = name->len; i-- > 1;) {
		if (name->at[i] == '.' && name->at[i - 1] == 'E') {
			name->len = i;
			break;
		}
	}
	if (!span_starts(*name, "_ZN") || name->len <= 23 ||
	    name->at[name->len - 1] != 'E')
		return false;
	hash = name->at + name->len - 17;
	if (memcmp(hash - 3, "17h", 3) != 0)
		return false;
	for (int i = 0; i < 16; i++) {
		if (hex_value(hash[i]) < 0)
			return false;
		seen |= 1u << hex_value(hash[i]);
	}
	*name = span_of(name->at + 3, name->len - 23);
	for (; seen; seen &= seen - 1)
		different++;
	return different >= 5;
}

/* One $..$ escape at the start of s; returns its length, 0: it is none. */
static size_t put_escape(struct span s, struct text *out)
{
	static const struct {
		char code[4];
		char means;
	} escapes[] = {
		{ "SP$", '@' }, { "BP$", '*' }, { "RF$", '&' }, { "LT$", '<' },
		{ "GT$", '>' }, { "LP$", '(' }, { "RP$", ')' },
	};

	if (s.len > 2 && s.at[1] == 'C' && s.at[2] == '$') {
		text_char(out, ',');
		return 3;
	}
	if (s.len > 4 && s.at[1] == 'u' && s.at[4] == '$') {
		int value = hex_value(s.at[2]) * 16 + hex_value(s.at[3]);

		if (hex_value(s.at[2]) < 0 || hex_value(s.at[3]) < 0 ||
		    value < ' ' || value > 0x7f)
			return 0;
		text_char(out, (char)value);
		return 5;
	}
	for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++) {
		if (s.len > 3 && !memcmp(s.at + 1, escapes[i].code, 3)) {
			text_char(out, escapes[i].means);
			return 4;
		}
	}
	return 0;
}

static void put_legacy(struct span id, struct text *out)
{
	/* An underscore makes an escape at the start an identifier. */
	if (span_starts(id, "_$"))
		id = span_of(id.at + 1, id.len - 1);
	while (id.len) {
		size_t used = 1;

		if (id.at[0] == '$') {
			used = put_escape(id, out);
			if (!used) {
				text_span(out, id);
				return;
			}
		} else if (span_starts(id, "..")) {
			text_put(out, "::");
			used = 2;
		} else {
			text_char(out, (char)id.at[0]);
		}
		id = span_of(id.at + used, id.len - used);
	}
}

/* The length before an identifier; false: there is none. */
static bool take_length(struct span *s, size_t *ret)
{
	int32_t len = 0;
	size_t i = 0;

	for (; i < s->len && is_digit(s->at[i]); i++) {
		int32_t digit = s->at[i] - '0';

		if (len >= INT32_MAX / 10 - digit)
			return false;
		len = len * 10 + digit;
	}
	if (i == 0)
		return false;
	/* An underscore may part the length from what it counts. */
	if (i < s->len && s->at[i] == '_') {
		if (len-- == 0)
			return false;
		i++;
	}
	*s = span_of(s->at + i, s->len - i);
	*ret = (size_t)len;
	return *ret <= s->len;
}

bool rust_legacy_demangle(struct span name, struct text *out)
{
	size_t start = out->used;
	size_t len;

	if (!strip_hash(&name))
		return false;
	while (name.len) {
		if (!take_length(&name, &len))
			return false;
		if (out->used > start)
			text_put(out, "::");
		put_legacy(span_of(name.at, len), out);
		name = span_of(name.at + len, name.len - len);
	}
	return !out->failed;
}
