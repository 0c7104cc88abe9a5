/* SPDX-License-Identifier: MIT */
/* The heads of requests: what is understood, and how the rest is refused. */
#include <errno.h>
#include <string.h>

#include "http/head.h"
#include "http/target.h"
#include "test.h"

static struct http_head head;

static int parse(const char *text)
{
	return http_head_parse(&head, span_text(text));
}

/* With the only field that must be there. */
static int parse_line(const char *line)
{
	static char text[2 * HTTP_HEAD_MAX];

	strcpy(text, line);
	strcat(text, "\r\nHost: h\r\n\r\n");
	return parse(text);
}

static int parse_target(const char *target)
{
	static char text[2 * HTTP_HEAD_MAX];

	strcpy(text, "GET ");
	strcat(text, target);
	strcat(text, " HTTP/1.1");
	return parse_line(text);
}

static int parse_field(const char *field)
{
	static char text[2 * HTTP_HEAD_MAX];

	strcpy(text, "POST / HTTP/1.1\r\nHost: h\r\n");
	strcat(text, field);
	strcat(text, "\r\n\r\n");
	return parse(text);
}

TEST(a_request_is_taken_apart)
{
	static const char text[] =
		"GET /debug/pprof/profile?seconds=5&hz=100 HTTP/1.1\r\n"
		"Host: 127.0.0.1:6060\r\n"
		"Accept:  text/html, */*  \r\n"
		"\r\n"
		"GET /next";

	CHECK_EQ(parse(text), sizeof(text) - 1 - strlen("GET /next"));
	CHECK_EQ(head.method, HTTP_GET);
	CHECK_STR(head.path, "/debug/pprof/profile");
	CHECK_EQ(head.path_len, strlen("/debug/pprof/profile"));
	CHECK(span_equal(head.query, span_text("seconds=5&hz=100")));
	CHECK(span_equal(head.authority, span_text("127.0.0.1:6060")));
	CHECK(span_equal(http_field(&head, "ACCEPT"),
			 span_text("text/html, */*")));
	CHECK_EQ(http_field(&head, "origin").len, 0);
	CHECK(head.keep_alive);
	CHECK_EQ(head.body_len, 0);
}

TEST(a_part_of_a_request_is_waited_for)
{
	static const char text[] = "\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n";

	for (size_t len = 0; len < sizeof(text) - 1; len++)
		CHECK_EQ(http_head_parse(&head, span_of(text, len)), 0);
	CHECK_EQ(parse(text), sizeof(text) - 1);
}

TEST(what_is_no_request_is_refused_before_it_ends)
{
	CHECK_EQ(parse("\x16\x03\x01"), -400);
	CHECK_EQ(parse(" GET"), -400);
	CHECK_EQ(parse("GET / HTTP/1.1\n"), -400);
	CHECK_EQ(parse("\nGET / HTTP/1.1\r\n"), -400);
}

TEST(versions_are_one_or_refused)
{
	CHECK(parse_line("GET / HTTP/1.1") > 0);
	CHECK(head.keep_alive && !head.version_0);
	CHECK(parse_line("GET / HTTP/1.0") > 0);
	CHECK(!head.keep_alive && head.version_0);
	CHECK_EQ(parse_line("GET / HTTP/2.0"), -505);
	CHECK_EQ(parse_line("GET / HTTP/1"), -400);
	CHECK_EQ(parse_line("GET / http/1.1"), -400);
	CHECK_EQ(parse_line("GET /"), -400);
	CHECK_EQ(parse_line("GET / HTTP/1.1 "), -400);
	CHECK_EQ(parse_line("GET  / HTTP/1.1"), -400);
	CHECK_EQ(parse_line("G(T / HTTP/1.1"), -400);
}

