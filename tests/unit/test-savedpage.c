/* SPDX-License-Identifier: MIT */
/* A page as one file: what is in it, and what is left out to keep it small. */
#include "serve/savedpage.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/sink.h"
#include "test.h"

static struct arena arena;
static struct error err;

/* Bytes that can not be compressed. */
static struct span noise(size_t len)
{
	uint8_t *at = arena_alloc(&arena, len);
	uint32_t x = 1;

	CHECK(at);
	for (size_t i = 0; i < len; i++) {
		x = x * 1664525 + 1013904223;
		at[i] = (uint8_t)(x >> 24);
	}
	return span_of(at, len);
}

static const char *page(struct saved_profile profile)
{
	struct sink out = sink_to_memory(&arena);

	CHECK_EQ(savedpage_write(&profile, 1, &out, &err), 0);
	sink_char(&out, '\0');
	CHECK_EQ(sink_flush(&out), 0);
	return out.buf;
}

static bool has_sources(const char *text)
{
	bool places = strstr(text, "data-places=\"0\"");
	bool source = strstr(text, "data-source=\"0\"");

	CHECK_EQ(places, source);
	return source;
}

TEST(a_page_has_its_profile_and_no_tag_of_its_name)
{
	const char *text = page((struct saved_profile){
		.name = "\"><script>alert(1)</script>",
		.data = noise(100),
	});

	CHECK(strstr(text, "data-profile=\"0\""));
	CHECK(!strstr(text, "<script>alert"));
	CHECK(!has_sources(text));
	arena_release(&arena);
}

TEST(sources_are_in_it_if_they_are_small)
{
	struct saved_profile p = { .data = noise(100),
				   .places = noise(100000),
				   .sources = noise(100000) };

	CHECK(has_sources(page(p)));
	p.sources = (struct span){ 0 };
	CHECK(!has_sources(page(p)));
	arena_release(&arena);
}

TEST(sources_may_take_half_of_what_the_profile_takes)
{
	struct saved_profile p = { .data = noise(100),
				   .places = noise(100000),
				   .sources = noise(400000) };

	CHECK(!has_sources(page(p)));
	p.data = noise(1200000);
	CHECK(has_sources(page(p)));
	arena_release(&arena);
}

TEST(a_page_of_15_megabytes_has_none)
{
	const struct saved_profile p = { .data = noise(11200000),
					 .places = noise(1000),
					 .sources = noise(1000) };
	const char *text = page(p);

	CHECK(!has_sources(text));
	CHECK(strlen(text) > 14900000);
	arena_release(&arena);
}
