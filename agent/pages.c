/* SPDX-License-Identifier: MIT */
/*
 * See pages.h.  A profile is promised, taken while others are served, rendered
 * by another thread, and sent.  Mistakes are answered with one line, marked so
 * that "go tool pprof" shows it.
 */
#include "agent/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "agent/capture.h"
#include "agent/lookup.h"
#include "agent/render.h"
#include "base/check.h"
#include "base/error.h"
#include "base/fmt.h"
#include "http/exchange.h"
#include "http/head.h"
#include "http/route.h"
#include "http/target.h"
#include "picture/flame.h"

enum {
	SECONDS_MAX = 3600,
	PROFILE_MILLIS = 30000, /* as Go's */
	FLAME_MILLIS = 5000,	/* a person is waiting */
	POLL = 3,		/* ms between looks at a job */
	VALUE_SIZE = 64,	/* of a parameter, with its NUL */
	LOOKUPS_MAX = 1 << 18,
	JOBS_MAX = 32, /* at once; others are refused */
};

#define TEXT "text/plain; charset=utf-8"
#define INDEX_POLICY \
	"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; " \
	"form-action 'none'; frame-ancestors 'none'"

/* What a profile is to be. */
struct wish {
	struct capture_options capture;
	enum page_form form;
	uint64_t millis; /* 0: the threads now */
};

/* How each form is sent. */
static const struct {
	const char *name; /* as in format=NAME; NULL: not to be asked for */
	const char *type;
	bool scripted;
	bool saved;
} forms[] = {
	[FORM_PPROF] = { "pprof", "application/octet-stream", false, true },
	[FORM_SVG] = { "svg", "image/svg+xml", true, false },
	[FORM_HTML] = { "html", "text/html; charset=utf-8", true, false },
	[FORM_FOLDED] = { "folded", TEXT, false, false },
	[FORM_TEXT] = { "text", TEXT, false, false },
	[FORM_STACKS] = { NULL, TEXT, false, false },
	[FORM_THREADS] = { NULL, TEXT, false, false },
	[FORM_SYMBOLS] = { NULL, TEXT, false, false },
};

static void refuse(struct http_exchange *x, int status, const char *why)
{
	http_add_field(x, "X-Go-Pprof", "1");
	http_reply_text(x, status, "%s", why);
}

/* Digits and up to three decimals, in thousandths; -1: anything else. */
static int64_t parse_thousandths(const char *text)
{
	int64_t value = 0;
	unsigned digits = 0;
	unsigned decimals = 3;

	for (; *text >= '0' && *text <= '9' && digits < 12; text++, digits++)
		value = 10 * value + (*text - '0');
	if (!digits)
		return -1;
	value *= 1000;
	if (*text == '.') {
		int64_t unit = 100;

		for (text++; *text >= '0' && *text <= '9' && decimals; text++) {
			value += unit * (*text - '0');
			unit /= 10;
			decimals--;
		}
	}
	return *text ? -1 : value;
}

/*
 * A number from above 0 to most, in thousandths.  Without the parameter *ret
 * stays.  False: it was refused.
 */
static bool read_number(struct http_exchange *x, const char *name,
			uint64_t most, uint64_t *ret)
{
	char value[VALUE_SIZE];
	char why[128];
	int len = http_param(x->head, name, value, sizeof(value));
	int64_t number = len > 0 ? parse_thousandths(value) : -1;

	if (len == -ENOENT || len == 0)
		return true;
	if (number > 0 && (uint64_t)number <= most * 1000) {
		*ret = (uint64_t)number;
		return true;
	}
	fmt_text(why, sizeof(why), "%s is to be a number above 0, at most %llu",
		 name, (unsigned long long)most);
	refuse(x, 400, why);
	return false;
}

static bool read_clock(struct http_exchange *x, struct wish *w)
{
	char value[VALUE_SIZE];
	int len = http_param(x->head, "clock", value, sizeof(value));

	if (len == -ENOENT)
		return true;
	if (len > 0 && !strcmp(value, "wall"))
		w->capture.clock = CAPTURE_WALL;
	else if (len < 0 || strcmp(value, "cpu") != 0) {
		refuse(x, 400, "clock is to be cpu or wall");
		return false;
	}
	return true;
}

/* A browser says that it would like a page; tools do not. */
static bool wants_page(const struct http_exchange *x)
{
	return http_list_holds(http_field(x->head, "accept"), "text/html");
}

