/* SPDX-License-Identifier: MIT */
/* See address.h. */
#include "http/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fmt.h"
#include "base/span.h"

enum { BACKLOG = 1024 };

static int parse_port(const char *text)
{
	int port = 0;

	if (!*text)
		return -EINVAL;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return -EINVAL;
		port = 10 * port + (*text - '0');
		if (port > 65535)
			return -EINVAL;
	}
	return port;
}

static int set_path(struct http_address *a, const char *path, struct error *err)
{
	size_t len = strlen(path);

	if (path[0] != '/')
		return error_set(err, -EINVAL,
				 "'unix:%s' is no address: the path of a "
				 "socket starts with '/'",
				 path);
	if (len >= sizeof(a->of.path.sun_path))
		return error_set(err, -EINVAL,
				 "'unix:%s' is no address: the path of a "
				 "socket has at most %zu bytes",
				 path, sizeof(a->of.path.sun_path) - 1);
	a->of.path = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(a->of.path.sun_path, path, len + 1);
	a->len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len + 1);
	return 0;
}

/* host without brackets. */
static bool set_host(struct http_address *a, const char *host, uint16_t port)
{
	if (!*host || !strcmp(host, "localhost"))
		host = "127.0.0.1";
	a->of.v4 = (struct sockaddr_in){ .sin_family = AF_INET,
					 .sin_port = htons(port) };
	a->len = sizeof(a->of.v4);
	if (inet_pton(AF_INET, host, &a->of.v4.sin_addr) == 1)
		return true;
	a->of.v6 = (struct sockaddr_in6){ .sin6_family = AF_INET6,
					  .sin6_port = htons(port) };
	a->len = sizeof(a->of.v6);
	return inet_pton(AF_INET6, host, &a->of.v6.sin6_addr) == 1;
}

static bool parse_host(struct http_address *a, const char *text, size_t len,
		       uint16_t port)
{
	char host[INET6_ADDRSTRLEN];
	bool bracketed = len > 2 && text[0] == '[' && text[len - 1] == ']';

	if (bracketed) {
		text++;
		len -= 2;
	}
	if (len >= sizeof(host) || bracketed != !!memchr(text, ':', len))
		return false;
	memcpy(host, text, len);
	host[len] = '\0';
	return set_host(a, host, port);
}

int http_address_parse(struct http_address *a, const char *text,
		       struct error *err)
{
	const char *colon = strrchr(text, ':');
	struct http_address found = { 0 };
	int port;

	if (span_starts(span_text(text), "unix:")) {
		int r = set_path(&found, text + 5, err);

		if (r == 0)
			*a = found;
		return r;
	}
	port = parse_port(colon ? colon + 1 : text);
	if (port < 0 ||
	    !parse_host(&found, text, colon ? (size_t)(colon - text) : 0,
			(uint16_t)port))
		return error_set(err, -EINVAL,
				 "'%s' is no address: write 127.0.0.1:6060, "
				 "[::1]:6060, :6060 or unix:/path",
				 text);
	*a = found;
	return 0;
}

bool http_address_is_local(const struct http_address *a)
{
	switch (a->of.any.sa_family) {
	case AF_INET:
		return ntohl(a->of.v4.sin_addr.s_addr) >> 24 == 127;
	case AF_INET6:
		return IN6_IS_ADDR_LOOPBACK(&a->of.v6.sin6_addr);
	default:
		return true;
	}
}

uint16_t http_address_port(const struct http_address *a)
{
	switch (a->of.any.sa_family) {
	case AF_INET:
		return ntohs(a->of.v4.sin_port);
	case AF_INET6:
		return ntohs(a->of.v6.sin6_port);
	default:
		return 0;
	}
}

void http_address_host(const struct http_address *a, char *buf, size_t size)
{
	char text[INET6_ADDRSTRLEN] = "";

	switch (a->of.any.sa_family) {
	case AF_INET:
		(void)inet_ntop(AF_INET, &a->of.v4.sin_addr, text,
				sizeof(text)); /* it has room */
		fmt_text(buf, size, "%s", text);
		return;
	case AF_INET6:
		(void)inet_ntop(AF_INET6, &a->of.v6.sin6_addr, text,
				sizeof(text)); /* it has room */
		fmt_text(buf, size, "[%s]", text);
		return;
	default:
		fmt_text(buf, size, "%s", "");
	}
}

void http_address_url(const struct http_address *a, char *buf, size_t size)
{
	char host[INET6_ADDRSTRLEN + 2];

	if (a->of.any.sa_family == AF_UNIX) {
		fmt_text(buf, size, "unix:%s", a->of.path.sun_path);
		return;
	}
	http_address_host(a, host, sizeof(host));
	fmt_text(buf, size, "http://%s:%u", host, http_address_port(a));
}

/*
 * Makes room for a unix socket if its name is taken by one that nobody listens
 * at any more.  Anything else that is there stays, and bind() says so.
 */
static void remove_stale(const struct http_address *a)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return;
	if (connect(fd, &a->of.any, a->len) < 0 && errno == ECONNREFUSED)
		(void)unlink(a->of.path.sun_path); /* bind() will tell */
	close(fd);
}

static int prepare(int fd, const struct http_address *a)
{
	int on = 1;

	if (a->of.any.sa_family == AF_UNIX) {
		remove_stale(a);
		/* The name gets the mode of the socket; the umask belongs to
		 * all threads of the process and is left alone. */
		return fchmod(fd, 0600) < 0 ? -errno : 0;
	}
	return setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0
		       ? -errno
		       : 0;
}

int http_listen(struct http_address *a, struct error *err)
{
	char url[160];
	int fd = socket(a->of.any.sa_family,
			SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int r = fd < 0 ? -errno : prepare(fd, a);

	if (r == 0 &&
	    (bind(fd, &a->of.any, a->len) < 0 || listen(fd, BACKLOG) < 0))
		r = -errno;
	if (r == 0 && a->of.any.sa_family != AF_UNIX &&
	    getsockname(fd, &a->of.any, &a->len) < 0)
		r = -errno;
	if (r == 0)
		return fd;

	if (fd >= 0)
		close(fd);
	http_address_url(a, url, sizeof(url));
	return error_set_errno(err, r, "cannot listen at '%s'", url);
}
