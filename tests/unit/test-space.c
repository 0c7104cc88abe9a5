/* SPDX-License-Identifier: MIT */
/* Spaces around a text. */
#include "base/space.h"

#include "test.h"

static const char *text_of(struct span s)
{
	static char buf[100];

	CHECK(s.len < sizeof(buf));
	if (s.len)
		memcpy(buf, s.at, s.len);
	buf[s.len] = '\0';
	return buf;
}

TEST(spaces_of_all_kinds_are_trimmed)
{
	CHECK_STR(text_of(span_trim(span_text(" \t\v\f\r\n a b\u00a0\u3000"))),
		  "a b");
	CHECK_STR(text_of(span_trim(span_text("\xc2\x85x\u2028"))), "x");
	CHECK_STR(text_of(span_trim(span_text("\u200bx"))), "\u200bx");
	CHECK_STR(text_of(span_trim(span_text("\xe3\x80x\x80"))),
		  "\xe3\x80x\x80");
	CHECK_STR(text_of(span_trim(span_text(" \u2009 "))), "");
}