/* What was said outright; false: it was refused. */
static bool read_form(struct http_exchange *x, enum page_form *form)
{
	char value[VALUE_SIZE];
	int len = http_param(x->head, "format", value, sizeof(value));

	if (len == -ENOENT)
		return true;
	for (size_t i = 0; len > 0 && i < ARRAY_SIZE(forms); i++) {
		if (forms[i].name && !strcmp(forms[i].name, value)) {
			*form = (enum page_form)i;
			return true;
		}
	}
	refuse(x, 400, "format is to be pprof, svg, html, folded or text");
	return false;
}

static void count_cancelled(struct pages *p)
{
	p->cancelled++;
	p->jobs--;
}

static void cancel_capture(struct http_exchange *x)
{
	struct render_job *job = x->later.context;

	count_cancelled(job->pages);
	render_free(job);
}

static void cancel_render(struct http_exchange *x)
{
	struct render_job *job = x->later.context;

	count_cancelled(job->pages);
	render_abandon(job);
}

static void send_bytes(struct http_exchange *x, const struct render_job *job)
{
	if (forms[job->form].scripted)
		http_set_policy(x, flame_policy);
	if (forms[job->form].saved)
		http_add_field(x, "Content-Disposition",
			       "attachment; filename=\"profile\"");
	sink_span(&x->out, job->bytes);
	http_reply(x, 200, forms[job->form].type);
}

static void send_job(struct http_exchange *x, const struct render_job *job)
{
	if (job->result == 0)
		send_bytes(x, job);
	else if (job->result == -ENODATA)
		http_reply_text(x, 200,
				"nothing to draw: no thread used the CPU in "
				"that time");
	else
		refuse(x, 500,
		       job->err.text[0] ? job->err.text : "out of memory");
}

static void poll_job(struct http_exchange *x)
{
	struct render_job *job = x->later.context;

	if (!render_is_done(job)) {
		x->later.wake_at = http_now() + POLL;
		return;
	}
	send_job(x, job);
	job->pages->jobs--;
	render_free(job);
}

static void submit(struct http_exchange *x, struct render_job *job)
{
	http_later(x, &(struct http_later){
			      .wake = poll_job,
			      .wake_at = http_now() + 1,
			      .cancel = cancel_render,
			      .context = job,
		      });
	job->pages->render(job->pages, job);
}

static void end_capture(struct http_exchange *x)
{
	submit(x, x->later.context);
}

static struct render_job *new_job(struct pages *p, struct http_exchange *x,
				  enum page_form form)
{
	struct render_job *job;

	if (p->jobs == JOBS_MAX) {
		refuse(x, 503, "too many profiles are being taken already");
		return NULL;
	}
	job = render_new();
	if (!job) {
		refuse(x, 503, "out of memory");
		return NULL;
	}
	job->form = form;
	job->pages = p;
	p->jobs++;
	http_add_field(x, "Vary", "Accept");
	return job;
}

static void begin_capture(struct pages *p, struct http_exchange *x,
			  const struct wish *w)
{
	struct render_job *job = new_job(p, x, w->form);
	struct error err = { 0 };

	if (!job)
		return;
	if (capture_begin(&job->capture, &w->capture, &err) < 0) {
		job->capture = NULL;
		p->jobs--;
		render_free(job);
		refuse(x, 503, err.text);
		return;
	}
	http_later(x, &(struct http_later){
			      .wake = end_capture,
			      /* Its clock has whole milliseconds. */
			      .wake_at = http_now() + w->millis + 1,
			      .cancel = cancel_capture,
			      .context = job,
		      });
}

static void serve_wish(struct pages *p, struct http_exchange *x, struct wish w)
{
	uint64_t hertz = 0;

	if (!read_form(x, &w.form) || !read_clock(x, &w) ||
	    !read_number(x, "seconds", SECONDS_MAX, &w.millis) ||
	    !read_number(x, "hz", CAPTURE_HZ_MAX, &hertz))
		return;
	w.capture.hz = (uint32_t)((hertz + 999) / 1000);
	if (x->head->method == HTTP_HEAD)
		http_reply(x, 200, forms[w.form].type);
	else
		begin_capture(p, x, &w);
}

static void serve_profile(void *context, struct http_exchange *x)
{
	serve_wish(
		context, x,
		(struct wish){ .form = wants_page(x) ? FORM_HTML : FORM_PPROF,
			       .millis = PROFILE_MILLIS });
}

static void serve_flame(void *context, struct http_exchange *x)
{
	serve_wish(context, x,
		   (struct wish){ .form = FORM_HTML, .millis = FLAME_MILLIS });
}

