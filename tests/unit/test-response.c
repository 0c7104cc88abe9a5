/* SPDX-License-Identifier: MIT */
/* Answers of servers that may be broken or hostile. */
#include "pprof/response.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/sink.h"
#include "test.h"

static struct response_parser p;
static struct arena arena;
static struct sink body;
static struct error err;

/* Feeds text in pieces of step bytes, then closes. */
static int feed(const char *text, size_t len, size_t step)
{
	int r = 0;

	arena_release(&arena);
	body = sink_to_memory(&arena);
	response_start(&p, &body, 100);
	for (size_t at = 0; at < len && r == 0; at += step)
		r = response_feed(
			&p,
			span_of(text + at, len - at < step ? len - at : step),
			&err);
	return r ? r : response_end(&p, &err);
}

static void check_answer(const char *text, unsigned status, const char *content)
{
	for (size_t step = 1; step < 8; step++) {
		CHECK_EQ(feed(text, strlen(text), step), 1);
		CHECK_EQ(p.response.status, status);
		CHECK_BYTES(sink_bytes(&body).at, sink_bytes(&body).len,
			    content, strlen(content));
	}
	arena_release(&arena);
}

static void check_refused(const char *text)
{
	for (size_t step = 1; step < 8; step++)
		CHECK(feed(text, strlen(text), step) < 0);
	arena_release(&arena);
}

#define OK "HTTP/1.1 200 OK\r\n"

TEST(a_body_lasts_for_its_length)
{
	check_answer(OK "Content-Length: 5\r\n\r\nhello, and more", 200,
		     "hello");
	check_answer(OK "content-length:0\r\n\r\n", 200, "");
}

TEST(a_body_without_length_lasts_until_the_end)
{
	check_answer(OK "\r\nhello", 200, "hello");
	check_answer("HTTP/1.0 200\r\n\r\nx", 200, "x");
}

TEST(chunks_are_joined)
{
	check_answer(OK "Transfer-Encoding: chunked\r\n\r\n"
			"5\r\nhello\r\n1;name=value\r\n,\r\n0A\r\n0123456789"
			"\r\n0\r\nTrailer: x\r\n\r\n",
		     200, "hello,0123456789");
}

TEST(chunks_beat_a_length)
{
	check_answer(OK "Content-Length: 99\r\nTransfer-Encoding: chunked\r\n"
			"\r\n1\r\nx\r\n0\r\n\r\n",
		     200, "x");
}

TEST(bare_line_feeds_are_tolerated)
{
	check_answer("HTTP/1.1 404 Not Found\nContent-Length: 1\n\nx", 404,
		     "x");
	CHECK_STR(p.response.reason, "Not Found");
}

TEST(a_hint_is_not_the_answer)
{
	check_answer("HTTP/1.1 100 Continue\r\n\r\n" OK
		     "Content-Length: 1\r\n\r\nx",
		     200, "x");
}

TEST(some_answers_have_no_body)
{
	check_answer("HTTP/1.1 204 No Content\r\n\r\n", 204, "");
}

TEST(headers_that_matter_are_kept)
{
	check_answer(OK "Location:  /there \r\nX-Go-Pprof: 1\r\n"
			"Content-Type: text/plain\r\nContent-Length: 0\r\n\r\n",
		     200, "");
	CHECK_STR(p.response.location, "/there");
	CHECK_STR(p.response.content_type, "text/plain");
	CHECK(p.response.go_pprof);
}

TEST(a_cut_answer_is_noticed)
{
	static const char text[] = OK "Content-Length: 5\r\n\r\nhello";
	static const char chunks[] = OK
		"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";

	for (size_t len = 0; len < sizeof(text) - 1; len++)
		CHECK(feed(text, len, 3) < 0);
	for (size_t len = 0; len < sizeof(chunks) - 1; len++)
		CHECK(feed(chunks, len, 3) < 0);
	arena_release(&arena);
}

TEST(what_is_not_http_is_refused)
{
	check_refused("SSH-2.0-OpenSSH_9.2\r\n");
	check_refused("HTTP/9.9 200 OK\r\n\r\n");
	check_refused("HTTP/1.1 2x0 OK\r\n\r\n");
	check_refused("HTTP/1.1 2000 OK\r\n\r\n");
	check_refused("HTTP/1.1\r\n\r\n");
	check_refused("\r\n\r\n");
}

TEST(lying_lengths_are_refused)
{
	check_refused(OK "Content-Length: -1\r\n\r\n");
	check_refused(OK "Content-Length: \r\n\r\n");
	check_refused(OK "Content-Length: 5x\r\n\r\n");
	check_refused(OK "Content-Length: 99999999999999999999\r\n\r\n");
	check_refused(OK "Content-Length: 1\r\nContent-Length: 2\r\n\r\nxy");
	check_refused(OK "Content-Length: 9223372036854775807\r\n\r\nx");
}

TEST(bad_chunks_are_refused)
{
	static const char *const bad[] = {
		"x\r\n",
		"\r\n",
		"-1\r\nx\r\n",
		"5\r\nhel\r\n0\r\n",
		"1\r\nxy\r\n0\r\n\r\n",
		"11111111111111111\r\n",
		"1 x\r\n",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char text[200] = OK "Transfer-Encoding: chunked\r\n\r\n";

		strcat(text, bad[i]);
		check_refused(text);
	}
}

TEST(unknown_encodings_are_refused)
{
	check_refused(OK "Transfer-Encoding: gzip, chunked\r\n\r\n");
	check_refused(OK "Transfer-Encoding: chunked\r\n"
			 "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
}

TEST(malformed_headers_are_refused)
{
	check_refused(OK "no colon\r\n\r\n");
	check_refused(OK ": no name\r\n\r\n");
	check_refused(OK "name : space\r\n\r\n");
	check_refused(OK "a: b\r\n folded\r\n\r\n");
}

TEST(a_body_beyond_the_limit_is_refused)
{
	char text[400] = OK "\r\n";

	memset(text + strlen(text), 'x', 101);
	CHECK_EQ(feed(text, strlen(text), 7), -EFBIG);
	arena_release(&arena);
}

TEST(endless_lines_and_headers_end)
{
	char line[64];
	int r = 0;

	body = sink_to_memory(&arena);
	response_start(&p, &body, 100);
	memset(line, 'x', sizeof(line));
	for (int i = 0; i < 10000 && r == 0; i++)
		r = response_feed(&p, span_of(line, sizeof(line)), &err);
	CHECK_EQ(r, -EBADMSG);

	response_start(&p, &body, 100);
	r = response_feed(&p, span_text(OK), &err);
	for (int i = 0; i < 100000 && r == 0; i++)
		r = response_feed(&p, span_text("a: b\r\n"), &err);
	CHECK_EQ(r, -EBADMSG);

	response_start(&p, &body, 100);
	r = 0;
	for (int i = 0; i < 100000 && r == 0; i++)
		r = response_feed(&p, span_text("HTTP/1.1 100 x\r\n\r\n"),
				  &err);
	CHECK_EQ(r, -EBADMSG);
	arena_release(&arena);
}

TEST(zero_bytes_in_headers_are_refused)
{
	static const char text[] = OK "a: b\0c\r\n\r\n";

	CHECK(feed(text, sizeof(text) - 1, 5) < 0);
	arena_release(&arena);
}
