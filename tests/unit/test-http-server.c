/* SPDX-License-Identifier: MIT */
/*
 * The server by itself: clients and server take turns on one thread, so that
 * what happens does not depend on time, except where a deadline is the claim.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fmt.h"
#include "http/exchange.h"
#include "http/head.h"
#include "http/route.h"
#include "http/server.h"
#include "test.h"

enum { TURNS = 400, WAIT = 5 };

static struct http_server server;
static struct http_exchange *promised;
static int cancelled;
static unsigned pieces;
static char got[1 << 20];

static void serve_hello(void *context, struct http_exchange *x)
{
	(void)context;
	sink_text(&x->out, "hello\n");
	http_reply(x, 200, "text/plain");
}

static void serve_echo(void *context, struct http_exchange *x)
{
	(void)context;
	sink_span(&x->out, x->body);
	http_add_field(x, "X-Strange", "a\r\nb");
	http_reply(x, 200, NULL);
}

static void note_cancel(struct http_exchange *x)
{
	cancelled += x == promised;
	promised = NULL;
}

static void serve_later(void *context, struct http_exchange *x)
{
	(void)context;
	promised = x;
	http_later(x, &(struct http_later){ .cancel = note_cancel });
}

static void wake(struct http_exchange *x)
{
	http_reply_text(x, 200, "woken");
}

static void serve_soon(void *context, struct http_exchange *x)
{
	(void)context;
	http_later(x, &(struct http_later){ .wake = wake,
					    .wake_at = http_now() + 20 });
}

static void next_piece(struct http_exchange *x)
{
	sink_format(&x->out, "piece %u\n", pieces);
	if (++pieces == 3)
		http_stream_end(x);
}

static void serve_stream(void *context, struct http_exchange *x)
{
	(void)context;
	pieces = 0;
	http_stream(x, 200, "text/plain",
		    &(struct http_later){ .wake = next_piece });
}

static void serve_large(void *context, struct http_exchange *x)
{
	(void)context;
	sink_repeat(&x->out, 'x', 8 << 20);
	http_reply(x, 200, "text/plain");
}

static void serve_nothing(void *context, struct http_exchange *x)
{
	(void)context;
	(void)x;
}

static const struct http_route routes[] = {
	{ "/hello", HTTP_GET, serve_hello },
	{ "/echo", HTTP_POST, serve_echo },
	{ "/both", HTTP_GET | HTTP_POST, serve_hello },
	{ "/later", HTTP_GET, serve_later },
	{ "/soon", HTTP_GET, serve_soon },
	{ "/stream", HTTP_GET, serve_stream },
	{ "/large", HTTP_GET, serve_large },
	{ "/nothing", HTTP_GET, serve_nothing },
	{ "/under/*", HTTP_GET, serve_hello },
};

static void serve(void *context, struct http_exchange *x)
{
	http_route(routes, sizeof(routes) / sizeof(routes[0]), context, x);
}

static void start(struct http_options options)
{
	promised = NULL;
	cancelled = 0;
	CHECK_EQ(http_address_parse(&options.address, "127.0.0.1:0", NULL), 0);
	options.serve = serve;
	if (!options.body_max)
		options.body_max = 1000;
	CHECK_EQ(http_server_open(&server, &options, NULL), 0);
}

static int client(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	CHECK(fd >= 0);
	CHECK_EQ(connect(fd, &server.address.of.any, server.address.len), 0);
	CHECK_EQ(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	return fd;
}

static void say(int fd, const char *text)
{
	CHECK_EQ(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* Sends a request whose fields are the usual ones and these. */
static void ask(int fd, const char *line, const char *fields)
{
	char text[4096];

	fmt_text(text, sizeof(text),
		 "%s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n%s\r\n", line,
		 http_address_port(&server.address), fields);
	say(fd, text);
}

/* Reads until want is in what was read, or the end; returns that. */
static const char *hear(int fd, const char *want)
{
	size_t used = 0;

	got[0] = '\0';
	for (int i = 0; i < TURNS; i++) {
		ssize_t n = recv(fd, got + used, sizeof(got) - 1 - used, 0);

		if (n == 0)
			break;
		if (n > 0)
			used += (size_t)n;
		got[used] = '\0';
		if (*want && strstr(got, want))
			break;
		if (n < 0)
			http_server_turn(&server, WAIT);
	}
	return got;
}

static bool is_closed(int fd)
{
	char c;

	for (int i = 0; i < TURNS; i++) {
		if (recv(fd, &c, 1, 0) == 0)
			return true;
		http_server_turn(&server, WAIT);
	}
	return false;
}

static void turn_until(const int *flag)
{
	for (int i = 0; i < TURNS && !*flag; i++)
		http_server_turn(&server, WAIT);
}

