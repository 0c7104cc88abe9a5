/* SPDX-License-Identifier: MIT */
/*
 * What the page is made of, over HTTP.  All of it is in memory before the first
 * request, but for sources, which source.c reads.  Nothing that is asked for
 * changes anything.
 */
#include "serve/pageserver.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/check.h"
#include "base/error.h"
#include "base/fmt.h"
#include "base/json.h"
#include "base/sink.h"
#include "format/pprof.h"
#include "http/exchange.h"
#include "http/head.h"
#include "http/route.h"
#include "http/target.h"
#include "profile/profile.h"
#include "report/team.h"
#include "serve/sourcecode.h"
#include "serve/view_page.h"

#define POLICY \
	"default-src 'none'; script-src 'self'; style-src 'self'; " \
	"img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; " \
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

#define JAVASCRIPT "text/javascript; charset=utf-8"
#define JSON	   "application/json"

/* The number behind the last slash of the path, or -1. */
static int64_t asked_number(const struct http_exchange *x)
{
	const char *at = strrchr(x->head->path, '/') + 1;
	int64_t n = 0;

	if (!*at)
		return -1;
	for (; *at; at++) {
		if (*at < '0' || *at > '9' || n > INT32_MAX / 10)
			return -1;
		n = n * 10 + (*at - '0');
	}
	return n;
}

static const struct served_profile *asked_profile(const struct page_server *s,
						  struct http_exchange *x)
{
	int64_t n = asked_number(x);

	if (n >= 0 && n < s->count)
		return &s->profiles[n];
	http_reply_text(x, 404, "there is no such profile");
	return NULL;
}

static void serve_page(void *context, struct http_exchange *x)
{
	static const char head[] = "<!--head-->", data[] = "<!--data-->";
	const char *at = strstr(view_html, head);
	const char *end = strstr(view_html, data);

	(void)context;
	ASSERT(at && end);
	sink_write(&x->out, view_html, (size_t)(at - view_html));
	sink_text(&x->out,
		  "<link rel=\"stylesheet\" href=\"view.css\">\n"
		  "<script type=\"module\" src=\"view.js\"></script>\n");
	at += sizeof(head) - 1;
	sink_write(&x->out, at, (size_t)(end - at));
	sink_text(&x->out, end + sizeof(data) - 1);
	http_set_policy(x, POLICY);
	http_reply(x, 200, "text/html; charset=utf-8");
}

static void serve_css(void *context, struct http_exchange *x)
{
	(void)context;
	http_reply_span(x, 200, "text/css; charset=utf-8", span_text(view_css));
}

static void serve_script(void *context, struct http_exchange *x)
{
	(void)context;
	http_reply_span(x, 200, JAVASCRIPT, span_text(view_js));
}

static void serve_worker(void *context, struct http_exchange *x)
{
	(void)context;
	/* A Worker's own policy decides what it may fetch. */
	http_set_policy(x, POLICY);
	http_reply_span(x, 200, JAVASCRIPT, span_text(view_worker_js));
}

