/* SPDX-License-Identifier: MIT */
/*
 * See server.h.  A turn is: hear from the kernel what has become possible, take
 * in who has come, and run each connection.  None is closed before all was
 * heard, so that nothing can be taken for another's.
 */
#include "http/server.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"
#include "base/error.h"
#include "base/pages.h"
#include "http/connection.h"

enum {
	CONNECTIONS = 256,
	EVENTS = 64,
	KEPT = 16,	/* places that keep their memory */
	RETRY = 100,	/* ms until a full server looks for room again */
	STARVED = 1000, /* ms, after there was no descriptor left */
};

#define MEMORY_MAX ((size_t)256 << 20)

/* Who an event is for. */
enum event_kind { EVENT_LISTENER, EVENT_WATCH, EVENT_CONNECTION };

static uint64_t event_tag(enum event_kind kind, unsigned index)
{
	return (uint64_t)kind << 32 | index;
}

static void set_defaults(struct http_options *o)
{
	struct http_patience *p = &o->patience;

	if (!o->connections)
		o->connections = CONNECTIONS;
	if (!o->memory_max)
		o->memory_max = MEMORY_MAX;
	if (!p->idle)
		p->idle = 60000;
	if (!p->head)
		p->head = 10000;
	if (!p->body)
		p->body = 30000;
	if (!p->answer)
		p->answer = 30000;
}

static int control(const struct http_server *s, int fd, int operation,
		   struct epoll_event event)
{
	return epoll_ctl(s->epoll, operation, fd, &event) < 0 ? -errno : 0;
}

/* Level-triggered: who can not be taken in now is heard of again. */
static int listen_for(struct http_server *s, int operation, bool wanted)
{
	s->accepting = wanted;
	return control(s, s->listener, operation,
		       (struct epoll_event){
			       .events = wanted ? EPOLLIN : 0,
			       .data.u64 = event_tag(EVENT_LISTENER, 0),
		       });
}

static void set_guard(struct http_server *s)
{
	bool local = http_address_is_local(&s->address);

	s->guard = (struct http_guard){
		.port = http_address_port(&s->address),
		/* Rebinding gains nothing where a token is asked for, and no
		 * browser opens unix sockets. */
		.any_name = !local || s->address.of.any.sa_family == AF_UNIX,
		.more_names = s->options.names,
		.token = s->options.token,
	};
	http_address_host(&s->address, s->guard.name, sizeof(s->guard.name));
}

static int check_token(const struct http_options *o, struct error *err)
{
	if (o->token && strlen(o->token) < 8)
		return error_set(err, -EINVAL,
				 "a token has at least 8 characters");
	if (!o->token && !http_address_is_local(&o->address))
		return error_set(err, -EACCES,
				 "an address that other machines can reach "
				 "needs a token");
	return 0;
}

static int start(struct http_server *s, struct error *err)
{
	int r;

	s->connections = ARENA_ARRAY(&s->arena, struct connection *,
				     s->options.connections);
	if (!s->connections)
		return error_set(err, -ENOMEM, "out of memory");
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (s->epoll < 0)
		return error_set_errno(err, -errno, "cannot wait for clients");
	r = http_listen(&s->address, err);
	if (r < 0)
		return r;

	s->listener = r;
	r = listen_for(s, EPOLL_CTL_ADD, true);
	if (r < 0)
		return error_set_errno(err, r, "cannot wait for clients");
	set_guard(s);
	return 0;
}

static void close_descriptors(struct http_server *s)
{
	if (s->listener >= 0)
		close(s->listener);
	if (s->epoll >= 0)
		close(s->epoll);
	s->listener = s->epoll = -1;
}

int http_server_open(struct http_server *s, const struct http_options *options,
		     struct error *err)
{
	int r = check_token(options, err);

	if (r < 0)
		return r;
	*s = (struct http_server){
		.options = *options,
		.address = options->address,
		.listener = -1,
		.epoll = -1,
	};
	set_defaults(&s->options);
	r = start(s, err);
	if (r < 0) {
		close_descriptors(s);
		arena_release(&s->arena);
	}
	return r;
}

void http_server_close(struct http_server *s)
{
	for (unsigned i = 0; i < s->count; i++)
		if (s->connections[i]->fd >= 0)
			connection_close(s->connections[i]);
	if (s->listener >= 0 && s->address.of.any.sa_family == AF_UNIX)
		(void)unlink(s->address.of.path.sun_path); /* may be gone */
	close_descriptors(s);
	s->count = s->watch_count = 0;
	arena_release(&s->arena);
}

void http_server_forget(struct http_server *s)
{
	for (unsigned i = 0; i < s->count; i++) {
		if (s->connections[i]->fd >= 0)
			close(s->connections[i]->fd);
		arena_release(&s->connections[i]->words);
		arena_release(&s->connections[i]->arena);
	}
	close_descriptors(s);
	s->count = s->watch_count = 0;
	arena_release(&s->arena);
}

int http_server_watch(struct http_server *s, int fd,
		      void (*ready)(void *context), void *context)
{
	int r;

	if (s->watch_count == HTTP_WATCHES_MAX)
		return -ENOSPC;
	r = control(s, fd, EPOLL_CTL_ADD,
		    (struct epoll_event){
			    .events = EPOLLIN,
			    .data.u64 = event_tag(EVENT_WATCH, s->watch_count),
		    });
	if (r == 0)
		s->watches[s->watch_count++] = (struct http_watch){ fd, ready,
								    context };
	return r;
}