TEST(other_methods_are_known_as_such)
{
	CHECK(parse_line("HEAD / HTTP/1.1") > 0);
	CHECK_EQ(head.method, HTTP_HEAD);
	CHECK(parse_line("get / HTTP/1.1") > 0);
	CHECK_EQ(head.method, HTTP_OTHER);
	CHECK(parse_line("DELETE /x HTTP/1.1") > 0);
	CHECK_EQ(head.method, HTTP_OTHER);
	CHECK(parse_line("OPTIONS * HTTP/1.1") > 0);
	CHECK_EQ(head.path_len, 0);
	CHECK(parse_line("CONNECT h:80 HTTP/1.1") > 0);
	CHECK_EQ(head.path_len, 0);
	CHECK_EQ(parse_line("GET * HTTP/1.1"), -400);
}

TEST(a_connection_ends_when_its_client_says_so)
{
	CHECK(parse_field("Connection: close") > 0);
	CHECK(!head.keep_alive);
	CHECK(parse_field("connection: foo , CLOSE") > 0);
	CHECK(!head.keep_alive);
	CHECK(parse_field("Connection: closed") > 0);
	CHECK(head.keep_alive);
	CHECK(parse("GET / HTTP/1.0\r\nHost: h\r\nConnection: Keep-Alive\r\n"
		    "\r\n") > 0);
	CHECK(head.keep_alive);
}

TEST(lists_are_searched_for_whole_words)
{
	struct span list = span_text("a/b;q=0.9, text/html ;q=1,*/*");

	CHECK(http_list_holds(list, "text/HTML"));
	CHECK(http_list_holds(list, "a/b"));
	CHECK(http_list_holds(list, "*/*"));
	CHECK(!http_list_holds(list, "text"));
	CHECK(!http_list_holds((struct span){ 0 }, "text"));
}

TEST(a_length_is_said_once_and_in_digits)
{
	CHECK(parse_field("Content-Length: 42") > 0);
	CHECK_EQ(head.body_len, 42);
	CHECK_EQ(parse_field("Content-Length: 1\r\nContent-Length: 1"), -400);
	CHECK_EQ(parse_field("Content-Length: +1"), -400);
	CHECK_EQ(parse_field("Content-Length: -1"), -400);
	CHECK_EQ(parse_field("Content-Length: 0x1"), -400);
	CHECK_EQ(parse_field("Content-Length:"), -400);
	CHECK_EQ(parse_field("Content-Length: 1, 1"), -400);
	CHECK_EQ(parse_field("Content-Length: 9999999999999999999"), -400);
	CHECK_EQ(parse_field("Transfer-Encoding: chunked"), -411);
	CHECK_EQ(parse_field("Transfer-Encoding: x\r\nContent-Length: 1"),
		 -400);
}

TEST(a_host_is_said_once)
{
	CHECK_EQ(parse("GET / HTTP/1.1\r\n\r\n"), -400);
	CHECK_EQ(parse_field("Host: h"), -400);
	CHECK(parse_line("GET http://h/x?y HTTP/1.1") > 0);
	CHECK_STR(head.path, "/x");
	CHECK(parse_line("GET HTTP://h HTTP/1.1") > 0);
	CHECK_STR(head.path, "/");
	CHECK_EQ(parse_line("GET http://evil/x HTTP/1.1"), -400);
	CHECK_EQ(parse_line("GET https://h/x HTTP/1.1"), -400);
}

TEST(strange_fields_are_refused)
{
	CHECK_EQ(parse_field("no colon"), -400);
	CHECK_EQ(parse_field("Name : value"), -400);
	CHECK_EQ(parse_field(": value"), -400);
	CHECK_EQ(parse_field("A: b\r\n folded: c"), -400);
	CHECK_EQ(parse_field("A: b\001"), -400);
	CHECK_EQ(parse_field("A: b\rc"), -400);
	CHECK(parse_field("A:") > 0);
	CHECK(parse_field("A: \xc3\xa4\tb") > 0);
}

