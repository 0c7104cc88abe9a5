/* SPDX-License-Identifier: MIT */
/*
 * See direct.h.  The request is written as it would come over a socket and
 * parsed as that, so that there is one way to understand requests.
 */
#include "agent/direct.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "agent/guest.h"
#include "agent/pages.h"
#include "agent/render.h"
#include "agent/sampler.h"
#include "base/arena.h"
#include "http/exchange.h"
#include "http/head.h"

enum {
	DIRECT_MAX = 4,
	WAIT = 1000, /* ms between looks at a thread */
};

#define MEMORY_MAX ((size_t)256 << 20)

/* A request and the thread that answers it. */
struct direct {
	struct guest guest;
	const struct direct_request *request;
	struct direct_answer *answer;
	int result;
	struct arena arena;
	struct arena words;
	struct pages pages;
	struct http_head head;
	struct http_exchange x;
};

/* How many there are; the whole process's. */
static _Atomic unsigned running;

static void render_here(struct pages *p, struct render_job *job)
{
	(void)p;
	render_run(job);
}

static void sleep_until(uint64_t when)
{
	struct timespec t = { .tv_sec = (time_t)(when / 1000),
			      .tv_nsec = (long)(when % 1000) * 1000000 };

	(void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static void put_field(struct sink *out, const char *name, const char *value)
{
	sink_format(out, "%s: ", name);
	sink_clean(out, span_text(value));
	sink_text(out, "\r\n");
}

static int parse(struct direct *d)
{
	const struct direct_request *q = d->request;
	struct sink text = sink_to_memory(&d->words);
	int r;

	sink_format(&text, "%s %s HTTP/1.1\r\n", q->method, q->target);
	put_field(&text, "Host", q->host ? q->host : "localhost");
	if (q->accept)
		put_field(&text, "Accept", q->accept);
	sink_text(&text, "\r\n");
	if (sink_flush(&text) < 0)
		return -ENOMEM;
	r = http_head_parse(&d->head, sink_bytes(&text));
	return r == (int)text.used && d->head.path_len ? 0 : -EINVAL;
}

/* The answer in one mapping: body, type, fields. */
static int hand_over(struct direct *d)
{
	struct http_exchange *x = &d->x;
	struct direct_answer *a = d->answer;
	struct span fields = sink_bytes(&x->fields);
	size_t type_len = strlen(x->type ? x->type : "") + 1;
	size_t size = x->answer.len + type_len + fields.len + 1;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return -ENOMEM;
	if (x->answer.len)
		memcpy(p, x->answer.at, x->answer.len);
	memcpy(p + x->answer.len, x->type ? x->type : "", type_len);
	if (fields.len)
		memcpy(p + x->answer.len + type_len, fields.at, fields.len);
	*a = (struct direct_answer){
		.status = x->status,
		.body = span_of(p, x->answer.len),
		.type = p + x->answer.len,
		.fields = p + x->answer.len + type_len,
		.memory = p,
		.size = size,
	};
	return 0;
}

static void run(void *context)
{
	struct direct *d = context;
	struct http_exchange *x = &d->x;

	d->result = parse(d);
	if (d->result < 0)
		return;
	d->pages.render = render_here;
	d->arena.limit = MEMORY_MAX;
	http_exchange_init(x, &d->head, d->request->body, &d->arena, &d->words);
	pages_serve(&d->pages, x);
	while (x->phase == HTTP_DELAYED) {
		sleep_until(x->later.wake_at);
		x->later.wake(x);
	}
	if (x->policy)
		http_add_field(x, "Content-Security-Policy", x->policy);
	http_add_field(x, "X-Content-Type-Options", "nosniff");
	d->result = hand_over(d);
}

static int run_guest(struct direct *d)
{
	int r;

	d->guest.run = run;
	d->guest.context = d;
	memcpy(d->guest.name, "wick-page", sizeof("wick-page"));
	/* Threads of the agent's start none: the sampler is to be there. */
	r = sampler_start();
	if (r == 0)
		r = guest_start(&d->guest);
	if (r < 0)
		return r;
	while (guest_wait(&d->guest, WAIT) < 0)
		;
	return d->result;
}

static int serve(const struct direct_request *request,
		 struct direct_answer *answer)
{
	struct direct *d = mmap(NULL, sizeof(*d), PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int r;

	if (d == MAP_FAILED)
		return -ENOMEM;
	d->request = request;
	d->answer = answer;
	r = run_guest(d);
	arena_release(&d->arena);
	arena_release(&d->words);
	munmap(d, sizeof(*d));
	return r;
}

int direct_serve(const struct direct_request *request,
		 struct direct_answer *answer)
{
	int r = -EAGAIN;

	if (atomic_fetch_add_explicit(&running, 1, memory_order_relaxed) <
	    DIRECT_MAX)
		r = serve(request, answer);
	atomic_fetch_sub_explicit(&running, 1, memory_order_relaxed);
	return r;
}