static void serve_list(void *context, struct http_exchange *x)
{
	const struct page_server *s = context;
	struct json j = json_to(&x->out);

	json_open(&j, '[');
	for (unsigned i = 0; i < s->count; i++) {
		json_open(&j, '{');
		json_key(&j, "name");
		json_text(&j, s->profiles[i].name);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	http_reply(x, 200, JSON);
}

static void serve_columns(void *context, struct http_exchange *x)
{
	const struct served_profile *p = asked_profile(context, x);

	if (p)
		http_reply_span(x, 200, "application/octet-stream", p->columns);
}

static void serve_places(void *context, struct http_exchange *x)
{
	const struct served_profile *p = asked_profile(context, x);

	if (p)
		http_reply_span(x, 200, "application/octet-stream", p->places);
}

/* source/PROFILE?f=FUNCTION: the profile by its number. */
static void serve_source(void *context, struct http_exchange *x)
{
	const struct page_server *s = context;
	const struct served_profile *p = asked_profile(s, x);
	struct source_request q = { .source_path = s->source_path };
	struct error err = { 0 };
	char name[4 * 4096 + 1];
	int r;

	if (!p)
		return;
	r = http_param(x->head, "f", name, sizeof(name));
	if (r < 0) {
		http_reply_text(x, 400, "which function?");
		return;
	}
	q.profile = p->profile;
	q.function = name;
	r = sourcecode_write(&q, &x->out, &err);
	if (r < 0)
		http_reply_text(x, r == -ENOENT ? 404 : 500, "%s", err.text);
	else
		http_reply(x, 200, JSON);
}

static void serve_download(void *context, struct http_exchange *x)
{
	const struct page_server *s = context;
	const struct profile *p = s->profiles[0].profile;
	struct error err;

	if (pprof_write(p, team_for(p->sample_count), &x->out, &err) < 0) {
		http_reply_text(x, 500, "%s", err.text);
		return;
	}
	http_add_field(x, "Content-Disposition",
		       "attachment; filename=profile.pb.gz");
	http_reply(x, 200, "application/vnd.google.protobuf+gzip");
}

/* pprof's pages are views of this one: the script reads the path. */
static const struct http_route routes[] = {
	{ "/", HTTP_GET, serve_page },
	{ "/top", HTTP_GET, serve_page },
	{ "/flamegraph", HTTP_GET, serve_page },
	{ "/graph", HTTP_GET, serve_page },
	{ "/peek", HTTP_GET, serve_page },
	{ "/source", HTTP_GET, serve_page },
	{ "/disasm", HTTP_GET, serve_page },
	{ "/download", HTTP_GET, serve_download },
	{ "/view.css", HTTP_GET, serve_css },
	{ "/view.js", HTTP_GET, serve_script },
	{ "/worker.js", HTTP_GET, serve_worker },
	{ "/profiles.json", HTTP_GET, serve_list },
	{ "/data/*", HTTP_GET, serve_columns },
	{ "/places/*", HTTP_GET, serve_places },
	{ "/source/*", HTTP_GET, serve_source },
};

static void serve(void *context, struct http_exchange *x)
{
	http_route(routes, ARRAY_SIZE(routes), context, x);
}

static int make_token(char token[33], struct error *err)
{
	static const char digits[] = "0123456789abcdef";
	uint8_t bytes[16];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return error_set_errno(err, -errno, "cannot make a token");
	for (size_t i = 0; i < sizeof(bytes); i++) {
		token[2 * i] = digits[bytes[i] >> 4];
		token[2 * i + 1] = digits[bytes[i] & 15];
	}
	token[32] = '\0';
	return 0;
}

static void make_url(struct page_server *s)
{
	char base[200];
	size_t len;

	http_address_url(&s->http.address, base, sizeof(base));
	len = strlen(base);
	while (len && base[len - 1] == '/')
		base[--len] = '\0';
	if (s->token[0])
		fmt_text(s->url, sizeof(s->url), "%s/t/%s/", base, s->token);
	else
		fmt_text(s->url, sizeof(s->url), "%s/", base);
}

static void stop(void *context)
{
	((struct page_server *)context)->stopped = true;
}

/* Ends by a signal, so that what is open is closed. */
static int watch_signals(struct page_server *s)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -errno;
	s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->signals < 0)
		return -errno;
	return http_server_watch(&s->http, s->signals, stop, s);
}

void page_server_close(struct page_server *s)
{
	http_server_close(&s->http);
	if (s->signals >= 0)
		close(s->signals);
}

int page_server_open(struct page_server *s,
		     const struct page_server_options *options,
		     struct error *err)
{
	struct http_options http = { .serve = serve, .context = s };
	int r = http_address_parse(&http.address, options->address, err);

	*s = (struct page_server){
		.profiles = options->profiles,
		.count = options->count,
		.source_path = options->source_path,
		.signals = -1,
	};
	if (r < 0)
		return r;
	if (!options->open_to_all || !http_address_is_local(&http.address)) {
		r = make_token(s->token, err);
		if (r < 0)
			return r;
		http.token = s->token;
	}
	r = http_server_open(&s->http, &http, err);
	if (r < 0)
		return r;
	make_url(s);
	r = watch_signals(s);
	if (r < 0) {
		page_server_close(s);
		return error_set_errno(err, r, "cannot wait for signals");
	}
	return 0;
}

int page_server_run(struct page_server *s, struct error *err)
{
	int r = 0;

	while (r == 0 && !s->stopped)
		r = http_server_turn(&s->http, -1);
	return r < 0 ? error_set_errno(err, r, "cannot go on serving") : 0;
}