/* As Go's goroutine profile: debug=1 counts equal stacks, debug=2 does not. */
static void serve_threads(void *context, struct http_exchange *x)
{
	enum page_form form = wants_page(x) ? FORM_THREADS : FORM_PPROF;
	struct render_job *job;
	char value[VALUE_SIZE];

	if (http_param(x->head, "debug", value, sizeof(value)) > 0) {
		if (!strcmp(value, "0"))
			form = FORM_PPROF;
		else if (!strcmp(value, "1"))
			form = FORM_STACKS;
		else if (!strcmp(value, "2"))
			form = FORM_THREADS;
		else {
			refuse(x, 400, "debug is to be 0, 1 or 2");
			return;
		}
	}
	if (!read_form(x, &form))
		return;
	job = new_job(context, x, form);
	if (job)
		submit(x, job);
}

static void serve_cmdline(void *context, struct http_exchange *x)
{
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;

	(void)context;
	while (fd >= 0) {
		char *room = sink_room(&x->out, 4096);

		n = room ? read(fd, room, 4096) : -1;
		if (n <= 0)
			break;
		sink_filled(&x->out, (size_t)n);
	}
	if (fd >= 0)
		close(fd);
	if (n < 0) {
		refuse(x, 500, "cannot read the command line");
		return;
	}
	/* As Go's: arguments with a NUL between them. */
	if (x->out.used && !x->out.buf[x->out.used - 1])
		x->out.used--;
	http_reply(x, 200, TEXT);
}

/* The next address of a list "0x12+0x34"; false at its end. */
static bool next_address(struct reader *r, uint64_t *ret)
{
	uint64_t value = 0;
	unsigned digits = 0;

	while (r->at < r->end) {
		uint8_t c = *r->at++;
		bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
			   (c >= 'A' && c <= 'F');

		if (hex) {
			uint8_t digit = c <= '9' ? c - '0'
						 : (c | 32) - 'a' + 10;

			value = value << 4 | digit;
			digits++;
		} else if (c == 'x' || c == 'X') {
			digits = 0;
			value = 0;
		} else if (digits) {
			break;
		}
	}
	*ret = value;
	return digits > 0;
}

static bool add_lookups(struct render_job *job, struct span list)
{
	struct reader r = reader_of(list);
	uint64_t address;

	job->lookups = ARENA_ARRAY(&job->arena, struct lookup, LOOKUPS_MAX);
	while (job->lookups && job->lookup_count < LOOKUPS_MAX &&
	       next_address(&r, &address))
		job->lookups[job->lookup_count++].address = address;
	return job->lookups != NULL;
}

/* Addresses are in the query, or in the body of a POST. */
static void serve_symbol(void *context, struct http_exchange *x)
{
	bool post = x->head->method == HTTP_POST;
	struct render_job *job = new_job(context, x, FORM_SYMBOLS);

	if (!job)
		return;
	if (!add_lookups(job, post ? x->body : x->head->query)) {
		job->pages->jobs--;
		render_free(job);
		refuse(x, 503, "out of memory");
		return;
	}
	submit(x, job);
}

static void serve_metrics(void *context, struct http_exchange *x)
{
	metrics_write(&x->out, context);
	http_reply(x, 200, "text/plain; version=0.0.4; charset=utf-8");
}

static void serve_index(void *context, struct http_exchange *x)
{
	char host[256] = "";
	struct span name = x->head->authority;

	(void)context;
	if (name.len < sizeof(host))
		memcpy(host, name.at, name.len);
	http_set_policy(x, INDEX_POLICY);
	index_write(&x->out, host);
	http_reply(x, 200, "text/html; charset=utf-8");
}

/* Locations are relative: there may be a token before the path. */
static void serve_root(void *context, struct http_exchange *x)
{
	(void)context;
	http_redirect(x, 302, "debug/pprof/");
}

static void serve_folder(void *context, struct http_exchange *x)
{
	(void)context;
	http_redirect(x, 301, "pprof/");
}

static void serve_unknown(void *context, struct http_exchange *x)
{
	(void)context;
	refuse(x, 404, "Unknown profile");
}

static const struct http_route routes[] = {
	{ "/debug/pprof/", HTTP_GET, serve_index },
	{ "/debug/pprof/profile", HTTP_GET, serve_profile },
	{ "/debug/pprof/flame", HTTP_GET, serve_flame },
	{ "/debug/pprof/threads", HTTP_GET, serve_threads },
	{ "/debug/pprof/cmdline", HTTP_GET, serve_cmdline },
	{ "/debug/pprof/symbol", HTTP_GET | HTTP_POST, serve_symbol },
	{ "/metrics", HTTP_GET, serve_metrics },
	{ "/debug/pprof", HTTP_GET, serve_folder },
	{ "/", HTTP_GET, serve_root },
	{ "/debug/pprof/*", HTTP_GET, serve_unknown },
};

void pages_serve(void *context, struct http_exchange *x)
{
	struct pages *p = context;

	p->requests++;
	http_route(routes, ARRAY_SIZE(routes), p, x);
}
