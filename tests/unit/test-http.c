/* SPDX-License-Identifier: MIT */
/* The HTTP client against a server that says whatever a test wants. */
#include "pprof/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "pprof/clock.h"
#include "test.h"

/* Answers each connection with the next text; reads one request first. */
struct server {
	int fd;
	const char *answers[4];
	unsigned count;
	bool endless; /* repeats the answer until the client goes */
	bool patient; /* gives every client the first answer */
	char requests[4][4096];
	pthread_t thread;
};

static struct arena arena;
static struct error err;
static struct response response;
static struct span body;

static bool is_whole(const char *request)
{
	const char *end = strstr(request, "\r\n\r\n");
	const char *length = strstr(request, "Content-Length: ");

	if (!end)
		return false;
	return !length || strlen(end + 4) >= (size_t)atoi(length + 16);
}

static void read_request(int fd, char *request, size_t size)
{
	size_t len = 0;

	while (!is_whole(request) && len + 1 < size) {
		ssize_t n = recv(fd, request + len, size - 1 - len, 0);

		if (n <= 0)
			return;
		len += (size_t)n;
		request[len] = '\0';
	}
}

static void answer(struct server *s, unsigned i, int fd)
{
	const char *text = s->answers[i];
	ssize_t n;

	s->requests[i][0] = '\0';
	read_request(fd, s->requests[i], sizeof(s->requests[i]));
	do {
		n = send(fd, text, strlen(text), MSG_NOSIGNAL);
	} while (s->endless && n > 0);
	close(fd);
}

static void *serve(void *arg)
{
	struct server *s = arg;

	for (unsigned i = 0; i < s->count; i += !s->patient) {
		int fd = accept(s->fd, NULL, NULL);

		if (fd < 0)
			break;
		answer(s, i, fd);
	}
	return NULL;
}

static void start(struct server *s, int family)
{
	struct sockaddr_in six = { .sin_family = AF_INET };
	struct sockaddr_un un = { .sun_family = AF_UNIX };

	six.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	while (s->count < 4 && s->answers[s->count])
		s->count++;
	s->fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (family == AF_UNIX) {
		snprintf(un.sun_path, sizeof(un.sun_path), "%s/h.sock",
			 test_directory());
		unlink(un.sun_path);
		CHECK_EQ(bind(s->fd, (struct sockaddr *)&un, sizeof(un)), 0);
	} else {
		CHECK_EQ(bind(s->fd, (struct sockaddr *)&six, sizeof(six)), 0);
	}
	CHECK_EQ(listen(s->fd, 4), 0);
	CHECK_EQ(pthread_create(&s->thread, NULL, serve, s), 0);
}

static unsigned port_of(const struct server *s)
{
	struct sockaddr_in address;
	socklen_t len = sizeof(address);

	CHECK_EQ(getsockname(s->fd, (struct sockaddr *)&address, &len), 0);
	return ntohs(address.sin_port);
}

static void stop(struct server *s)
{
	shutdown(s->fd, SHUT_RDWR);
	pthread_join(s->thread, NULL);
	close(s->fd);
	arena_release(&arena);
}

static int fetch(const char *address, struct span post)
{
	struct http_request request = {
		.post = post,
		.deadline = clock_ms() + 30000,
		.limit = 100000,
	};
	int r = url_parse(&request.url, &arena, address, &err);

	return r < 0 ? r : http_fetch(&request, &arena, &response, &body, &err);
}

static int get(const struct server *s, const char *path)
{
	char address[200];

	snprintf(address, sizeof(address), "http://127.0.0.1:%u%s", port_of(s),
		 path);
	return fetch(address, (struct span){ 0 });
}

#define NOTHING \
	(struct span) \
	{ \
		0 \
	}
#define OK "HTTP/1.1 200 OK\r\n"

TEST(a_page_is_fetched)
{
	static struct server s = { .answers = {
					   OK "Content-Length: 5\r\n\r\nhello",
				   } };

	start(&s, AF_INET);
	CHECK_EQ(get(&s, "/debug/pprof/heap?gc=1"), 0);
	CHECK_EQ(response.status, 200);
	CHECK_BYTES(body.at, body.len, "hello", 5);
	CHECK(strstr(s.requests[0], "GET /debug/pprof/heap?gc=1 HTTP/1.1\r\n"));
	CHECK(strstr(s.requests[0], "\r\nHost: 127.0.0.1:"));
	CHECK(strstr(s.requests[0], "\r\nConnection: close\r\n"));
	stop(&s);
}

TEST(a_name_and_password_are_sent_along)
{
	static struct server s = { .answers = { OK "\r\n" } };
	char address[100];

	start(&s, AF_INET);
	snprintf(address, sizeof(address), "http://me:secret@127.0.0.1:%u/",
		 port_of(&s));
	CHECK_EQ(fetch(address, NOTHING), 0);
	CHECK(strstr(s.requests[0],
		     "\r\nAuthorization: Basic bWU6c2VjcmV0\r\n"));
	stop(&s);
}

TEST(a_body_is_posted)
{
	static struct server s = { .answers = { OK "\r\nnames" } };
	char address[100];

	start(&s, AF_INET);
	snprintf(address, sizeof(address), "http://127.0.0.1:%u/symbol",
		 port_of(&s));
	CHECK_EQ(fetch(address, span_text("0x1+0x2")), 0);
	CHECK(strstr(s.requests[0], "POST /symbol HTTP/1.1\r\n"));
	CHECK(strstr(s.requests[0], "\r\nContent-Length: 7\r\n"));
	CHECK(strstr(s.requests[0], "\r\n\r\n0x1+0x2"));
	CHECK_BYTES(body.at, body.len, "names", 5);
	stop(&s);
}

