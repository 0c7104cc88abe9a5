/* SPDX-License-Identifier: MIT */
/* Text from outside within markup. */
#include "base/markup.h"

#include <string.h>

#include "base/arena.h"
#include "base/sink.h"
#include "test.h"

static const char *marked_up(struct span text, size_t most)
{
	static struct arena arena;
	struct sink out = sink_to_memory(&arena);

	sink_markup(&out, text, most);
	sink_char(&out, '\0');
	return out.buf;
}

#define MARKED_UP(literal) \
	marked_up(span_of((literal), sizeof(literal) - 1), 100)

TEST(markup_in_text_is_text)
{
	CHECK_STR(MARKED_UP("<img src=x onerror='a(\"&\")'>"),
		  "&lt;img src=x onerror=&#39;a(&quot;&amp;&quot;)&#39;&gt;");
	CHECK_STR(MARKED_UP("]]>"), "]]&gt;");
	CHECK_STR(MARKED_UP("operator new"), "operator new");
}

TEST(what_is_no_utf8_is_replaced_byte_by_byte)
{
	CHECK_STR(MARKED_UP("a\xff\xfez"), "a\xef\xbf\xbd\xef\xbf\xbdz");
	CHECK_STR(MARKED_UP("\xc3"), "\xef\xbf\xbd");
	CHECK_STR(MARKED_UP("\xed\xa0\x80"),
		  "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	CHECK_STR(MARKED_UP("\xef\xbf\xbf"), "\xef\xbf\xbd");
	CHECK_STR(MARKED_UP("na\xc3\xafve"), "na\xc3\xafve");
}

TEST(what_can_not_be_seen_is_spelled_out)
{
	CHECK_STR(MARKED_UP("a\0b\x1b[31m\n"), "a\\u{0}b\\u{1b}[31m\\u{a}");
	CHECK_STR(MARKED_UP("x\xe2\x80\xaey"), "x\\u{202e}y");
	CHECK_STR(MARKED_UP("x\xe2\x80\x8by\x7f\xc2\x85"),
		  "x\\u{200b}y\\u{7f}\\u{85}");
}

TEST(long_text_ends_with_an_ellipsis)
{
	CHECK_STR(marked_up(span_text("abcdef"), 6), "abcdef");
	CHECK_STR(marked_up(span_text("abcdefg"), 6), "abcde\xe2\x80\xa6");
	CHECK_STR(marked_up(span_text("<<<<"), 3), "&lt;&lt;\xe2\x80\xa6");
}

TEST(what_fits_is_measured_in_columns)
{
	CHECK_EQ(markup_fit(span_text("abcdef"), 4).len, 4);
	CHECK_EQ(markup_fit(span_text("abc"), 4).len, 3);
	CHECK_EQ(markup_fit(span_text("a\xe4\xbd\xa0z"), 2).len, 1);
	CHECK_EQ(markup_fit(span_text("a\xe4\xbd\xa0z"), 3).len, 4);
	CHECK_EQ(markup_fit(span_text("a\nb"), 8).len, 1);
	CHECK_EQ(markup_fit(span_text("abc"), 0).len, 0);
}