/* A free place, the memory of which may be new; NULL if there is none. */
static struct connection *free_place(struct http_server *s, unsigned *ret)
{
	for (unsigned i = 0; i < s->count; i++) {
		if (s->connections[i]->fd < 0) {
			*ret = i;
			return s->connections[i];
		}
	}
	if (s->count == s->options.connections)
		return NULL;
	s->connections[s->count] = ARENA_NEW(&s->arena, struct connection);
	if (!s->connections[s->count])
		return NULL;
	s->connections[s->count]->fd = -1;
	*ret = s->count;
	return s->connections[s->count++];
}

/* Closes the one that has been idle for longest, if any has been for long. */
static bool drop_idle(struct http_server *s, uint64_t now)
{
	struct connection *oldest = NULL;

	for (unsigned i = 0; i < s->count; i++) {
		struct connection *c = s->connections[i];

		if (c->fd >= 0 && connection_is_spare(c, now) &&
		    (!oldest || c->since < oldest->since))
			oldest = c;
	}
	if (oldest)
		connection_close(oldest);
	return oldest != NULL;
}

static int take_in(struct http_server *s, int fd, bool trusted)
{
	unsigned index;
	struct connection *c = free_place(s, &index);
	int on = 1;
	int r;

	r = !c ? -ENOSPC
	       : control(s, fd, EPOLL_CTL_ADD,
			 (struct epoll_event){
				 .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP |
					   EPOLLET,
				 .data.u64 = event_tag(EVENT_CONNECTION, index),
			 });
	if (r < 0) {
		close(fd);
		return r;
	}
	/* Fails for unix sockets, which do not need it. */
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	connection_open(c, s, fd);
	c->trusted = trusted;
	s->again = true;
	return 0;
}

int http_server_adopt(struct http_server *s, int fd, bool trusted)
{
	unsigned index;

	if (!free_place(s, &index))
		(void)drop_idle(s, http_now()); /* take_in() tells */
	return take_in(s, fd, trusted);
}

static void pause_accepting(struct http_server *s, uint64_t until)
{
	s->accept_at = until;
	(void)listen_for(s, EPOLL_CTL_MOD, false); /* it is registered */
}

/* Returns whether there may be more to take in. */
static bool accept_one(struct http_server *s, uint64_t now)
{
	int fd = accept4(s->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd >= 0) {
		(void)take_in(s, fd, false); /* or it is closed */
		return true;
	}
	if (errno == EINTR || errno == ECONNABORTED)
		return true;
	/* Idle clients must not keep the last descriptors from others. */
	if (errno != EAGAIN && !drop_idle(s, now))
		pause_accepting(s, now + STARVED);
	return false;
}

/* Somebody has come: nobody is dropped for one who only might. */
static void accept_all(struct http_server *s, uint64_t now)
{
	unsigned index;
	bool any = false;

	for (; free_place(s, &index); any = true)
		if (!accept_one(s, now))
			return;
	if (any)
		return; /* if there are more, they are heard of again */
	if (!drop_idle(s, now))
		pause_accepting(s, now + RETRY);
	else
		(void)accept_one(s, now); /* as above */
}

/* Returns whether it was the listener, which is looked at afterwards. */
static bool hear(struct http_server *s, const struct epoll_event *e)
{
	unsigned index = (uint32_t)e->data.u64;
	struct connection *c;

	switch (e->data.u64 >> 32) {
	case EVENT_WATCH:
		s->watches[index].ready(s->watches[index].context);
		return false;
	case EVENT_CONNECTION:
		c = s->connections[index];
		c->readable |= !!(e->events & (EPOLLIN | EPOLLRDHUP));
		c->writable |= !!(e->events & EPOLLOUT);
		c->hung_up |= !!(e->events &
				 (EPOLLRDHUP | EPOLLHUP | EPOLLERR));
		return false;
	default:
		return true;
	}
}

/* Milliseconds until something is due, at most wait. */
static int time_left(const struct http_server *s, int wait)
{
	uint64_t now = http_now();
	uint64_t due = s->accepting ? UINT64_MAX : s->accept_at;
	uint64_t left;

	if (s->again)
		return 0;
	for (unsigned i = 0; i < s->count; i++) {
		const struct connection *c = s->connections[i];
		uint64_t at = c->fd >= 0 ? connection_due(c) : UINT64_MAX;

		due = at < due ? at : due;
	}
	if (due == UINT64_MAX)
		return wait;
	left = due > now ? due - now : 0;
	if (wait >= 0 && left > (uint64_t)wait)
		return wait;
	return left < INT32_MAX ? (int)left : INT32_MAX;
}

/* Places beyond the first few are used when many come at once, and seldom. */
static void run_place(struct http_server *s, unsigned index, uint64_t now)
{
	struct connection *c = s->connections[index];

	if (c->fd < 0)
		return;
	connection_run(c, s, now);
	if (c->fd < 0 && index >= KEPT)
		pages_drop(span_of(c->in, sizeof(c->in)));
}

int http_server_turn(struct http_server *s, int wait)
{
	struct epoll_event events[EVENTS];
	int n = epoll_wait(s->epoll, events, EVENTS, time_left(s, wait));
	uint64_t now = http_now();
	bool knocked = false;

	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	s->again = n == EVENTS;
	for (int i = 0; i < n; i++)
		knocked |= hear(s, &events[i]);
	if (!s->accepting && now >= s->accept_at)
		(void)listen_for(s, EPOLL_CTL_MOD, true); /* registered */
	if (knocked)
		accept_all(s, now);
	for (unsigned i = 0; i < s->count; i++)
		run_place(s, i, now);
	return 0;
}

unsigned http_server_connections(const struct http_server *s)
{
	unsigned count = 0;

	for (unsigned i = 0; i < s->count; i++)
		count += s->connections[i]->fd >= 0;
	return count;
}
