/* SPDX-License-Identifier: MIT */
/*
 * See message.h.  One write per line: lines of several processes that share a
 * terminal or a log do not mix.
 */
#include "term/message.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/fmt.h"
#include "base/sink.h"

void message(const char *format, ...)
{
	char text[1024];
	char line[1040];
	struct sink out = sink_to_fd(STDERR_FILENO, line, sizeof(line));
	va_list ap;

	va_start(ap, format);
	fmt_va(text, sizeof(text), format, ap);
	va_end(ap);
	for (char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?'; /* names come from files: no second line */
	sink_format(&out, "wick: %s\n", text);
	(void)sink_flush(&out); /* nobody is left to be told */
}
