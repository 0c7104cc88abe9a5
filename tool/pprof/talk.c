/* SPDX-License-Identifier: MIT */
/* See talk.h. */
#include "pprof/talk.h"

#include <stdarg.h>
#include <unistd.h>

#include "base/fmt.h"
#include "base/sink.h"

void talk_text(struct span text)
{
	char buf[4096];
	struct sink out = sink_to_fd(STDERR_FILENO, buf, sizeof(buf));

	sink_span(&out, text);
	if (!text.len || text.at[text.len - 1] != '\n')
		sink_char(&out, '\n');
	(void)sink_flush(&out); /* nobody is left to be told */
}

void talk(const char *format, ...)
{
	char text[2048];
	va_list ap;
	size_t len;

	va_start(ap, format);
	len = fmt_va(text, sizeof(text), format, ap);
	va_end(ap);
	if (len >= sizeof(text))
		len = sizeof(text) - 1;
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			text[i] = '?'; /* names may come from strangers */
	talk_text(span_of(text, len));
}
