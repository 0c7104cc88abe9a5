/* SPDX-License-Identifier: MIT */
/* See sink.h.  Short writes and EINTR are handled here and nowhere else. */
#include "base/sink.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/digits.h"
#include "base/fmt.h"

struct sink sink_to_fd(int fd, char *buf, size_t size)
{
	ASSERT(fd >= 0 && size > 0);
	return (struct sink){ .fd = fd, .buf = buf, .size = size };
}

struct sink sink_to_function(sink_take *take, void *context, char *buf,
			     size_t size)
{
	ASSERT(take && size > 0);
	return (struct sink){ .fd = -1,
			      .take = take,
			      .context = context,
			      .buf = buf,
			      .size = size };
}

struct sink sink_to_memory(struct arena *arena)
{
	return (struct sink){ .fd = -1, .arena = arena };
}

int fd_write(int fd, struct span bytes)
{
	while (bytes.len) {
		ssize_t n = write(fd, bytes.at, bytes.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		bytes = span_of(bytes.at + n, bytes.len - (size_t)n);
	}
	return 0;
}

static bool is_memory(const struct sink *s)
{
	return s->fd < 0 && !s->take;
}

static void hand_on(struct sink *s, const char *p, size_t len)
{
	struct span bytes = span_of(p, len);

	if (!len || s->error)
		return;
	s->error = s->take ? s->take(s->context, bytes)
			   : fd_write(s->fd, bytes);
}

static void memory_reserve(struct sink *s, size_t len)
{
	size_t size = s->size ? s->size : 256;
	char *grown;

	while (size - s->used < len) {
		if (__builtin_mul_overflow(size, 2, &size)) {
			s->error = -ENOMEM;
			return;
		}
	}
	grown = arena_resize(s->arena, s->buf, s->size, size);
	if (!grown) {
		s->error = -ENOMEM;
		return;
	}
	s->buf = grown;
	s->size = size;
}

/* Makes room for len bytes, or for as many as the buffer holds. */
static void make_room(struct sink *s, size_t len)
{
	if (s->size - s->used >= len)
		return;
	if (is_memory(s)) {
		memory_reserve(s, len);
		return;
	}
	hand_on(s, s->buf, s->used);
	s->used = 0;
}

void sink_write(struct sink *s, const void *p, size_t len)
{
	if (s->error || !len)
		return;
	make_room(s, len);
	if (s->error)
		return;

	s->total += len;
	if (s->size - s->used < len) {
		hand_on(s, p, len);
		return;
	}
	memcpy(s->buf + s->used, p, len);
	s->used += len;
}

char *sink_room(struct sink *s, size_t len)
{
	ASSERT(is_memory(s) || len <= s->size);
	if (!s->error)
		make_room(s, len);
	return s->error ? NULL : s->buf + s->used;
}

void sink_filled(struct sink *s, size_t len)
{
	ASSERT(len <= s->size - s->used);
	s->used += len;
	s->total += len;
}

void sink_span(struct sink *s, struct span text)
{
	sink_write(s, text.at, text.len);
}

void sink_text(struct sink *s, const char *text)
{
	sink_write(s, text, strlen(text));
}

void sink_char(struct sink *s, char c)
{
	sink_write(s, &c, 1);
}

void sink_repeat(struct sink *s, char c, size_t count)
{
	char run[64];

	memset(run, c, sizeof(run));
	for (; count > sizeof(run); count -= sizeof(run))
		sink_write(s, run, sizeof(run));
	sink_write(s, run, count);
}

void sink_clean(struct sink *s, struct span text)
{
	for (size_t i = 0; i < text.len; i++) {
		bool control = text.at[i] < ' ' || text.at[i] == 0x7f;

		sink_char(s, control ? '?' : (char)text.at[i]);
	}
}

void sink_uleb(struct sink *s, uint64_t value)
{
	uint8_t bytes[10];
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[n++] = (uint8_t)(value | 0x80);
	bytes[n++] = (uint8_t)value;
	sink_write(s, bytes, n);
}

static void put_padded(struct sink *s, const char *text, size_t len,
		       size_t width)
{
	if (len < width)
		sink_repeat(s, ' ', width - len);
	sink_write(s, text, len);
}

void sink_number(struct sink *s, int64_t value, size_t width)
{
	char buf[DIGITS_MAX + 1];
	char *end = buf + sizeof(buf);
	uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
	char *text = digits_before(end, size);

	if (value < 0)
		*--text = '-';
	put_padded(s, text, (size_t)(end - text), width);
}

void sink_unsigned(struct sink *s, uint64_t value, size_t width)
{
	char buf[DIGITS_MAX];
	char *end = buf + sizeof(buf);
	char *text = digits_before(end, value);

	put_padded(s, text, (size_t)(end - text), width);
}

static void format_out(void *to, const char *text, size_t len)
{
	sink_write(to, text, len);
}

void sink_format(struct sink *s, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	fmt_stream(format_out, s, format, ap);
	va_end(ap);
}

int sink_flush(struct sink *s)
{
	if (!is_memory(s)) {
		hand_on(s, s->buf, s->used);
		s->used = 0;
	}
	return s->error;
}

struct span sink_bytes(const struct sink *s)
{
	return span_of(s->buf, s->used);
}