TEST(a_connection_is_kept_and_requests_are_answered_in_order)
{
	int fd;

	start((struct http_options){ 0 });
	fd = client();
	ask(fd, "GET /hello", "");
	ask(fd, "GET /none", "");
	ask(fd, "GET /under/x", "Connection: close\r\n");
	hear(fd, "");
	CHECK_EQ(strncmp(got, "HTTP/1.1 200 OK\r\n", 17), 0);
	CHECK(strstr(got, "Content-Length: 6\r\n"));
	CHECK(strstr(strstr(got, "\r\n\r\nhello\n"), "404 Not Found\r\n"));
	CHECK(strstr(strstr(got, "404 Not"), "\r\n\r\nhello\n"));
	CHECK(strstr(got, "Connection: close"));
	close(fd);
	http_server_close(&server);
}

TEST(answers_carry_what_keeps_browsers_careful)
{
	int fd;

	start((struct http_options){ 0 });
	fd = client();
	ask(fd, "GET /hello", "");
	hear(fd, "hello\n");
	CHECK(strstr(got, "X-Content-Type-Options: nosniff\r\n"));
	CHECK(strstr(got, "Content-Security-Policy: default-src 'none'"));
	CHECK(strstr(got, "Cross-Origin-Resource-Policy: same-origin\r\n"));
	CHECK(!strstr(got, "Access-Control"));
	close(fd);
	http_server_close(&server);
}

TEST(head_gets_the_length_and_no_body)
{
	int fd;

	start((struct http_options){ 0 });
	fd = client();
	ask(fd, "HEAD /hello", "Connection: close\r\n");
	hear(fd, "");
	CHECK(strstr(got, "Content-Length: 6\r\n"));
	CHECK_STR(strstr(got, "\r\n\r\n"), "\r\n\r\n");
	close(fd);
	fd = client();
	ask(fd, "HEAD /stream", "Connection: close\r\n");
	hear(fd, "");
	CHECK_STR(strstr(got, "\r\n\r\n"), "\r\n\r\n");
	close(fd);
	http_server_close(&server);
}

TEST(other_methods_are_told_which_ones_are_allowed)
{
	int fd;

	start((struct http_options){ 0 });
	fd = client();
	ask(fd, "POST /hello", "");
	CHECK(strstr(hear(fd, "not allowed\n"), "Allow: GET, HEAD\r\n"));
	ask(fd, "GET /echo", "");
	CHECK(strstr(hear(fd, "not allowed\n"), "Allow: POST\r\n"));
	ask(fd, "DELETE /both", "");
	CHECK(strstr(hear(fd, "not allowed\n"), "Allow: GET, HEAD, POST\r\n"));
	ask(fd, "OPTIONS *", "");
	CHECK(strstr(hear(fd, "Not Allowed\n"), "405"));
	close(fd);
	http_server_close(&server);
}

TEST(a_body_is_read_and_bounded)
{
	int fd;

	start((struct http_options){ 0 });
	fd = client();
	ask(fd, "POST /echo", "Content-Length: 5\r\n");
	hear(fd, "nothing yet");
	say(fd, "abcdeGET /h");
	hear(fd, "abcde");
	CHECK(strstr(got, "\r\n\r\nabcde"));
	CHECK(strstr(got, "X-Strange: a??b\r\n"));
	say(fd, "ello HTTP/1.1\r\nHost: evil\r\n\r\n");
	CHECK(strstr(hear(fd, "Request\n"), "421"));
	ask(fd, "POST /echo", "Content-Length: 3\r\nExpect: 100-continue\r\n");
	CHECK(strstr(hear(fd, "Continue\r\n\r\n"), "100 Continue"));
	say(fd, "xyz");
	CHECK(strstr(hear(fd, "xyz"), "\r\n\r\nxyz"));
	ask(fd, "POST /echo", "Content-Length: 1001\r\n");
	CHECK(strstr(hear(fd, "Large\n"), "413"));
	shutdown(fd, SHUT_WR);
	CHECK(is_closed(fd));
	close(fd);
	http_server_close(&server);
}

TEST(a_promised_answer_lets_others_pass)
{
	int slow;
	int fd;

	start((struct http_options){ 0 });
	slow = client();
	ask(slow, "GET /later", "");
	fd = client();
	ask(fd, "GET /hello", "");
	CHECK(strstr(hear(fd, "hello\n"), "200"));
	CHECK(promised);
	http_reply_text(promised, 200, "at last");
	CHECK(strstr(hear(slow, "at last\n"), "200"));
	ask(slow, "GET /soon", "");
	CHECK(strstr(hear(slow, "woken\n"), "200"));
	CHECK_EQ(cancelled, 0);
	close(slow);
	close(fd);
	http_server_close(&server);
}

