/* SPDX-License-Identifier: MIT */
/*
 * A small HTTP server that profiles itself: threads with an epoll loop each,
 * requests that parse, hash, allocate, take a lock and read files.
 *
 *	server [--port N] [--threads N] [--files FOLDER] [--cpu-profiling]
 *
 * With --cpu-profiling it writes cpu.pprof when it is told to end (SIGTERM or
 * SIGINT).  Each request's path is a label of its samples, and wick's own pages
 * are at /debug/pprof/.  It links libwick.a and shows how little that takes:
 * search for "wick_".
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "server-pages.h"
#include "server-work.h"
#include "wick.h"

enum {
	REQUEST_MAX = 8192,
	EVENTS = 64,
	THREADS_MAX = 64,
};

static struct {
	uint16_t port;
	unsigned threads;
	const char *files;
	bool profile;
} opt = { .port = 8080, .threads = 4, .files = "." };

/* A connection, and what has been received of its next request. */
struct client {
	int fd;
	size_t used;
	char request[REQUEST_MAX];
};

static void send_all(int fd, const char *at, size_t left, int flags)
{
	while (left) {
		ssize_t n = send(fd, at, left, MSG_NOSIGNAL | flags);

		if (n < 0 && errno == EINTR)
			continue;
		/* A client that does not read is not waited for. */
		if (n <= 0)
			return;
		at += n;
		left -= (size_t)n;
	}
}

static void answer(int fd, const struct reply *r)
{
	char head[200];
	int len = snprintf(head, sizeof(head),
			   "HTTP/1.1 %s\r\nContent-Type: text/plain\r\n"
			   "Content-Length: %zu\r\n\r\n",
			   r->status, r->len);

	send_all(fd, head, (size_t)len, r->len ? MSG_MORE : 0);
	send_all(fd, r->body, r->len, 0);
}

static void show_cost(const char *argument, struct reply *r);

/* What each path does; see server-work.h. */
static const struct route {
	const char *path;
	void (*serve)(const char *argument, struct reply *r);
} routes[] = {
	{ "/hash", work_hash },	  /* /hash?rounds */
	{ "/count", work_count }, /* /count?word */
	{ "/sum", work_sum },	  /* /sum?1+2+3 */
	{ "/file", work_file },	  /* /file?name */
	{ "/cost", show_cost },
};

enum { ROUTES = sizeof(routes) / sizeof(routes[0]) };

/* CPU time that each has taken, for those who want to check a profile. */
static _Atomic uint64_t cost[ROUTES];

static uint64_t cpu_nanos(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void show_cost(const char *argument, struct reply *r)
{
	char text[64 * ROUTES];
	size_t len = 0;

	(void)argument;
	for (size_t i = 0; i < ROUTES; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"%s %llu ns\n", routes[i].path,
					(unsigned long long)cost[i]);
	r->status = "200 OK";
	r->body = strdup(text);
	r->len = r->body ? len : 0;
}

static void serve(int fd, char *path)
{
	struct reply r = { .status = "404 Not Found" };
	char *argument = strchr(path, '?');

	if (argument)
		*argument++ = '\0';
	wick_label_set("endpoint", path);
	for (size_t i = 0; i < ROUTES; i++) {
		uint64_t start = cpu_nanos();

		if (strcmp(path, routes[i].path) != 0)
			continue;
		routes[i].serve(argument ? argument : "", &r);
		cost[i] += cpu_nanos() - start;
	}
	answer(fd, &r);
	free(r.body);
	wick_label_clear("endpoint");
}

/* Serves the requests that are complete; false: the client has to go. */
static bool serve_complete(struct client *c)
{
	char *end;

	while ((end = memmem(c->request, c->used, "\r\n\r\n", 4))) {
		size_t len = (size_t)(end + 4 - c->request);
		char path[1024];

		*end = '\0';
		if (sscanf(c->request, "GET %1023s HTTP/", path) != 1)
			return false;
		if (pages_have(path)) {
			pages_serve(c->fd, path, c->request);
			return false;
		}
		serve(c->fd, path);
		memmove(c->request, c->request + len, c->used - len);
		c->used -= len;
	}
	return c->used < REQUEST_MAX;
}

static bool receive(struct client *c)
{
	ssize_t n = recv(c->fd, c->request + c->used, REQUEST_MAX - c->used, 0);

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	if (n == 0)
		return false;
	c->used += (size_t)n;
	return serve_complete(c);
}

static int listen_on(uint16_t port)
{
	const int on = 1;
	const struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on));
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
	    listen(fd, 1024) < 0) {
		perror("server");
		exit(1);
	}
	return fd;
}

static void welcome(int loop, int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	struct client *c = fd < 0 ? NULL : calloc(1, sizeof(*c));
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = c };

	if (!c)
		return;
	c->fd = fd;
	epoll_ctl(loop, EPOLL_CTL_ADD, fd, &event);
}

static void *serve_clients(void *context)
{
	int listener = listen_on(opt.port);
	int loop = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event = { .events = EPOLLIN };
	struct epoll_event events[EVENTS];

	(void)context;
	epoll_ctl(loop, EPOLL_CTL_ADD, listener, &event);
	for (;;) {
		int n = epoll_wait(loop, events, EVENTS, -1);

		for (int i = 0; i < n; i++) {
			struct client *c = events[i].data.ptr;

			if (!c) {
				welcome(loop, listener);
			} else if (!receive(c)) {
				close(c->fd);
				free(c);
			}
		}
	}
	return NULL;
}

static void read_options(char **argv)
{
	for (; *argv; argv++) {
		if (!strcmp(*argv, "--cpu-profiling"))
			opt.profile = true;
		else if (!strcmp(*argv, "--port") && argv[1])
			opt.port = (uint16_t)atoi(*++argv);
		else if (!strcmp(*argv, "--threads") && argv[1])
			opt.threads = (unsigned)atoi(*++argv);
		else if (!strcmp(*argv, "--files") && argv[1])
			opt.files = *++argv;
		else {
			fprintf(stderr, "server: what is '%s'?\n", *argv);
			exit(2);
		}
	}
	if (!opt.threads || opt.threads > THREADS_MAX)
		opt.threads = 4;
}

int main(int argc, char **argv)
{
	const struct wick_options profile = { .size = sizeof(profile),
					      .hz = 1000 };
	sigset_t ends;
	pthread_t thread;
	int signal;

	(void)argc;
	read_options(argv + 1);
	work_begin(opt.files);
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	pthread_sigmask(SIG_BLOCK, &ends, NULL);
	if (opt.profile && wick_cpu_start(&profile) < 0)
		fprintf(stderr, "server: cannot profile\n");
	for (unsigned i = 0; i < opt.threads; i++)
		pthread_create(&thread, NULL, serve_clients, NULL);
	sigwait(&ends, &signal);
	if (opt.profile && wick_cpu_stop_file("cpu.pprof") < 0)
		fprintf(stderr, "server: cannot write 'cpu.pprof'\n");
	return 0;
}
