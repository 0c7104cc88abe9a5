/* SPDX-License-Identifier: MIT */
/* What the names of sources mean, and how long to wait for them. */
#include "pprof/input.h"

#include <errno.h>

#include "pprof/arguments.h"
#include "test.h"

static struct arena arena;
static struct error err;
static int64_t timeout;

static const char *address(const char *name, int seconds, int wait)
{
	struct arguments a = { .seconds = seconds, .timeout = wait };
	struct url u;

	arena_release(&arena);
	if (input_address(&a, name, &arena, &u, &timeout, &err) < 0)
		return NULL;
	return url_text(&u, &arena);
}

TEST(a_bare_host_and_port_is_an_address)
{
	CHECK_STR(address("localhost:6060/x", -1, -1),
		  "http://localhost:6060/x");
	CHECK_STR(address("127.0.0.1:80/x", -1, -1), "http://127.0.0.1:80/x");
	CHECK_STR(address("[::1]:80/x", -1, -1), "http://[::1]:80/x");
}

TEST(a_name_without_a_colon_is_a_file)
{
	CHECK(!address("nosuchfile", -1, -1));
	CHECK(!address("dir/nosuch:file", -1, -1));
	CHECK(!address("file:///tmp/x", -1, -1));
}

TEST(no_path_means_the_cpu_profile_of_go_servers)
{
	CHECK_STR(address("localhost:6060", -1, -1),
		  "http://localhost:6060/debug/pprof/profile");
	CHECK_STR(address("https://host/", -1, -1),
		  "https://host/debug/pprof/profile");
	CHECK_STR(address("http://host/heap", -1, -1), "http://host/heap");
}

TEST(seconds_become_a_parameter)
{
	CHECK_STR(address("http://h/p?z=1&seconds=9&a=2", 5, -1),
		  "http://h/p?a=2&seconds=5&z=1");
	CHECK_STR(address("http://h/p?z=1&a=2", -1, -1), "http://h/p?a=2&z=1");
}

TEST(waiting_follows_the_timeout_then_the_seconds)
{
	CHECK(address("http://h/p", -1, -1));
	CHECK_EQ(timeout, 60);
	CHECK(address("http://h/p", 30, -1));
	CHECK_EQ(timeout, 45);
	CHECK(address("http://h/p?seconds=10", -1, -1));
	CHECK_EQ(timeout, 15);
	CHECK(address("http://h/p", 30, 7));
	CHECK_EQ(timeout, 7);
	CHECK(address("http://h/p?seconds=x", -1, 0));
	CHECK_EQ(timeout, 60);
}

TEST(a_missing_socket_is_an_error_of_its_own)
{
	struct arguments a = { .seconds = -1, .timeout = -1 };
	struct url u;

	CHECK_EQ(input_address(&a, "unix:/no/socket", &arena, &u, &timeout,
			       &err),
		 -ENOENT);
	arena_release(&arena);
}
