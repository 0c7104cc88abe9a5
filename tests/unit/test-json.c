/* SPDX-License-Identifier: MIT */
/* JSON: commas, and bytes that nobody promised to be text. */
#include "base/json.h"

#include "base/arena.h"
#include "base/sink.h"
#include "test.h"

static struct arena arena;

static const char *quoted(const char *bytes, size_t len)
{
	struct sink out = sink_to_memory(&arena);
	struct json j = json_to(&out);

	json_span(&j, span_of(bytes, len));
	sink_char(&out, '\0');
	return (const char *)sink_bytes(&out).at;
}

#define QUOTED(literal) quoted((literal), sizeof(literal) - 1)

TEST(commas_stand_between_values_and_nowhere_else)
{
	struct sink out = sink_to_memory(&arena);
	struct json j = json_to(&out);

	json_open(&j, '{');
	json_key(&j, "a");
	json_open(&j, '[');
	json_close(&j, ']');
	json_key(&j, "b");
	json_open(&j, '[');
	json_uint(&j, UINT64_MAX);
	json_int(&j, INT64_MIN);
	json_bool(&j, true);
	json_null(&j);
	json_open(&j, '{');
	json_close(&j, '}');
	json_close(&j, ']');
	json_key(&j, "c");
	json_text(&j, "x");
	json_close(&j, '}');
	sink_char(&out, '\0');
	CHECK_STR((const char *)sink_bytes(&out).at,
		  "{\"a\":[],\"b\":[18446744073709551615,"
		  "-9223372036854775808,true,null,{}],\"c\":\"x\"}");
}

TEST(plain_text_and_utf8_pass)
{
	CHECK_STR(QUOTED(""), "\"\"");
	CHECK_STR(QUOTED("std::vector"), "\"std::vector\"");
	CHECK_STR(QUOTED("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x94\xa5"),
		  "\"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x94\xa5\"");
}

TEST(quotes_controls_and_markup_are_escaped)
{
	CHECK_STR(QUOTED("a\"b\\c"), "\"a\\\"b\\\\c\"");
	CHECK_STR(QUOTED("\n\t\x1b\x7f"), "\"\\n\\t\\u001b\\u007f\"");
	CHECK_STR(QUOTED("a\0b"), "\"a\\u0000b\"");
	CHECK_STR(QUOTED("</script>&"), "\"\\u003c/script\\u003e\\u0026\"");
}

#define BAD "\xef\xbf\xbd"

TEST(what_is_not_utf8_is_replaced_byte_by_byte)
{
	CHECK_STR(QUOTED("\xff"), "\"" BAD "\"");
	CHECK_STR(QUOTED("a\x80z"), "\"a" BAD "z\"");
	CHECK_STR(QUOTED("\xe2\x82"), "\"" BAD BAD "\"");
	CHECK_STR(QUOTED("\xc3("), "\"" BAD "(\"");
}

TEST(overlong_forms_surrogates_and_too_large_points_are_not_utf8)
{
	CHECK_STR(QUOTED("\xc0\xaf"), "\"" BAD BAD "\"");
	CHECK_STR(QUOTED("\xe0\x80\xaf"), "\"" BAD BAD BAD "\"");
	CHECK_STR(QUOTED("\xed\xa0\x80"), "\"" BAD BAD BAD "\"");
	CHECK_STR(QUOTED("\xf4\x90\x80\x80"), "\"" BAD BAD BAD BAD "\"");
}
