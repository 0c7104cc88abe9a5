/* SPDX-License-Identifier: MIT */
/* See http.h. */
#include "pprof/http.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/base64.h"
#include "base/error.h"
#include "base/sink.h"
#include "pprof/connection.h"
#include "pprof/curl.h"
#include "pprof/proxy.h"

#define REDIRECTIONS_MAX 10

static void write_login(struct sink *out, const char *header,
			const struct url *u)
{
	if (!u->userinfo[0])
		return;
	sink_format(out, "%s: Basic ", header);
	sink_base64(out, span_text(u->userinfo));
	sink_text(out, "\r\n");
}

static void write_host(struct sink *out, const struct url *u)
{
	bool brackets = strchr(u->host, ':') != NULL;

	sink_format(out, "%s%s%s", brackets ? "[" : "", u->host,
		    brackets ? "]" : "");
	if (u->port[0])
		sink_format(out, ":%s", u->port);
}

/* proxy: whom it is sent to, if not to the server itself. */
static struct span write_request(struct arena *arena,
				 const struct http_request *r,
				 const struct url *proxy)
{
	struct sink out = sink_to_memory(arena);
	const struct url *u = &r->url;

	sink_text(&out, r->post.at ? "POST " : "GET ");
	if (proxy) {
		sink_text(&out, "http://");
		write_host(&out, u);
	}
	sink_format(&out,
		    "%s%s%s%s HTTP/1.1\r\nHost: ", u->path[0] == '/' ? "" : "/",
		    u->path, u->query[0] ? "?" : "", u->query);
	write_host(&out, u);
	sink_text(&out, "\r\nUser-Agent: wick\r\nAccept: */*\r\n"
			"Accept-Encoding: identity\r\nConnection: close\r\n");
	write_login(&out, "Authorization", u);
	if (proxy)
		write_login(&out, "Proxy-Authorization", proxy);
	if (r->post.at)
		sink_format(&out,
			    "Content-Type: application/octet-stream\r\n"
			    "Content-Length: %zu\r\n",
			    r->post.len);
	sink_text(&out, "\r\n");
	sink_span(&out, r->post);
	return out.error ? (struct span){ 0 } : sink_bytes(&out);
}

/* Reads one answer from the connection. */
static int receive(int fd, const struct http_request *request,
		   struct response_parser *p, struct error *err)
{
	uint8_t buf[16384];
	int r;

	do {
		ssize_t n = connection_receive(fd, buf, sizeof(buf),
					       request->deadline, err);

		if (n < 0)
			return (int)n;
		r = n ? response_feed(p, span_of(buf, (size_t)n), err)
		      : response_end(p, err);
	} while (r == 0);
	return r < 0 ? r : 0;
}

static int converse(const struct http_request *request, struct arena *arena,
		    const struct url *proxy, struct response_parser *p,
		    struct error *err)
{
	struct span text = write_request(arena, request, proxy);
	int fd;
	int r;

	if (!text.len)
		return error_set(err, -ENOMEM, "out of memory");
	fd = connection_make(proxy ? proxy : &request->url, request->deadline,
			     err);
	if (fd < 0)
		return fd;
	r = connection_send(fd, text, request->deadline, err);
	if (r == 0)
		r = receive(fd, request, p, err);
	close(fd);
	return r;
}

/* One request and its answer, redirection or not. */
static int fetch_one(const struct http_request *request, struct arena *arena,
		     struct response *ret, struct span *ret_body,
		     struct error *err)
{
	const char *scheme = request->url.scheme;
	struct sink body = sink_to_memory(arena);
	struct response_parser *p = ARENA_NEW(arena, struct response_parser);
	struct url proxy;
	bool proxied;
	int r;

	if (!p)
		return error_set(err, -ENOMEM, "out of memory");
	if (!strncmp(scheme, "https", 5))
		return curl_fetch(request, arena, ret, ret_body, err);
	if (strcmp(scheme, "http") != 0 && !request->url.socket[0])
		return error_set(err, -EPROTONOSUPPORT,
				 "unsupported protocol scheme \"%s\"", scheme);
	proxied = proxy_find(&request->url, arena, &proxy);
	if (proxied && strcmp(proxy.scheme, "http") != 0)
		return curl_fetch(request, arena, ret, ret_body, err);

	response_start(p, &body, request->limit);
	r = converse(request, arena, proxied ? &proxy : NULL, p, err);
	if (r < 0)
		return r;
	*ret = p->response;
	*ret_body = sink_bytes(&body);
	return 0;
}

static bool is_redirection(const struct response *r)
{
	return r->location[0] &&
	       (r->status == 301 || r->status == 302 || r->status == 303 ||
		r->status == 307 || r->status == 308);
}

static int redirect(struct http_request *r, const struct response *response,
		    struct arena *arena, struct error *err)
{
	struct url from = r->url;
	int result = url_resolve(&r->url, arena, &from, response->location,
				 err);

	if (result < 0)
		return result;
	/* A stranger's answer does not send us to this machine's sockets, nor
	 * the password to another host. */
	if (r->url.socket[0] && !from.socket[0])
		return error_set(err, -EPERM,
				 "the server redirects to a socket");
	if (strcmp(r->url.host, from.host) != 0)
		r->url.userinfo = "";
	if (response->status < 307)
		r->post = (struct span){ 0 };
	return 0;
}

int http_fetch(const struct http_request *request, struct arena *arena,
	       struct response *ret, struct span *ret_body, struct error *err)
{
	struct http_request r = *request;

	for (int i = 0; i <= REDIRECTIONS_MAX; i++) {
		int result = fetch_one(&r, arena, ret, ret_body, err);

		if (result < 0 || !is_redirection(ret))
			return result;
		result = redirect(&r, ret, arena, err);
		if (result < 0)
			return result;
	}
	return error_set(err, -ELOOP, "stopped after %d redirects",
			 REDIRECTIONS_MAX);
}

int http_refused(const struct response *response, struct span body,
		 struct error *err)
{
	size_t len = body.len < 300 ? body.len : 300;

	while (len && (body.at[len - 1] == '\n' || body.at[len - 1] == '\r'))
		len--;
	if (response->go_pprof && len &&
	    strstr(response->content_type, "text/plain"))
		return error_set(err, -EREMOTEIO,
				 "server response: %u %s - %.*s",
				 response->status, response->reason, (int)len,
				 (const char *)body.at);
	return error_set(err, -EREMOTEIO, "server response: %u %s",
			 response->status, response->reason);
}
