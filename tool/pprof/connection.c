/* SPDX-License-Identifier: MIT */
/* See connection.h. */
#include "pprof/connection.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "pprof/clock.h"
#include "pprof/url.h"

/* With other addresses left to try, one may not take all the time there is. */
#define ATTEMPT_MS 10000

/* Waits for events; 0 or a negative errno. */
static int wait_for(int fd, short events, int64_t deadline)
{
	struct pollfd p = { .fd = fd, .events = events };

	for (;;) {
		int left = clock_left(deadline);
		int n = poll(&p, 1, left);

		/* A server that sends without end is late, too. */
		if (n == 0 || left == 0)
			return -ETIMEDOUT;
		if (n > 0)
			return 0;
		if (errno != EINTR)
			return -errno;
	}
}

static int finish_connect(int fd, int64_t deadline)
{
	int failure = 0;
	socklen_t len = sizeof(failure);
	int r = wait_for(fd, POLLOUT, deadline);

	if (r < 0)
		return r;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &len) < 0)
		return -errno;
	return -failure;
}

static int connect_to(const struct sockaddr *address, socklen_t len,
		      int64_t deadline)
{
	int fd = socket(address->sa_family,
			SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int r = 0;

	if (fd < 0)
		return -errno;
	if (connect(fd, address, len) < 0)
		r = errno == EINPROGRESS ? finish_connect(fd, deadline)
					 : -errno;
	if (r < 0) {
		close(fd);
		return r;
	}
	return fd;
}

static int open_socket(const char *path, int64_t deadline, struct error *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t len = strlen(path);
	int r;

	if (len >= sizeof(address.sun_path))
		return error_set(err, -ENAMETOOLONG,
				 "the name of the socket '%s' is too long",
				 path);
	memcpy(address.sun_path, path, len + 1);
	r = connect_to((struct sockaddr *)&address, sizeof(address), deadline);
	if (r < 0)
		error_set_errno(err, r, "cannot connect to '%s'", path);
	return r;
}

static int try_each(const struct addrinfo *list, int64_t deadline)
{
	int r = -EHOSTUNREACH;

	for (const struct addrinfo *a = list; a; a = a->ai_next) {
		int64_t until = clock_ms() + ATTEMPT_MS;

		if (!a->ai_next || until > deadline)
			until = deadline;
		r = connect_to(a->ai_addr, a->ai_addrlen, until);
		if (r >= 0)
			return r;
	}
	return r;
}

int connection_make(const struct url *u, int64_t deadline, struct error *err)
{
	const struct addrinfo hints = { .ai_family = AF_UNSPEC,
					.ai_socktype = SOCK_STREAM,
					.ai_flags = AI_ADDRCONFIG };
	struct addrinfo *list;
	int r;

	if (u->socket[0])
		return open_socket(u->socket, deadline, err);
	r = getaddrinfo(u->host, url_port(u), &hints, &list);
	if (r)
		return error_set(err, -EHOSTUNREACH,
				 "cannot find the host '%s': %s", u->host,
				 gai_strerror(r));
	r = try_each(list, deadline);
	freeaddrinfo(list);
	if (r < 0)
		error_set_errno(err, r, "cannot connect to '%s' port %s",
				u->host, url_port(u));
	return r;
}

int connection_send(int fd, struct span bytes, int64_t deadline,
		    struct error *err)
{
	while (bytes.len) {
		int r = wait_for(fd, POLLOUT, deadline);
		ssize_t n = 0;

		if (r == 0) {
			n = send(fd, bytes.at, bytes.len, MSG_NOSIGNAL);
			if (n < 0 && errno != EAGAIN && errno != EINTR)
				r = -errno;
		}
		if (r < 0)
			return error_set_errno(err, r,
					       "cannot send the request");
		if (n > 0)
			bytes = span_part(bytes, (size_t)n,
					  bytes.len - (size_t)n);
	}
	return 0;
}

ssize_t connection_receive(int fd, void *buf, size_t size, int64_t deadline,
			   struct error *err)
{
	for (;;) {
		int r = wait_for(fd, POLLIN, deadline);
		ssize_t n;

		if (r == -ETIMEDOUT)
			return error_set(err, r,
					 "the server took too long to answer");
		n = r < 0 ? r : recv(fd, buf, size, 0);
		if (n >= 0)
			return n;
		if (r == 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		return error_set_errno(err, r < 0 ? r : -errno,
				       "cannot read the server's answer");
	}
}
