/* SPDX-License-Identifier: MIT */
/* See fmt.h.  One conversion at a time, nothing kept between them. */
#include "base/fmt.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/check.h"
#include "base/digits.h"

struct conversion {
	bool left;
	bool zero;
	int width;
	int precision; /* -1: none */
	int size;      /* 0 int, 1 long, 2 long long, 3 size_t, 4 intmax_t */
	char kind;
};

static int parse_number(const char **format, va_list *ap)
{
	int n = 0;

	if (**format == '*') {
		(*format)++;
		return va_arg(*ap, int);
	}
	while (**format >= '0' && **format <= '9')
		n = n * 10 + (*(*format)++ - '0');
	return n;
}

static int parse_size(const char **format)
{
	switch (**format) {
	case 'l':
		(*format)++;
		if (**format != 'l')
			return 1;
		(*format)++;
		return 2;
	case 'z':
		(*format)++;
		return 3;
	case 'j':
		(*format)++;
		return 4;
	default:
		return 0;
	}
}

/* *format stands behind the '%'; it is left behind the conversion. */
static struct conversion parse(const char **format, va_list *ap)
{
	struct conversion c = { .precision = -1 };

	for (;; (*format)++) {
		if (**format == '-')
			c.left = true;
		else if (**format == '0')
			c.zero = true;
		else
			break;
	}
	c.width = parse_number(format, ap);
	if (**format == '.') {
		(*format)++;
		c.precision = parse_number(format, ap);
	}
	c.size = parse_size(format);
	c.kind = *(*format)++;
	return c;
}

static intmax_t take_signed(const struct conversion *c, va_list *ap)
{
	switch (c->size) {
	case 0:
		return va_arg(*ap, int);
	case 1:
		return va_arg(*ap, long);
	case 2:
		return va_arg(*ap, long long);
	default:
		return va_arg(*ap, intmax_t);
	}
}

static uintmax_t take_unsigned(const struct conversion *c, va_list *ap)
{
	switch (c->size) {
	case 0:
		return va_arg(*ap, unsigned);
	case 1:
		return va_arg(*ap, unsigned long);
	case 2:
		return va_arg(*ap, unsigned long long);
	default:
		return va_arg(*ap, uintmax_t);
	}
}

/* Digits of value before end; returns the first. */
static char *hex_before(char *end, uintmax_t value)
{
	for (; value >= 16; value /= 16)
		*--end = "0123456789abcdef"[value % 16];
	*--end = "0123456789abcdef"[value];
	return end;
}

static void pad(fmt_out *out, void *to, char with, int count)
{
	char run[32];

	memset(run, with, sizeof(run));
	for (; count > 0; count -= (int)sizeof(run))
		out(to, run,
		    count < (int)sizeof(run) ? (size_t)count : sizeof(run));
}

static void put(fmt_out *out, void *to, const struct conversion *c,
		const char *text, size_t len)
{
	int gap = c->width > (int)len ? c->width - (int)len : 0;

	if (c->zero && !c->left && len && *text == '-') {
		out(to, text, 1);
		text++;
		len--;
	}
	if (!c->left)
		pad(out, to, c->zero ? '0' : ' ', gap);
	out(to, text, len);
	if (c->left)
		pad(out, to, ' ', gap);
}

static void put_signed(fmt_out *out, void *to, const struct conversion *c,
		       intmax_t value)
{
	char buf[32];
	char *end = buf + sizeof(buf);
	uintmax_t size = value < 0 ? -(uintmax_t)value : (uintmax_t)value;
	char *text = digits_before(end, size);

	if (value < 0)
		*--text = '-';
	put(out, to, c, text, (size_t)(end - text));
}

static void put_unsigned(fmt_out *out, void *to, const struct conversion *c,
			 uintmax_t value)
{
	char buf[32];
	char *end = buf + sizeof(buf);
	char *text = c->kind == 'x' ? hex_before(end, value)
				    : digits_before(end, value);

	put(out, to, c, text, (size_t)(end - text));
}

static void put_string(fmt_out *out, void *to, const struct conversion *c,
		       const char *text)
{
	if (!text)
		text = "(null)";
	put(out, to, c, text,
	    c->precision < 0 ? strlen(text)
			     : strnlen(text, (size_t)c->precision));
}

static void convert(fmt_out *out, void *to, const struct conversion *c,
		    va_list *ap)
{
	char one;

	switch (c->kind) {
	case 's':
		put_string(out, to, c, va_arg(*ap, const char *));
		return;
	case 'd':
	case 'i':
		put_signed(out, to, c, take_signed(c, ap));
		return;
	case 'u':
	case 'x':
		put_unsigned(out, to, c, take_unsigned(c, ap));
		return;
	case 'c':
		one = (char)va_arg(*ap, int);
		put(out, to, c, &one, 1);
		return;
	default:
		ASSERT(c->kind == '%');
		out(to, "%", 1);
	}
}

void fmt_stream(fmt_out *out, void *to, const char *format, va_list ap)
{
	va_list args;

	va_copy(args, ap);
	while (*format) {
		size_t plain = strcspn(format, "%");
		struct conversion c;

		if (plain)
			out(to, format, plain);
		format += plain;
		if (!*format)
			break;
		format++;
		c = parse(&format, &args);
		convert(out, to, &c, &args);
	}
	va_end(args);
}

struct buffer {
	char *text;
	size_t size;
	size_t len; /* as if there were room for all */
};

static void buffer_out(void *to, const char *text, size_t len)
{
	struct buffer *b = to;
	size_t room = b->size > b->len ? b->size - b->len : 0;

	memcpy(b->text + (room ? b->len : 0), text, len < room ? len : room);
	b->len += len;
}

size_t fmt_va(char *buf, size_t size, const char *format, va_list ap)
{
	struct buffer b = { .text = buf, .size = size };

	fmt_stream(buffer_out, &b, format, ap);
	if (size)
		buf[b.len < size ? b.len : size - 1] = '\0';
	return b.len;
}

size_t fmt_text(char *buf, size_t size, const char *format, ...)
{
	va_list ap;
	size_t len;

	va_start(ap, format);
	len = fmt_va(buf, size, format, ap);
	va_end(ap);
	return len;
}
