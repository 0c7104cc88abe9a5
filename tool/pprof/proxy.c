/* SPDX-License-Identifier: MIT */
/* See proxy.h. */
#include "pprof/proxy.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/error.h"
#include "pprof/url.h"

/* An address of either family; IPv4 as it is embedded in IPv6. */
struct address {
	unsigned char bytes[16];
};

static bool parse_address(const char *text, struct address *ret)
{
	struct address a = { { [10] = 0xff, [11] = 0xff } };

	if (inet_pton(AF_INET, text, a.bytes + 12) == 1 ||
	    inet_pton(AF_INET6, text, a.bytes) == 1) {
		*ret = a;
		return true;
	}
	return false;
}

static bool is_loopback(const char *host)
{
	static const struct address six = { { [15] = 1 } };
	struct address a;

	if (!strcasecmp(host, "localhost"))
		return true;
	if (!parse_address(host, &a))
		return false;
	return !memcmp(&a, &six, sizeof(a)) ||
	       (a.bytes[10] == 0xff && a.bytes[12] == 127);
}

/* Whether host lies in the network "address/bits". */
static bool in_network(const char *entry, const char *host)
{
	char text[64];
	const char *slash = strchr(entry, '/');
	struct address net;
	struct address a;
	int bits;

	if (!slash || slash - entry >= (long)sizeof(text) ||
	    !parse_address(host, &a))
		return false;
	memcpy(text, entry, (size_t)(slash - entry));
	text[slash - entry] = '\0';
	if (!parse_address(text, &net))
		return false;
	bits = atoi(slash + 1) + (strchr(text, ':') ? 0 : 96);
	for (int i = 0; i < bits && i < 128; i++)
		if ((a.bytes[i / 8] ^ net.bytes[i / 8]) & (0x80 >> i % 8))
			return false;
	return bits >= 0 && bits <= 128;
}

/* "example.com" and what is below it; ".example.com" only what is below. */
static bool in_domain(const char *domain, const char *host)
{
	size_t host_len = strlen(host);
	size_t len;

	if (!strncmp(domain, "*.", 2))
		domain++;
	len = strlen(domain);
	if (domain[0] == '.')
		return host_len > len &&
		       !strcasecmp(host + host_len - len, domain);
	if (!strcasecmp(host, domain))
		return true;
	return host_len > len && host[host_len - len - 1] == '.' &&
	       !strcasecmp(host + host_len - len, domain);
}

/* Cuts ":port" and brackets off; false if another port is meant. */
static bool port_matches(char *entry, const struct url *u)
{
	char *colon = strrchr(entry, ':');
	char *bracket = strchr(entry, ']');

	if (entry[0] == '[' && bracket) {
		colon = bracket[1] == ':' ? bracket + 1 : NULL;
		*bracket = '\0';
		memmove(entry, entry + 1, strlen(entry));
	} else if (colon && strchr(entry, ':') != colon) {
		return true; /* an IPv6 address */
	}
	if (!colon)
		return true;
	*colon = '\0';
	return !strcmp(colon + 1, url_port(u));
}

static bool entry_matches(char *entry, const struct url *u)
{
	struct address a;
	struct address b;

	if (!strcmp(entry, "*"))
		return true;
	if (strchr(entry, '/'))
		return in_network(entry, u->host);
	if (!port_matches(entry, u))
		return false;
	if (parse_address(entry, &a))
		return parse_address(u->host, &b) && !memcmp(&a, &b, sizeof(a));
	return entry[0] && in_domain(entry, u->host);
}

bool proxy_applies(const struct url *u, const char *no_proxy)
{
	if (is_loopback(u->host) || u->socket[0])
		return false;
	while (no_proxy && *no_proxy) {
		size_t len = strcspn(no_proxy, ",");
		char entry[256];
		size_t from = strspn(no_proxy, " \t");
		size_t to = len;

		while (to > from && strchr(" \t", no_proxy[to - 1]))
			to--;
		if (to > from && to - from < sizeof(entry)) {
			memcpy(entry, no_proxy + from, to - from);
			entry[to - from] = '\0';
			if (entry_matches(entry, u))
				return false;
		}
		no_proxy += len + (no_proxy[len] == ',');
	}
	return true;
}

static const char *variable(const char *upper, const char *lower)
{
	const char *value = getenv(upper);

	return value && *value ? value : getenv(lower);
}

bool proxy_find(const struct url *u, struct arena *arena, struct url *ret)
{
	const char *value = variable("HTTP_PROXY", "http_proxy");
	char *with_scheme;

	/* Under CGI, HTTP_PROXY is what the client wrote in a header. */
	if (getenv("REQUEST_METHOD"))
		value = getenv("http_proxy");
	if (!value || !*value ||
	    !proxy_applies(u, variable("NO_PROXY", "no_proxy")))
		return false;
	if (url_parse(ret, arena, value, NULL) == 0)
		return true;
	with_scheme = arena_alloc(arena, strlen(value) + 8);
	if (!with_scheme)
		return false;
	memcpy(with_scheme, "http://", 7);
	memcpy(with_scheme + 7, value, strlen(value) + 1);
	return url_parse(ret, arena, with_scheme, NULL) == 0;
}
