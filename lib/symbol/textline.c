/* SPDX-License-Identifier: MIT */
/* See textline.h. */
#include "symbol/textline.h"

bool textline_next(struct reader *r, struct span *line)
{
	const uint8_t *end;
	size_t len = reader_left(r);

	if (!len)
		return false;
	end = memchr(r->at, '\n', len);
	*line = reader_take(r, end ? (uint64_t)(end - r->at) : len);
	if (end)
		reader_u8(r);
	if (line->len && line->at[line->len - 1] == '\r')
		line->len--;
	return true;
}

static int hex_digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool textline_hex(struct span *s, char end, uint64_t *value)
{
	size_t i = 0;

	*value = 0;
	if (s->len > 2 && s->at[0] == '0' && (s->at[1] | 0x20) == 'x')
		*s = span_part(*s, 2, s->len - 2);
	for (; i < s->len && hex_digit(s->at[i]) >= 0; i++) {
		if (i == 16)
			return false;
		*value = *value << 4 | (unsigned)hex_digit(s->at[i]);
	}
	if (!i || i == s->len || s->at[i] != (uint8_t)end)
		return false;
	*s = span_part(*s, i + 1, s->len - i - 1);
	return true;
}