TEST(paths_are_decoded_and_do_not_climb)
{
	CHECK(parse_target("/a%20b/%C3%A4?%zz") > 0);
	CHECK_STR(head.path, "/a b/\xc3\xa4");
	CHECK(parse_target("//a") > 0);
	CHECK(parse_target("/...") > 0);
	CHECK(parse_target("/.a/a.") > 0);
	CHECK_EQ(parse_target("/../etc/passwd"), -400);
	CHECK_EQ(parse_target("/a/.."), -400);
	CHECK_EQ(parse_target("/./a"), -400);
	CHECK_EQ(parse_target("/%2e%2e/a"), -400);
	CHECK_EQ(parse_target("/%2E"), -400);
	CHECK_EQ(parse_target("/a%2fb"), -400);
	CHECK_EQ(parse_target("/a%5cb"), -400);
	CHECK_EQ(parse_target("/a\\b"), -400);
	CHECK_EQ(parse_target("/a%00b"), -400);
	CHECK_EQ(parse_target("/a%0d%0ab"), -400);
	CHECK_EQ(parse_target("/a%"), -400);
	CHECK_EQ(parse_target("/a%4"), -400);
	CHECK_EQ(parse_target("/a%4g"), -400);
	CHECK_EQ(parse_target("/a#b"), -400);
	CHECK_EQ(parse_target("/\xc3\xa4"), -400);
	CHECK_EQ(parse_target("a"), -400);
}

static char large[3 * HTTP_HEAD_MAX];

TEST(what_is_too_long_is_refused_by_its_kind)
{
	memset(large, 'a', sizeof(large) - 1);
	memcpy(large, "GET /", 5);
	CHECK_EQ(http_head_parse(&head, span_of(large, 8000)), 0);
	CHECK_EQ(http_head_parse(&head, span_of(large, 8400)), -414);
	memcpy(large, "GET / HTTP/1.1\r\nA: ", 19);
	CHECK_EQ(http_head_parse(&head, span_of(large, 16000)), 0);
	CHECK_EQ(http_head_parse(&head, span_of(large, HTTP_HEAD_MAX)), -431);
	memcpy(large + 30000, "\r\n\r\n", 5);
	CHECK_EQ(parse(large), -431);

	memset(large, '\0', sizeof(large));
	strcpy(large, "GET / HTTP/1.1\r\nHost: h\r\n");
	for (int i = 1; i < HTTP_FIELDS_MAX; i++)
		strcat(large, "A: b\r\n");
	strcat(large, "\r\n");
	CHECK(parse(large) > 0);
	CHECK_EQ(head.field_count, HTTP_FIELDS_MAX);
	strcpy(large + strlen(large) - 2, "A: b\r\n\r\n");
	CHECK_EQ(parse(large), -431);

	memset(large, 'a', 2000);
	large[0] = '/';
	large[2000] = '\0';
	CHECK_EQ(parse_target(large), -414);
}

TEST(parameters_are_found_by_their_decoded_names)
{
	char value[16];

	CHECK(parse_target("/?a=1&b%20c=x+y%2B&a=2&empty=&&flag") > 0);
	CHECK_EQ(http_param(&head, "a", value, sizeof(value)), 1);
	CHECK_STR(value, "1");
	CHECK_EQ(http_param(&head, "b c", value, sizeof(value)), 4);
	CHECK_STR(value, "x y+");
	CHECK_EQ(http_param(&head, "empty", value, sizeof(value)), 0);
	CHECK_STR(value, "");
	CHECK_EQ(http_param(&head, "flag", value, sizeof(value)), 0);
	CHECK_EQ(http_param(&head, "c", value, sizeof(value)), -ENOENT);
	CHECK(parse_target("/?a=%zz&b=0123456789abcdef&c=%00") > 0);
	CHECK_EQ(http_param(&head, "a", value, sizeof(value)), -EINVAL);
	CHECK_EQ(http_param(&head, "b", value, sizeof(value)), -EINVAL);
	CHECK_EQ(http_param(&head, "c", value, sizeof(value)), -EINVAL);
}
