/* SPDX-License-Identifier: MIT */
/* Who may ask a server: hosts, origins, tokens; and where servers listen. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "http/address.h"
#include "http/guard.h"
#include "http/head.h"
#include "test.h"

#define TOKEN "0123456789abcdef"

static struct http_head head;
static const struct http_guard local = { .port = 6060, .name = "127.0.0.1" };
static const struct http_guard secret = { .port = 6060,
					  .name = "127.0.0.1",
					  .token = TOKEN };

static int ask(const struct http_guard *g, const char *text)
{
	CHECK(http_head_parse(&head, span_text(text)) > 0);
	return http_guard_check(g, &head);
}

static int ask_host(const struct http_guard *g, const char *host)
{
	char text[256] = "GET / HTTP/1.1\r\nHost: ";

	strcat(text, host);
	strcat(text, "\r\n\r\n");
	return ask(g, text);
}

static int ask_with(const char *method, const char *fields)
{
	char text[512] = "";

	strcat(text, method);
	strcat(text, " / HTTP/1.1\r\nHost: localhost:6060\r\n");
	strcat(text, fields);
	strcat(text, "\r\n\r\n");
	return ask(&local, text);
}

TEST(a_server_answers_to_its_own_names_only)
{
	static const char *const more[] = { "box.example", NULL };
	struct http_guard g = local;

	CHECK_EQ(ask_host(&g, "127.0.0.1:6060"), 0);
	CHECK_EQ(ask_host(&g, "localhost:6060"), 0);
	CHECK_EQ(ask_host(&g, "LocalHost:6060"), 0);
	CHECK_EQ(ask_host(&g, "[::1]:6060"), 0);
	CHECK_EQ(ask_host(&g, "127.0.0.1"), 421);
	CHECK_EQ(ask_host(&g, "127.0.0.1:6061"), 421);
	CHECK_EQ(ask_host(&g, "127.0.0.1:"), 421);
	CHECK_EQ(ask_host(&g, "127.0.0.1:06060x"), 421);
	CHECK_EQ(ask_host(&g, "evil.example:6060"), 421);
	CHECK_EQ(ask_host(&g, "localhost.evil.example:6060"), 421);
	CHECK_EQ(ask_host(&g, "evil.localhost:6060"), 421);
	CHECK_EQ(ask_host(&g, ""), 421);
	CHECK_EQ(ask_host(&g, "box.example:6060"), 421);
	g.more_names = more;
	CHECK_EQ(ask_host(&g, "box.example:6060"), 0);
	g.port = 80;
	CHECK_EQ(ask_host(&g, "127.0.0.1"), 0);
	g.any_name = true;
	CHECK_EQ(ask_host(&g, "anything"), 0);
}

TEST(pages_of_other_origins_are_refused)
{
	CHECK_EQ(ask_with("POST", "Origin: http://localhost:6060"), 0);
	CHECK_EQ(ask_with("POST", "Origin: http://evil.example"), 403);
	CHECK_EQ(ask_with("POST", "Origin: https://localhost:6060"), 403);
	CHECK_EQ(ask_with("POST", "Origin: http://localhost:6061"), 403);
	CHECK_EQ(ask_with("POST", "Origin: null"), 403);
	CHECK_EQ(ask_with("GET", "Origin: http://evil.example"), 403);
	CHECK_EQ(ask_with("GET", "Sec-Fetch-Site: same-origin"), 0);
	CHECK_EQ(ask_with("GET", "Sec-Fetch-Site: none"), 0);
	CHECK_EQ(ask_with("GET", "Sec-Fetch-Site: cross-site"), 403);
	CHECK_EQ(ask_with("GET", "Sec-Fetch-Site: same-site"), 403);
}

TEST(a_link_to_a_page_may_be_followed_from_anywhere)
{
	static const char fields[] = "Sec-Fetch-Site: cross-site\r\n"
				     "Sec-Fetch-Mode: navigate\r\n"
				     "Sec-Fetch-Dest: document";
	static const char frame[] = "Sec-Fetch-Site: cross-site\r\n"
				    "Sec-Fetch-Mode: navigate\r\n"
				    "Sec-Fetch-Dest: iframe";

	CHECK_EQ(ask_with("GET", fields), 0);
	CHECK_EQ(ask_with("POST", fields), 403);
	CHECK_EQ(ask_with("GET", frame), 403);
}

static int ask_secret(const char *target, const char *fields)
{
	char text[512] = "GET ";

	strcat(text, target);
	strcat(text, " HTTP/1.1\r\nHost: localhost:6060\r\n");
	strcat(text, fields);
	strcat(text, "\r\n");
	return ask(&secret, text);
}

TEST(a_token_is_taken_from_field_query_or_path)
{
	CHECK_EQ(ask_secret("/x", ""), 401);
	CHECK_EQ(ask_secret("/x", "Authorization: Bearer " TOKEN "\r\n"), 0);
	CHECK_EQ(ask_secret("/x", "authorization: bearer " TOKEN "\r\n"), 0);
	CHECK_EQ(ask_secret("/x", "Authorization: Bearer " TOKEN "0\r\n"), 401);
	CHECK_EQ(ask_secret("/x", "Authorization: Bearer\r\n"), 401);
	CHECK_EQ(ask_secret("/x", "Authorization: Basic " TOKEN "\r\n"), 401);
	CHECK_EQ(ask_secret("/x?a=b&token=" TOKEN, ""), 0);
	CHECK_EQ(ask_secret("/x?token=0123456789abcdeF", ""), 401);
	CHECK_EQ(ask_secret("/x?token=", ""), 401);
	CHECK_EQ(ask_secret("/t/" TOKEN "/x/y?z", ""), 0);
	CHECK_STR(head.path, "/x/y");
	CHECK_EQ(head.path_len, 4);
	CHECK_EQ(ask_secret("/t/" TOKEN "/", ""), 0);
	CHECK_STR(head.path, "/");
	CHECK_EQ(ask_secret("/t/" TOKEN, ""), 401);
	CHECK_EQ(ask_secret("/t/" TOKEN "x/", ""), 401);
	CHECK_EQ(ask_secret("/t/x" TOKEN "/", ""), 401);
}

static void check_address(const char *text, const char *url, bool is_local)
{
	struct http_address a;
	char seen[200];

	CHECK_EQ(http_address_parse(&a, text, NULL), 0);
	http_address_url(&a, seen, sizeof(seen));
	CHECK_STR(seen, url);
	CHECK_EQ(http_address_is_local(&a), is_local);
}

TEST(addresses_are_numbers_and_loopback_unless_told)
{
	check_address("127.0.0.1:6060", "http://127.0.0.1:6060", true);
	check_address("127.1.2.3:1", "http://127.1.2.3:1", true);
	check_address("localhost:6060", "http://127.0.0.1:6060", true);
	check_address(":6060", "http://127.0.0.1:6060", true);
	check_address("6060", "http://127.0.0.1:6060", true);
	check_address("[::1]:0", "http://[::1]:0", true);
	check_address("0.0.0.0:6060", "http://0.0.0.0:6060", false);
	check_address("[::]:6060", "http://[::]:6060", false);
	check_address("10.0.0.1:65535", "http://10.0.0.1:65535", false);
	check_address("unix:/run/x.sock", "unix:/run/x.sock", true);
}

TEST(other_addresses_are_refused_with_a_sentence)
{
	static const char *const wrong[] = {
		"",
		":",
		"127.0.0.1",
		"127.0.0.1:",
		"1.2.3:80",
		"127.0.0.1:65536",
		"127.0.0.1:-1",
		"::1:80",
		"[::1]",
		"[127.0.0.1]:80",
		"[]:80",
		"host:80",
		"unix:",
		"unix:relative",
		"127.0.0.1:80 ",
		"[::1:80",
	};
	struct http_address a;
	struct error err;
	char large[200] = "unix:/";

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		err.text[0] = '\0';
		CHECK_EQ(http_address_parse(&a, wrong[i], &err), -EINVAL);
		CHECK(strstr(err.text, "is no address"));
	}
	memset(large + 6, 'x', 150);
	CHECK_EQ(http_address_parse(&a, large, NULL), -EINVAL);
}
