/* SPDX-License-Identifier: MIT */
/*
 * /proc/PID/maps.  Names of files are up to whoever made them, so the text is
 * read with the care of any other input.
 */
#include "collect/procmaps.h"

static int digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return 99;
}

static uint64_t read_number(struct reader *r, int base)
{
	uint64_t value = 0;
	bool any = false;

	while (r->at < r->end && digit(*r->at) < base) {
		value = value * (uint64_t)base + (uint64_t)digit(*r->at++);
		any = true;
	}
	r->failed |= !any;
	return value;
}

static void expect(struct reader *r, uint8_t c)
{
	if (reader_u8(r) != c)
		r->failed = true;
}

static bool read_line(struct span line, struct procmap *ret)
{
	struct reader r = reader_of(line);
	struct span rights;

	*ret = (struct procmap){ .lo = read_number(&r, 16) };
	expect(&r, '-');
	ret->hi = read_number(&r, 16);
	expect(&r, ' ');
	rights = reader_take(&r, 4);
	ret->executable = rights.len == 4 && rights.at[2] == 'x';
	expect(&r, ' ');
	ret->offset = read_number(&r, 16);
	expect(&r, ' ');
	ret->major = (uint32_t)read_number(&r, 16);
	expect(&r, ':');
	ret->minor = (uint32_t)read_number(&r, 16);
	expect(&r, ' ');
	ret->inode = read_number(&r, 10);
	if (r.failed || ret->lo >= ret->hi)
		return false;
	while (r.at < r.end && *r.at == ' ')
		r.at++;
	ret->path = span_of(r.at, reader_left(&r));
	return true;
}

bool procmap_next(struct span *text, struct procmap *ret)
{
	while (text->len) {
		const uint8_t *end = memchr(text->at, '\n', text->len);
		size_t len = end ? (size_t)(end - text->at) : text->len;
		struct span line = span_of(text->at, len);

		*text = span_part(*text, len + (end != NULL),
				  text->len - len - (end != NULL));
		if (read_line(line, ret))
			return true;
	}
	return false;
}
