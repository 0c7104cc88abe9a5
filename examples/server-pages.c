/* SPDX-License-Identifier: MIT */
/* See server-pages.h. */
#include "server-pages.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wick.h"

enum { VALUE_SIZE = 512 };

struct page {
	int fd;
	char target[1024];
	char host[VALUE_SIZE];
	char accept[VALUE_SIZE];
};

bool pages_have(const char *path)
{
	return !strncmp(path, "/debug/pprof", 12) ||
	       !strncmp(path, "/metrics", 8);
}

/* The value of a field of the head; "" if it is not there. */
static void find_field(const char *head, const char *name, char *value)
{
	size_t len = strlen(name);

	value[0] = '\0';
	for (const char *line = head; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncasecmp(line, name, len) || line[len] != ':')
			continue;
		line += len + 1;
		line += strspn(line, " ");
		snprintf(value, VALUE_SIZE, "%.*s", (int)strcspn(line, "\r\n"),
			 line);
		return;
	}
}

static void send_all(int fd, const void *data, size_t left)
{
	const char *at = data;

	while (left) {
		ssize_t n = send(fd, at, left, MSG_NOSIGNAL);

		if (n <= 0)
			return;
		at += n;
		left -= (size_t)n;
	}
}

static void send_answer(int fd, const struct wick_http_answer *a)
{
	char head[4096];
	int len = snprintf(head, sizeof(head),
			   "HTTP/1.1 %d -\r\nContent-Type: %s\r\n"
			   "Content-Length: %zu\r\nConnection: close\r\n"
			   "%s\r\n",
			   a->status, a->content_type, a->body_size, a->fields);

	send_all(fd, head, (size_t)len);
	send_all(fd, a->body, a->body_size);
}

static void *run(void *context)
{
	static const char busy[] = "HTTP/1.1 503 -\r\nContent-Length: 0\r\n"
				   "Connection: close\r\n\r\n";
	struct page *p = context;
	const struct wick_http_request request = {
		.size = sizeof(request),
		.target = p->target,
		.host = p->host,
		.accept = p->accept,
	};
	struct wick_http_answer answer = { .size = sizeof(answer) };

	if (wick_http_handle(&request, &answer) == 0)
		send_answer(p->fd, &answer);
	else
		send_all(p->fd, busy, sizeof(busy) - 1);
	wick_http_release(&answer);
	close(p->fd);
	free(p);
	return NULL;
}

void pages_serve(int fd, const char *target, const char *head)
{
	struct page *p = calloc(1, sizeof(*p));
	pthread_t thread;

	if (!p)
		return;
	p->fd = dup(fd);
	snprintf(p->target, sizeof(p->target), "%s", target);
	find_field(head, "Host", p->host);
	find_field(head, "Accept", p->accept);
	if (p->fd >= 0 && pthread_create(&thread, NULL, run, p) == 0) {
		pthread_detach(thread);
		return;
	}
	close(p->fd);
	free(p);
}
