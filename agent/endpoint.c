/* SPDX-License-Identifier: MIT */
/*
 * See endpoint.h.  The serving thread has descriptors of its own, which nobody
 * else in the process can see; so it opens its sockets itself, and is woken to
 * end by a connection to its own address.
 */
#include "agent/endpoint.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/futex.h"
#include "agent/guest.h"
#include "agent/pages.h"
#include "agent/render.h"
#include "agent/sampler.h"
#include "http/server.h"

enum {
	TOKEN_SIZE = 257,
	URL_SIZE = 160,
	CONNECTIONS = 128,
	BODY_MAX = 1 << 20,    /* a list of addresses to be named */
	MEMORY_MAX = 64 << 20, /* of an answer */
};

/* The one endpoint.  Calls hold the lock; the threads have the rest. */
static struct {
	_Atomic uint32_t lock;
	pid_t pid; /* whose it is; 0: there is none */
	struct guest server;
	struct guest renderer;
	struct http_server http;
	struct http_address address;
	struct pages pages;
	char token[TOKEN_SIZE];
	char url[URL_SIZE];
	int result;		/* of opening */
	_Atomic uint32_t ready; /* a futex: result counts */
	_Atomic bool stop;
	_Atomic(struct render_job *) jobs; /* the newest first */
	_Atomic uint32_t wake;		   /* the renderer waits for it */
} endpoint;

static void wake_renderer(void)
{
	/* Pairs with renderer_run(). */
	atomic_fetch_add_explicit(&endpoint.wake, 1, memory_order_release);
	futex_wake(&endpoint.wake);
}

static void add_job(struct pages *p, struct render_job *job)
{
	(void)p;
	job->next = atomic_load_explicit(&endpoint.jobs, memory_order_relaxed);
	/* Pairs with take_jobs(). */
	while (!atomic_compare_exchange_weak_explicit(
		&endpoint.jobs, &job->next, job, memory_order_release,
		memory_order_relaxed))
		;
	wake_renderer();
}

/* All jobs there are, the oldest first. */
static struct render_job *take_jobs(void)
{
	struct render_job *newest = atomic_exchange_explicit(
		&endpoint.jobs, NULL, memory_order_acquire);
	struct render_job *oldest = NULL;

	while (newest) {
		struct render_job *next = newest->next;

		newest->next = oldest;
		oldest = newest;
		newest = next;
	}
	return oldest;
}

static void renderer_run(void *context)
{
	(void)context;
	for (;;) {
		uint32_t word = atomic_load_explicit(&endpoint.wake,
						     memory_order_acquire);
		struct render_job *job = take_jobs();

		if (!job &&
		    atomic_load_explicit(&endpoint.stop, memory_order_acquire))
			return;
		if (!job)
			futex_wait(&endpoint.wake, word, 0);
		while (job) {
			struct render_job *next = job->next;

			render_run(job);
			job = next;
		}
	}
}

static int open_server(void)
{
	const struct http_options options = {
		.address = endpoint.address,
		.serve = pages_serve,
		.context = &endpoint.pages,
		.token = endpoint.token[0] ? endpoint.token : NULL,
		.connections = CONNECTIONS,
		.body_max = BODY_MAX,
		.memory_max = MEMORY_MAX,
	};
	int r = http_server_open(&endpoint.http, &options, NULL);

	if (r == 0)
		http_address_url(&endpoint.http.address, endpoint.url,
				 sizeof(endpoint.url));
	return r;
}

static void server_run(void *context)
{
	(void)context;
	endpoint.result = open_server();
	/* Pairs with wait_until_ready(). */
	atomic_store_explicit(&endpoint.ready, 1, memory_order_release);
	futex_wake(&endpoint.ready);
	if (endpoint.result < 0)
		return;
	/* stop pairs with stop_threads(). */
	while (!atomic_load_explicit(&endpoint.stop, memory_order_acquire))
		if (http_server_turn(&endpoint.http, -1) < 0)
			break;
	http_server_close(&endpoint.http);
}

static int wait_until_ready(void)
{
	while (!atomic_load_explicit(&endpoint.ready, memory_order_acquire))
		futex_wait(&endpoint.ready, 0, 0);
	return endpoint.result;
}

/* Makes the server's wait end. */
static void knock(void)
{
	const struct http_address *a = &endpoint.http.address;
	int fd = socket(a->of.any.sa_family,
			SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return;
	/* That somebody tries is enough. */
	(void)connect(fd, &a->of.any, a->len);
	close(fd);
}

static void stop_threads(void)
{
	atomic_store_explicit(&endpoint.stop, true, memory_order_release);
	while (guest_wait(&endpoint.server, 100) < 0)
		knock();
	/* Last: what the server gave up is freed there. */
	do {
		wake_renderer();
	} while (guest_wait(&endpoint.renderer, 100) < 0);
}

static void prepare(struct guest *g, const char *name,
		    void (*run)(void *context))
{
	*g = (struct guest){ .run = run };
	memcpy(g->name, name, strlen(name) + 1);
}

static int start_threads(void)
{
	int r;

	endpoint.pages = (struct pages){ .render = add_job };
	endpoint.ready = 0;
	endpoint.stop = false;
	/* Threads of the agent's start none: the sampler is to be there. */
	r = sampler_start();
	if (r < 0)
		return r;
	prepare(&endpoint.renderer, "wick-render", renderer_run);
	prepare(&endpoint.server, "wick-http", server_run);
	r = guest_start(&endpoint.renderer);
	if (r < 0)
		return r;
	r = guest_start(&endpoint.server);
	if (r == 0)
		r = wait_until_ready();
	if (r < 0)
		stop_threads();
	return r;
}

/* In the child of a fork there is none, whatever its parent has. */
static void lock_endpoint(void)
{
	if (endpoint.pid && endpoint.pid != getpid()) {
		endpoint.lock = 0;
		endpoint.pid = 0;
		endpoint.jobs = NULL;
	}
	futex_lock(&endpoint.lock);
}

static int start(const char *address, const char *token)
{
	int r;

	if (endpoint.pid)
		return -EALREADY;
	if (token && strlen(token) >= TOKEN_SIZE)
		return -EINVAL;
	r = http_address_parse(&endpoint.address, address, NULL);
	if (r < 0)
		return r;
	endpoint.token[0] = '\0';
	if (token)
		memcpy(endpoint.token, token, strlen(token) + 1);
	r = start_threads();
	if (r == 0)
		endpoint.pid = getpid();
	return r;
}

int endpoint_start(const char *address, const char *token)
{
	int r;

	lock_endpoint();
	r = start(address, token);
	futex_unlock(&endpoint.lock);
	return r;
}

int endpoint_stop(void)
{
	int r = -ESRCH;

	lock_endpoint();
	if (endpoint.pid) {
		stop_threads();
		endpoint.pid = 0;
		r = 0;
	}
	futex_unlock(&endpoint.lock);
	return r;
}

int endpoint_url(char *buf, size_t size)
{
	int r = -ESRCH;

	lock_endpoint();
	if (endpoint.pid) {
		size_t len = strlen(endpoint.url);

		r = len < size ? 0 : -ENOSPC;
		if (r == 0)
			memcpy(buf, endpoint.url, len + 1);
	}
	futex_unlock(&endpoint.lock);
	return r;
}

void endpoint_leave(void)
{
	const struct http_address *a = &endpoint.http.address;

	if (endpoint.pid == getpid() && a->of.any.sa_family == AF_UNIX)
		(void)unlink(a->of.path.sun_path); /* it may be gone */
}
