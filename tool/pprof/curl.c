/* SPDX-License-Identifier: MIT */
/* See curl.h. */
#include "pprof/curl.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/sink.h"
#include "pprof/arguments.h"
#include "pprof/child.h"
#include "pprof/clock.h"
#include "pprof/http.h"
#include "pprof/proxy.h"

#define NOTES_MAX RESPONSE_HEADERS_MAX

static void add(struct sink *config, const char *option, const char *value)
{
	if (!value || !*value)
		return;
	sink_format(config, "%s = \"", option);
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			sink_char(config, '\\');
		sink_char(config, *value);
	}
	sink_text(config, "\"\n");
}

static void add_tls(struct sink *config, const struct http_request *r)
{
	if (!strcmp(r->url.scheme, "https+insecure"))
		sink_text(config, "insecure\n");
	if (!r->tls)
		return;
	add(config, "cert", r->tls->certificate);
	add(config, "key", r->tls->key);
	add(config, "cacert", r->tls->authority);
}

/* The address without the "+insecure" that curl does not know. */
static const char *address(const struct url *u, struct arena *arena)
{
	struct url plain = *u;

	if (!strcmp(plain.scheme, "https+insecure"))
		plain.scheme = "https";
	return url_text(&plain, arena);
}

/* For https curl looks at the environment itself. */
static void add_proxy(struct sink *config, const struct http_request *r,
		      struct arena *arena)
{
	struct url proxy;

	if (strcmp(r->url.scheme, "http") != 0 ||
	    !proxy_find(&r->url, arena, &proxy))
		return;
	add(config, "proxy", url_text(&proxy, arena));
	add(config, "proxy-user", proxy.userinfo);
}

/*
 * The request in curl's own language, for its standard input: passwords and
 * secret paths are not for the list of processes.
 */
static struct span compose(const struct http_request *r, struct arena *arena)
{
	struct sink config = sink_to_memory(arena);

	sink_format(&config,
		    "silent\nshow-error\ngloboff\n"
		    "proto = \"=http,https\"\n"
		    "user-agent = \"wick\"\n"
		    "header = \"Expect:\"\n"
		    "dump-header = \"/dev/fd/3\"\n"
		    "max-time = %d\n",
		    clock_left(r->deadline) / 1000 + 1);
	add(&config, "url", address(&r->url, arena));
	add(&config, "user", r->url.userinfo);
	add_tls(&config, r);
	add_proxy(&config, r, arena);
	if (r->post.at) {
		add(&config, "header",
		    "Content-Type: application/octet-stream");
		add(&config, "data-binary",
		    arena_text(arena, (const char *)r->post.at, r->post.len));
	}
	return config.error ? (struct span){ 0 } : sink_bytes(&config);
}

/* What was written to a file in memory, at most size - 1 bytes as text. */
static size_t read_notes(int fd, char *buf, size_t size)
{
	ssize_t n = pread(fd, buf, size - 1, 0);
	size_t len = n > 0 ? (size_t)n : 0;

	buf[len] = '\0';
	return len;
}

/* Of several answers (a proxy's, a hint) the headers of the last count. */
static int take_headers(struct response_parser *p, struct span notes,
			struct error *err)
{
	int r = -EBADMSG;

	while (notes.len) {
		const uint8_t *end = memmem(notes.at, notes.len, "\r\n\r\n", 4);
		size_t len = end ? (size_t)(end - notes.at) + 4 : notes.len;

		response_start(p, p->body, p->limit);
		r = response_feed(p, span_part(notes, 0, len), err);
		if (r < 0)
			return r;
		notes = span_part(notes, len, notes.len - len);
	}
	if (r < 0 || !p->response.status)
		return error_set(err, -EBADMSG, "curl reported no answer");
	return 0;
}

/* curl's own complaint, without its name in front. */
static int failed(int status, char *complaint, struct error *err)
{
	char *text = complaint;

	if (!strncmp(text, "curl: ", 6))
		text += 6;
	text[strcspn(text, "\n")] = '\0';
	if (status == 28)
		return error_set(err, -ETIMEDOUT,
				 "the server took too long to answer");
	return error_set(err, -EREMOTEIO, "curl: %s",
			 *text ? text : "failed without a reason");
}

/* The files in memory that curl writes its remarks to. */
struct notes {
	int headers;
	int complaint;
};

static int run(const struct http_request *request, struct span config,
	       const struct notes *notes, struct sink *body, struct error *err)
{
	/* -q: the user's own settings could change what is printed where. */
	static const char *const argv[] = { "curl", "-q", "--config", "-",
					    NULL };
	const struct child child = {
		.argv = argv,
		.input = config,
		.error_fd = notes->complaint,
		.third_fd = notes->headers,
		/* curl gives up by itself and says so; this is for a curl
		 * that hangs. */
		.deadline = request->deadline + 2000,
		.limit = request->limit,
	};
	char complaint[400];
	int r = child_run(&child, body, err);

	if (r == -ENOENT)
		return error_set(err, r,
				 "https needs the program 'curl', which is "
				 "not installed");
	if (r <= 0)
		return r;
	read_notes(notes->complaint, complaint, sizeof(complaint));
	return failed(r, complaint, err);
}

static int fetch(const struct http_request *request, struct arena *arena,
		 const struct notes *notes, struct response_parser *p,
		 struct error *err)
{
	char *headers = arena_alloc(arena, NOTES_MAX);
	struct span config = compose(request, arena);
	int r;

	if (!headers || !config.len)
		return error_set(err, -ENOMEM, "out of memory");
	r = run(request, config, notes, p->body, err);
	if (r < 0)
		return r;
	return take_headers(p,
			    span_of(headers, read_notes(notes->headers, headers,
							NOTES_MAX)),
			    err);
}

int curl_fetch(const struct http_request *request, struct arena *arena,
	       struct response *ret, struct span *ret_body, struct error *err)
{
	const struct notes notes = {
		.headers = memfd_create("headers", MFD_CLOEXEC),
		.complaint = memfd_create("complaint", MFD_CLOEXEC),
	};
	struct sink body = sink_to_memory(arena);
	struct response_parser *p = ARENA_NEW(arena, struct response_parser);
	int r = -ENOMEM;

	if (!p || notes.headers < 0 || notes.complaint < 0) {
		error_set_errno(err, r, "cannot run 'curl'");
	} else {
		response_start(p, &body, request->limit);
		r = fetch(request, arena, &notes, p, err);
	}
	if (notes.headers >= 0)
		close(notes.headers);
	if (notes.complaint >= 0)
		close(notes.complaint);
	if (r < 0)
		return r;
	*ret = p->response;
	*ret_body = sink_bytes(&body);
	return 0;
}