TEST(who_hangs_up_is_no_longer_worked_for)
{
	int fd;

	start((struct http_options){ 0 });
	fd = client();
	ask(fd, "GET /later", "");
	hear(fd, "nothing");
	CHECK(promised);
	close(fd);
	turn_until(&cancelled);
	CHECK_EQ(cancelled, 1);
	CHECK_EQ(http_server_connections(&server), 0);
	http_server_close(&server);
	CHECK_EQ(cancelled, 1);
}

TEST(closing_cancels_and_forgetting_does_not)
{
	int fd;

	start((struct http_options){ 0 });
	fd = client();
	ask(fd, "GET /later", "");
	hear(fd, "nothing");
	http_server_close(&server);
	CHECK_EQ(cancelled, 1);
	close(fd);

	start((struct http_options){ 0 });
	fd = client();
	ask(fd, "GET /later", "");
	hear(fd, "nothing");
	CHECK(promised);
	http_server_forget(&server);
	CHECK_EQ(cancelled, 0);
	close(fd);
}

TEST(a_stream_comes_in_chunks_or_until_the_end)
{
	char old[200];
	int fd;

	start((struct http_options){ 0 });
	fd = client();
	ask(fd, "GET /stream", "");
	hear(fd, "0\r\n\r\n");
	CHECK(strstr(got, "Transfer-Encoding: chunked\r\n"));
	CHECK_STR(strstr(got, "\r\n\r\n"),
		  "\r\n\r\n8\r\npiece 0\n\r\n8\r\npiece 1\n\r\n"
		  "8\r\npiece 2\n\r\n0\r\n\r\n");
	fmt_text(old, sizeof(old),
		 "GET /stream HTTP/1.0\r\nHost: localhost:%u\r\n\r\n",
		 http_address_port(&server.address));
	say(fd, old);
	hear(fd, "");
	CHECK(!strstr(got, "chunked"));
	CHECK_STR(strstr(got, "\r\n\r\n"),
		  "\r\n\r\npiece 0\npiece 1\npiece 2\n");
	close(fd);
	http_server_close(&server);
}

TEST(an_answer_beyond_its_budget_becomes_an_error)
{
	int fd;

	start((struct http_options){ .memory_max = 1 << 20 });
	fd = client();
	ask(fd, "GET /large", "");
	CHECK(strstr(hear(fd, "too large\n"), "500"));
	ask(fd, "GET /nothing", "");
	CHECK(strstr(hear(fd, "this page\n"), "500"));
	close(fd);
	http_server_close(&server);
}

TEST(an_answer_longer_than_the_sockets_hold_arrives_whole)
{
	size_t total = 0;
	int fd;

	start((struct http_options){ 0 });
	fd = client();
	ask(fd, "GET /large", "Connection: close\r\n");
	for (;;) {
		ssize_t n = recv(fd, got, sizeof(got), 0);

		if (n == 0)
			break;
		if (n > 0)
			total += (size_t)n;
		else
			http_server_turn(&server, WAIT);
	}
	CHECK(total > 8 << 20 && total < (8 << 20) + 2000);
	close(fd);
	http_server_close(&server);
}

TEST(a_full_server_drops_who_has_been_idle_for_longest)
{
	int fd[5];

	start((struct http_options){ .connections = 4 });
	for (int i = 0; i < 4; i++) {
		fd[i] = client();
		ask(fd[i], "GET /hello", "");
		hear(fd[i], "hello\n");
	}
	ask(fd[1], "GET /later", "");
	CHECK_EQ(http_server_connections(&server), 4);
	fd[4] = client();
	ask(fd[4], "GET /hello", "");
	CHECK(strstr(hear(fd[4], "hello\n"), "200"));
	CHECK(is_closed(fd[0]));
	CHECK_EQ(http_server_connections(&server), 4);
	http_reply_text(promised, 200, "still here");
	CHECK(strstr(hear(fd[1], "still here\n"), "200"));
	for (int i = 0; i < 5; i++)
		close(fd[i]);
	http_server_close(&server);
}

/* Lets the process have so many descriptors more than it has. */
static struct rlimit limit_descriptors(unsigned more)
{
	struct rlimit old;
	struct rlimit low;
	int next = dup(0);

	CHECK(next >= 0);
	CHECK_EQ(getrlimit(RLIMIT_NOFILE, &old), 0);
	low = old;
	low.rlim_cur = (rlim_t)next + more;
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
	close(next);
	return old;
}

