/* SPDX-License-Identifier: MIT */
/* Addresses of servers, and what sources mean. */
#include "pprof/url.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "pprof/proxy.h"
#include "pprof/query.h"
#include "test.h"

static struct arena arena;
static struct error err;
static struct url u;

TEST(an_address_is_taken_apart)
{
	CHECK_EQ(url_parse(&u, &arena, "HTTP://me:a%3Ab@host:80/p/q?a=b&c#frag",
			   &err),
		 0);
	CHECK_STR(u.scheme, "http");
	CHECK_STR(u.userinfo, "me:a:b");
	CHECK_STR(u.host, "host");
	CHECK_STR(u.port, "80");
	CHECK_STR(u.path, "/p/q");
	CHECK_STR(u.query, "a=b&c");
	arena_release(&arena);
}

TEST(an_address_needs_only_a_host)
{
	CHECK_EQ(url_parse(&u, &arena, "https://host", &err), 0);
	CHECK_STR(u.path, "");
	CHECK_STR(u.port, "");
	CHECK_STR(url_port(&u), "443");
	arena_release(&arena);
}

TEST(brackets_hold_an_ipv6_address)
{
	CHECK_EQ(url_parse(&u, &arena, "http://[::1]:6060/x", &err), 0);
	CHECK_STR(u.host, "::1");
	CHECK_STR(u.port, "6060");
	CHECK_STR(url_text(&u, &arena), "http://[::1]:6060/x");
	CHECK_EQ(url_parse(&u, &arena, "http://[::1]", &err), 0);
	CHECK_STR(url_port(&u), "80");
	arena_release(&arena);
}

TEST(what_is_no_address_is_refused)
{
	static const char *const bad[] = {
		"",
		"file.pb.gz",
		"http:",
		"http://",
		"http:///x",
		"http://ho st/",
		"http://h:x/",
		"http://[::1",
		"http://[::1]x/",
		"//host/",
		"http://\x01/",
		"http://h:123456/",
		"http://%zz@host/",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK(url_parse(&u, &arena, bad[i], &err) < 0);
	arena_release(&arena);
}

TEST(nothing_that_could_split_a_request_survives)
{
	CHECK_EQ(url_parse(&u, &arena, "http://h/a b\r\nX: y?q=\r\n", &err), 0);
	CHECK_STR(u.path, "/a%20b%0D%0AX:%20y");
	CHECK_STR(u.query, "q=%0D%0A");
	arena_release(&arena);
}

TEST(a_password_is_not_shown)
{
	CHECK_EQ(url_parse(&u, &arena, "http://me:secret@h/x", &err), 0);
	CHECK_STR(url_text(&u, &arena), "http://h/x");
	arena_release(&arena);
}

static const char *make_socket(void)
{
	static struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/s.sock",
		 test_directory());
	unlink(address.sun_path);
	CHECK_EQ(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
	return address.sun_path;
}

/* The URL is the socket's path between before and after. */
static void check_socket(const char *before, const char *after,
			 const char *path, const char *query)
{
	const char *socket_path = make_socket();
	char text[300];

	snprintf(text, sizeof(text), "%s%s%s", before, socket_path, after);
	CHECK_EQ(url_parse(&u, &arena, text, &err), 0);
	CHECK_STR(u.socket, socket_path);
	CHECK_STR(u.path, path);
	CHECK_STR(u.query, query);
	arena_release(&arena);
}

TEST(a_socket_can_be_named_in_every_usual_way)
{
	check_socket("unix:", "", "", "");
	check_socket("unix://", "", "", "");
	check_socket("unix:", ":/debug/pprof/heap", "/debug/pprof/heap", "");
	check_socket("unix:", "/debug/pprof/heap?gc=1", "/debug/pprof/heap",
		     "gc=1");
	check_socket("http+unix://", "/debug/pprof/heap", "/debug/pprof/heap",
		     "");
}

TEST(a_socket_may_be_encoded_as_the_host)
{
	CHECK_EQ(url_parse(&u, &arena,
			   "http+unix://%2Frun%2Fa.sock/debug/pprof/heap",
			   &err),
		 0);
	CHECK_STR(u.socket, "/run/a.sock");
	CHECK_STR(u.path, "/debug/pprof/heap");
	arena_release(&arena);
}

TEST(a_path_without_a_socket_is_said_to_have_none)
{
	CHECK_EQ(url_parse(&u, &arena, "unix:/nowhere/at/all", &err), -ENOENT);
	CHECK(strstr(err.text, "'/nowhere/at/all' is not a socket"));
	arena_release(&arena);
}

static void check_resolved(const char *reference, const char *expected)
{
	struct url base;

	CHECK_EQ(url_parse(&base, &arena, "http://h:1/a/b?x=1", &err), 0);
	CHECK_EQ(url_resolve(&u, &arena, &base, reference, &err), 0);
	CHECK_STR(url_text(&u, &arena), expected);
	arena_release(&arena);
}

TEST(redirections_are_relative_or_whole)
{
	check_resolved("/c", "http://h:1/c");
	check_resolved("/c?y=2#z", "http://h:1/c?y=2");
	check_resolved("c", "http://h:1/a/c");
	check_resolved("https://other/c", "https://other/c");
}

TEST(parameters_are_found_decoded)
{
	CHECK_EQ(url_parse(&u, &arena, "http://h/?a=1&b=x+y%21&b=2", &err), 0);
	CHECK_STR(query_get(&u, &arena, "b"), "x y!");
	CHECK(!query_get(&u, &arena, "c"));
	arena_release(&arena);
}

TEST(a_query_is_written_in_order_of_names)
{
	CHECK_EQ(url_parse(&u, &arena,
			   "http://h/?z=1&a&m=%zz&b=x%20y&seconds=9", &err),
		 0);
	CHECK(query_set(&u, &arena, "seconds", "5"));
	CHECK_STR(u.query, "a=&b=x+y&seconds=5&z=1");
	CHECK(query_set(&u, &arena, "seconds", NULL));
	CHECK_STR(u.query, "a=&b=x+y&seconds=5&z=1");
	arena_release(&arena);
}

static bool proxied(const char *address, const char *no_proxy)
{
	bool yes;

	CHECK_EQ(url_parse(&u, &arena, address, &err), 0);
	yes = proxy_applies(&u, no_proxy);
	arena_release(&arena);
	return yes;
}

TEST(this_machine_is_never_reached_through_a_proxy)
{
	CHECK(!proxied("http://localhost:1/", NULL));
	CHECK(!proxied("http://127.1.2.3/", NULL));
	CHECK(!proxied("http://[::1]/", NULL));
	CHECK(proxied("http://example.com/", NULL));
	CHECK(proxied("http://10.0.0.1/", ""));
}

TEST(no_proxy_lists_hosts_domains_networks_and_ports)
{
	CHECK(!proxied("http://a.example.com/", "example.com"));
	CHECK(!proxied("http://example.com/", "x, example.com ,y"));
	CHECK(proxied("http://example.com/", ".example.com"));
	CHECK(!proxied("http://a.example.com/", "*.example.com"));
	CHECK(proxied("http://badexample.com/", "example.com"));
	CHECK(!proxied("http://h/", "*"));
	CHECK(!proxied("http://10.1.2.3/", "10.0.0.0/8"));
	CHECK(proxied("http://11.1.2.3/", "10.0.0.0/8"));
	CHECK(!proxied("http://[fd00::1]/", "fd00::/8"));
	CHECK(!proxied("http://10.1.2.3/", "10.1.2.3"));
	CHECK(!proxied("http://h:8080/", "h:8080"));
	CHECK(proxied("http://h:8081/", "h:8080"));
}
