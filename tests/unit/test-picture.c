/* SPDX-License-Identifier: MIT */
/* Pictures that can be panned. */
#include "pprof/picture.h"

#include <string.h>

#include "base/arena.h"
#include "base/sink.h"
#include "test.h"

static struct arena arena;

static const char *pannable(const char *svg)
{
	struct sink out = sink_to_memory(&arena);

	picture_make_pannable(span_text(svg), &out);
	sink_char(&out, '\0');
	return (const char *)sink_bytes(&out).at;
}

TEST(the_picture_fills_the_window_and_has_a_script)
{
	const char *text = pannable(
		"<?xml?>\n<svg width=\"8pt\" height=\"9pt\"\n"
		" viewBox=\"0 0 8 9\" xmlns=\"x\">\n"
		"<g id=\"graph0\"><a>&;</a></g>\n</svg>\n");
	const char *start = "<?xml?>\n<svg width=\"100%\" height=\"100%\" "
			    "xmlns=\"x\">\n<g id=\"viewport\">\n"
			    "<g id=\"graph0\"><a>&amp;;</a></g>\n</g>\n"
			    "<script><![CDATA[\n";

	CHECK(!strncmp(text, start, strlen(start)));
	CHECK(strstr(text, "]]></script>\n</svg>\n"));
	arena_release(&arena);
}

TEST(what_is_no_such_picture_stays_as_it_is)
{
	CHECK_STR(pannable("<svg>no graph</svg>"), "<svg>no graph</svg>");
	CHECK_STR(pannable(""), "");
	arena_release(&arena);
}