TEST(a_socket_is_as_good_as_a_port)
{
	static struct server s = { .answers = { OK "\r\nx" } };
	char address[200];

	start(&s, AF_UNIX);
	snprintf(address, sizeof(address), "unix:%s/h.sock:/debug/pprof/heap",
		 test_directory());
	CHECK_EQ(fetch(address, NOTHING), 0);
	CHECK(strstr(s.requests[0], "GET /debug/pprof/heap HTTP/1.1\r\n"));
	CHECK(strstr(s.requests[0], "\r\nHost: localhost\r\n"));
	stop(&s);
}

TEST(redirections_are_followed)
{
	static struct server s = {
		.answers = { "HTTP/1.1 302 Found\r\nLocation: /there\r\n"
			     "Content-Length: 0\r\n\r\n",
			     OK "\r\nx" },
	};

	start(&s, AF_INET);
	CHECK_EQ(get(&s, "/here"), 0);
	CHECK_EQ(response.status, 200);
	CHECK(strstr(s.requests[1], "GET /there HTTP/1.1\r\n"));
	stop(&s);
}

TEST(a_post_becomes_a_get_unless_it_is_to_be_repeated)
{
	static struct server s = {
		.answers = { "HTTP/1.1 307 x\r\nLocation: /b\r\n\r\n",
			     "HTTP/1.1 303 x\r\nLocation: /c\r\n\r\n",
			     OK "\r\nx" },
	};
	char address[100];

	start(&s, AF_INET);
	snprintf(address, sizeof(address), "http://127.0.0.1:%u/a",
		 port_of(&s));
	CHECK_EQ(fetch(address, span_text("p")), 0);
	CHECK(strstr(s.requests[1], "POST /b "));
	CHECK(strstr(s.requests[2], "GET /c "));
	stop(&s);
}

TEST(a_redirection_to_a_socket_is_refused)
{
	static struct server s = {
		.answers = { "HTTP/1.1 302 x\r\n"
			     "Location: unix:/run/secret.sock:/x\r\n\r\n" },
	};

	start(&s, AF_INET);
	CHECK_EQ(get(&s, "/"), -EPERM);
	stop(&s);
}

TEST(redirections_in_a_circle_end)
{
	static struct server s = {
		.answers = { "HTTP/1.1 302 x\r\nLocation: /\r\n\r\n" },
		.patient = true,
	};

	start(&s, AF_INET);
	CHECK_EQ(get(&s, "/"), -ELOOP);
	stop(&s);
}

TEST(a_refusal_is_an_answer)
{
	static struct server s = {
		.answers = { "HTTP/1.1 500 Internal Server Error\r\n"
			     "X-Go-Pprof: 1\r\nContent-Type: text/plain\r\n"
			     "\r\nbusy profiling\n" },
	};

	start(&s, AF_INET);
	CHECK_EQ(get(&s, "/"), 0);
	CHECK_EQ(response.status, 500);
	CHECK(http_refused(&response, body, &err) < 0);
	CHECK_STR(err.text, "server response: 500 Internal Server Error - busy "
			    "profiling");
	response.go_pprof = false;
	CHECK(http_refused(&response, body, &err) < 0);
	CHECK_STR(err.text, "server response: 500 Internal Server Error");
	stop(&s);
}

TEST(a_server_that_hangs_up_is_noticed)
{
	static struct server s = {
		.answers = { OK "Content-Length: 10\r\n\r\nhello" },
	};

	start(&s, AF_INET);
	CHECK_EQ(get(&s, "/"), -EBADMSG);
	stop(&s);
}

TEST(endless_bodies_and_headers_are_given_up)
{
	static struct server large = { .answers = { OK "\r\nxxxxxxxxxxxxxxxx" },
				       .endless = true };
	static struct server talkative = { .answers = { OK "a: b\r\nc: d\r\n" },
					   .endless = true };

	start(&large, AF_INET);
	CHECK_EQ(get(&large, "/"), -EFBIG);
	stop(&large);
	start(&talkative, AF_INET);
	CHECK_EQ(get(&talkative, "/"), -EBADMSG);
	stop(&talkative);
}

TEST(a_deadline_in_the_past_is_over)
{
	static struct server s = { .answers = { OK "\r\nx" } };
	struct http_request request = { .deadline = clock_ms() - 1,
					.limit = 100 };
	char address[100];

	start(&s, AF_INET);
	snprintf(address, sizeof(address), "http://127.0.0.1:%u/", port_of(&s));
	CHECK_EQ(url_parse(&request.url, &arena, address, &err), 0);
	CHECK_EQ(http_fetch(&request, &arena, &response, &body, &err),
		 -ETIMEDOUT);
	stop(&s);
}

TEST(nobody_there_is_an_error_that_names_the_place)
{
	static struct server s = { .answers = { OK "\r\nx" } };
	char address[100];

	/* A port that was free a moment ago. */
	start(&s, AF_INET);
	snprintf(address, sizeof(address), "http://127.0.0.1:%u/", port_of(&s));
	stop(&s);
	CHECK(fetch(address, NOTHING) < 0);
	CHECK(strstr(err.text, "cannot connect to '127.0.0.1' port "));
	arena_release(&arena);
}

TEST(other_schemes_are_not_spoken)
{
	CHECK_EQ(fetch("ftp://127.0.0.1/x", NOTHING), -EPROTONOSUPPORT);
	arena_release(&arena);
}
