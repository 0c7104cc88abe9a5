/* SPDX-License-Identifier: MIT */
/*
 * The mappings of a process, as the kernel prints them: "start-end rwxp offset
 * major:minor inode   path".  The path is the process's to choose, so nothing
 * in it is believed; the kernel escapes its newlines.
 */
#include "symbol/maps.h"

#include "symbol/textline.h"

static const char deleted_mark[] = " (deleted)";

static bool take_decimal(struct span *s, uint64_t *value)
{
	size_t i = 0;

	*value = 0;
	for (; i < s->len && s->at[i] >= '0' && s->at[i] <= '9'; i++)
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, (uint64_t)s->at[i] - '0',
					   value))
			return false;
	*s = span_part(*s, i, s->len - i);
	return i > 0;
}

static bool take_device(struct span *s, struct map_line *m)
{
	uint64_t major, minor;

	if (!textline_hex(s, ':', &major) || !textline_hex(s, ' ', &minor))
		return false;
	m->major = (uint32_t)major;
	m->minor = (uint32_t)minor;
	return true;
}

static void take_path(struct span s, struct map_line *m)
{
	const size_t mark = sizeof(deleted_mark) - 1;

	while (s.len && s.at[0] == ' ')
		s = span_part(s, 1, s.len - 1);
	/* A file may be called so; one without a file's inode is not. */
	if (s.len > mark && m->inode &&
	    !memcmp(s.at + s.len - mark, deleted_mark, mark)) {
		m->deleted = true;
		s.len -= mark;
	}
	m->path = s;
}

static bool read_line(struct span s, struct map_line *m)
{
	*m = (struct map_line){ 0 };
	if (!textline_hex(&s, '-', &m->start) ||
	    !textline_hex(&s, ' ', &m->end) || m->end <= m->start || s.len < 5)
		return false;
	m->executable = s.at[2] == 'x';
	s = span_part(s, 5, s.len - 5);
	if (!textline_hex(&s, ' ', &m->offset) || !take_device(&s, m) ||
	    !take_decimal(&s, &m->inode))
		return false;
	take_path(s, m);
	return true;
}

bool maps_next(struct reader *text, struct map_line *ret)
{
	struct span line;

	while (textline_next(text, &line))
		if (read_line(line, ret))
			return true;
	return false;
}

/* Whether an octal escape stands at i, as the kernel writes '\n'. */
static bool is_escape(struct span s, size_t i)
{
	if (s.at[i] != '\\' || s.len - i < 4 || s.at[i + 1] > '3')
		return false;
	for (size_t k = 1; k < 4; k++)
		if (s.at[i + k] < '0' || s.at[i + k] > '7')
			return false;
	return true;
}

size_t maps_path(const struct map_line *m, char *path, size_t size)
{
	const struct span s = m->path;
	size_t n = 0;

	for (size_t i = 0; i < s.len && n < size; n++) {
		if (is_escape(s, i)) {
			path[n] = (char)((s.at[i + 1] - '0') << 6 |
					 (s.at[i + 2] - '0') << 3 |
					 (s.at[i + 3] - '0'));
			i += 4;
		} else {
			path[n] = (char)s.at[i++];
		}
	}
	if (n >= size)
		n = 0;
	path[n] = '\0';
	return n;
}