TEST(idle_clients_do_not_keep_the_last_descriptors)
{
	struct rlimit old;
	int idle[2];
	int fd;

	start((struct http_options){ 0 });
	idle[0] = client();
	idle[1] = client();
	ask(idle[1], "GET /hello", "");
	hear(idle[1], "hello\n");
	fd = socket(AF_INET, SOCK_STREAM, 0);
	old = limit_descriptors(0);
	CHECK_EQ(connect(fd, &server.address.of.any, server.address.len), 0);
	CHECK_EQ(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	ask(fd, "GET /hello", "");
	CHECK(strstr(hear(fd, "hello\n"), "200"));
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &old), 0);
	close(fd);
	close(idle[0]);
	close(idle[1]);
	http_server_close(&server);
}

TEST(who_is_silent_or_slow_is_dropped)
{
	struct http_patience patience = {
		.idle = 30, .head = 30, .body = 30, .answer = 30
	};
	int fd;

	start((struct http_options){ .patience = patience });
	fd = client();
	CHECK(is_closed(fd));
	close(fd);
	fd = client();
	say(fd, "GET /hello HT");
	CHECK(strstr(hear(fd, "Timeout\n"), "408"));
	close(fd);
	fd = client();
	ask(fd, "POST /echo", "Content-Length: 5\r\n");
	CHECK(strstr(hear(fd, "Timeout\n"), "408"));
	close(fd);
	http_server_close(&server);
}

TEST(who_does_not_read_is_dropped)
{
	struct http_patience patience = { .answer = 30 };
	int pair[2];

	start((struct http_options){ .patience = patience });
	CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
	CHECK_EQ(http_server_adopt(&server, pair[1], true), 0);
	ask(pair[0], "GET /large", "");
	for (int i = 0; i < TURNS && http_server_connections(&server); i++)
		http_server_turn(&server, WAIT);
	CHECK_EQ(http_server_connections(&server), 0);
	close(pair[0]);
	http_server_close(&server);
}

static int rang;

static void ring(void *context)
{
	uint64_t count;

	rang++;
	CHECK_EQ(read(*(int *)context, &count, sizeof(count)), 8);
}

TEST(a_watched_descriptor_is_heard_of)
{
	int bell = eventfd(0, EFD_CLOEXEC);
	uint64_t one = 1;

	start((struct http_options){ 0 });
	CHECK_EQ(http_server_watch(&server, bell, ring, &bell), 0);
	http_server_turn(&server, 0);
	CHECK_EQ(rang, 0);
	CHECK_EQ(write(bell, &one, sizeof(one)), 8);
	http_server_turn(&server, 0);
	http_server_turn(&server, 0);
	CHECK_EQ(rang, 1);
	http_server_close(&server);
	close(bell);
}

TEST(an_adopted_socket_is_served_and_may_be_trusted)
{
	int pair[2];

	start((struct http_options){ .token = "0123456789" });
	CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
	CHECK_EQ(http_server_adopt(&server, pair[1], true), 0);
	say(pair[0], "GET /hello HTTP/1.1\r\nHost: any\r\n\r\n");
	CHECK(strstr(hear(pair[0], "hello\n"), "200"));
	close(pair[0]);
	CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
	CHECK_EQ(http_server_adopt(&server, pair[1], false), 0);
	ask(pair[0], "GET /hello", "");
	CHECK(strstr(hear(pair[0], "Unauthorized\n"),
		     "WWW-Authenticate: Bearer\r\n"));
	close(pair[0]);
	http_server_close(&server);
}

TEST(an_address_for_others_needs_a_token)
{
	struct http_options options = { .serve = serve };
	struct error err;

	CHECK_EQ(http_address_parse(&options.address, "0.0.0.0:0", NULL), 0);
	CHECK_EQ(http_server_open(&server, &options, &err), -EACCES);
	CHECK(strstr(err.text, "needs a token"));
	options.token = "short";
	CHECK_EQ(http_server_open(&server, &options, &err), -EINVAL);
	options.token = "long enough";
	CHECK_EQ(http_server_open(&server, &options, &err), 0);
	http_server_close(&server);
}

TEST(a_unix_socket_is_its_users_alone_and_replaces_a_dead_one)
{
	struct http_options options = { .serve = serve };
	struct http_server second;
	struct error err;
	struct stat st;
	char path[100];

	fmt_text(path, sizeof(path), "unix:%s/s", test_directory());
	CHECK_EQ(http_address_parse(&options.address, path, NULL), 0);
	CHECK_EQ(http_server_open(&server, &options, &err), 0);
	CHECK_EQ(stat(path + 5, &st), 0);
	CHECK_EQ(st.st_mode & 0777, 0600);
	CHECK_EQ(http_server_open(&second, &options, &err), -EADDRINUSE);
	CHECK(strstr(err.text, "cannot listen at 'unix:"));
	http_server_forget(&server);
	CHECK_EQ(stat(path + 5, &st), 0);
	CHECK_EQ(http_server_open(&second, &options, &err), 0);
	http_server_close(&second);
	CHECK_EQ(stat(path + 5, &st), -1);
}
