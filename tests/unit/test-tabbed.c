/* SPDX-License-Identifier: MIT */
/* Columns are as wide as their cells, and end where there are none. */
#include "report/tabbed.h"

#include "base/arena.h"
#include "base/sink.h"
#include "test.h"

static struct arena arena;

static const char *tabbed(const char *text)
{
	struct sink out = sink_to_memory(&arena);
	struct span got;

	CHECK_EQ(put_tabbed(&out, span_text(text), &arena), 0);
	got = sink_bytes(&out);
	return arena_text(&arena, (const char *)got.at, got.len);
}

TEST(cells_are_aligned_to_the_right)
{
	CHECK_STR(tabbed("a\tx\nlong\ty\n"), "    ax\n longy\n");
	CHECK_STR(tabbed("é\tx\nab\ty\n"), "  éx\n aby\n");
}

TEST(what_has_no_tab_behind_it_is_no_cell)
{
	CHECK_STR(tabbed("a\tlong text\nb\tx\n"), " along text\n bx\n");
}

TEST(a_line_without_a_cell_ends_its_column)
{
	CHECK_STR(tabbed("a\n"), "a\n");
	CHECK_STR(tabbed("long\tx\n\na\ty\n"), " longx\n\n ay\n");
	CHECK_STR(tabbed("k\tlong\tx\nk\ty\nk\ta\tz\n"),
		  " k longx\n ky\n k az\n");
}

TEST(a_form_feed_ends_all_columns)
{
	CHECK_STR(tabbed("long\tx\fa\ty\n"), " longx\n ay\n");
	arena_release(&arena);
}
