/* SPDX-License-Identifier: MIT */
/* See connection.h. */
#include "http/connection.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/check.h"
#include "http/guard.h"
#include "http/server.h"

enum {
	GRACE = 100,	       /* ms in which a new client may begin to ask */
	LINGER = 2000,	       /* ms for a refused client to read why */
	LINGER_MAX = 64 << 20, /* bytes that it may still send */
	STRIDE = 256 << 10,    /* bytes of an answer that buy more time */
};

static void wait_for_request(struct connection *c, const struct http_server *s,
			     uint64_t now)
{
	c->state = CONNECTION_READING;
	c->since = now;
	c->deadline = now + s->options.patience.idle;
}

void connection_open(struct connection *c, const struct http_server *s, int fd)
{
	c->fd = fd;
	c->readable = c->writable = true;
	c->hung_up = c->trusted = false;
	c->in_used = c->taken = 0;
	c->x = (struct http_exchange){ 0 };
	wait_for_request(c, s, http_now());
}

/* Forgets the exchange; its answer has been given, or nobody wants it. */
static void end_exchange(struct connection *c)
{
	c->x = (struct http_exchange){ 0 };
	c->body = NULL;
	c->body_used = 0;
	arena_release(&c->arena);
	arena_reset(&c->words);
}

void connection_close(struct connection *c)
{
	void (*cancel)(struct http_exchange * x) = c->x.later.cancel;
	bool promised = c->x.phase == HTTP_DELAYED ||
			c->x.phase == HTTP_STREAMING;

	if (promised && cancel)
		cancel(&c->x);
	end_exchange(c);
	arena_release(&c->words);
	close(c->fd);
	c->fd = -1;
}

/* Returns the bytes received, 0 if none is there now, or -1 at the end. */
static ssize_t receive(struct connection *c, void *to, size_t size)
{
	ssize_t n;

	do {
		n = recv(c->fd, to, size, MSG_DONTWAIT);
	} while (n < 0 && errno == EINTR);
	if (n > 0)
		return n;
	if (n < 0 && errno == EAGAIN) {
		c->readable = false;
		return 0;
	}
	return -1;
}

/* What the rest of the answer consists of.  Returns how many parts. */
static size_t parts_left(const struct connection *c, struct iovec *parts)
{
	const struct http_exchange *x = &c->x;
	const void *piece = x->phase == HTTP_STREAMING
				    ? (const uint8_t *)x->out.buf
				    : x->answer.at;
	const struct span all[] = {
		sink_bytes(&c->start),
		span_of(piece, c->piece),
		span_text(c->end),
	};
	uint64_t skip = c->sent;
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		uint64_t done = skip < all[i].len ? skip : all[i].len;

		skip -= done;
		if (done < all[i].len)
			parts[count++] = (struct iovec){
				.iov_base = (void *)(all[i].at + done),
				.iov_len = all[i].len - (size_t)done,
			};
	}
	return count;
}

/* Sends on.  Returns 1 when all is sent, 0 when not yet, -1 if it can not. */
static int send_parts(struct connection *c)
{
	struct iovec parts[3];

	for (;;) {
		struct msghdr message = {
			.msg_iov = parts,
			.msg_iovlen = parts_left(c, parts),
		};
		ssize_t n;

		if (!message.msg_iovlen)
			return 1;
		n = sendmsg(c->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno == EAGAIN) {
			c->writable = false;
			return 0;
		}
		if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0)
			c->sent += (uint64_t)n;
	}
}

static void write_what_is_there(struct connection *c,
				const struct http_server *s, uint64_t now)
{
	c->sent = c->paid = 0;
	c->state = CONNECTION_WRITING;
	c->deadline = now + s->options.patience.answer;
}

static void start_answer(struct connection *c, const struct http_server *s,
			 uint64_t now)
{
	struct http_exchange *x = &c->x;

	c->start = sink_to_memory(&c->words);
	http_put_head(&c->start, x, x->answer.len, c->keep_alive);
	c->piece = c->head.method == HTTP_HEAD ? 0 : x->answer.len;
	c->end = "";
	write_what_is_there(c, s, now);
}

/* The next piece of a stream, framed as the client understands it. */
static void start_piece(struct connection *c, const struct http_server *s,
			uint64_t now)
{
	struct http_exchange *x = &c->x;
	bool chunks = !c->head.version_0 && c->head.method != HTTP_HEAD;

	if (!c->head_written) {
		c->keep_alive &= !c->head.version_0;
		c->start = sink_to_memory(&c->words);
		http_put_head(&c->start, x, UINT64_MAX, c->keep_alive);
		c->head_written = true;
	} else {
		c->start.used = 0;
	}
	if (c->head.method == HTTP_HEAD)
		x->out.used = 0;
	c->piece = x->out.used;
	c->end = "";
	if (chunks && c->piece)
		sink_format(&c->start, "%zx\r\n", c->piece);
	if (chunks && x->last_piece)
		c->end = c->piece ? "\r\n0\r\n\r\n" : "0\r\n\r\n";
	else if (chunks && c->piece)
		c->end = "\r\n";
	write_what_is_there(c, s, now);
}

static void prepare_exchange(struct connection *c, const struct http_server *s)
{
	c->arena.limit = s->options.memory_max;
	c->head_written = false;
	http_exchange_init(&c->x, &c->head, span_of(c->body, c->body_used),
			   &c->arena, &c->words);
}

/* The handler has come back, or something has happened to its exchange. */
static void after_handler(struct connection *c, const struct http_server *s,
			  uint64_t now)
{
	struct http_exchange *x = &c->x;

	if (x->phase == HTTP_ASKED)
		http_reply_text(x, 500, "nobody answers for this page");
	c->state = CONNECTION_HANDLING;
	c->deadline = UINT64_MAX;
	if (x->phase == HTTP_ANSWERED)
		start_answer(c, s, now);
	else if (x->phase == HTTP_STREAMING &&
		 (x->out.used || x->last_piece || !c->head_written))
		start_piece(c, s, now);
}

static void handle(struct connection *c, const struct http_server *s,
		   uint64_t now)
{
	prepare_exchange(c, s);
	s->options.serve(s->options.context, &c->x);
	after_handler(c, s, now);
}

/* Answers in place of the handler, and hangs up if there is more to come. */
static void refuse(struct connection *c, const struct http_server *s,
		   int status, uint64_t now)
{
	if (c->head.body_len > 0 || status == 400)
		c->keep_alive = false;
	prepare_exchange(c, s);
	if (status == 401)
		http_add_field(&c->x, "WWW-Authenticate", "Bearer");
	if (status == 405)
		http_add_field(&c->x, "Allow", "GET, HEAD, POST");
	http_reply_text(&c->x, status, "%d %s", status,
			http_status_text(status));
	start_answer(c, s, now);
}

/* The status that refuses a request by its head alone, or 0. */
static int judge(struct connection *c, const struct http_server *s)
{
	int status = 0;

	if (!c->trusted)
		status = http_guard_check(&s->guard, &c->head);
	if (!status && !c->head.path_len)
		status = 405;
	if (!status && c->head.body_len > s->options.body_max)
		status = 413;
	return status;
}

static void start_body(struct connection *c, const struct http_server *s,
		       uint64_t now)
{
	static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
	size_t len = (size_t)c->head.body_len;
	size_t here = c->in_used - c->taken;

	c->body = arena_alloc(&c->arena, len);
	if (!c->body) {
		refuse(c, s, 503, now);
		return;
	}
	c->body_used = here < len ? here : len;
	memcpy(c->body, c->in + c->taken, c->body_used);
	c->taken += c->body_used;
	c->state = CONNECTION_BODY;
	c->deadline = now + s->options.patience.body;
	if (c->head.expects_continue && c->body_used < len)
		(void)send(
			c->fd, go_on, sizeof(go_on) - 1,
			MSG_NOSIGNAL); /* clients send anyway after a while */
}

static void start_request(struct connection *c, const struct http_server *s,
			  int head_len, uint64_t now)
{
	int status;

	c->taken = (size_t)head_len;
	c->keep_alive = c->head.keep_alive;
	status = judge(c, s);
	if (status)
		refuse(c, s, status, now);
	else if (c->head.body_len)
		start_body(c, s, now);
	else
		handle(c, s, now);
}

/* Each of these returns whether there is more to do at once. */

static bool read_head(struct connection *c, const struct http_server *s,
		      uint64_t now)
{
	ssize_t n = 0;
	int r;

	if (c->readable && c->in_used < sizeof(c->in))
		n = receive(c, c->in + c->in_used, sizeof(c->in) - c->in_used);
	if (n < 0) {
		connection_close(c);
		return false;
	}
	if (n > 0 && !c->in_used)
		c->deadline = now + s->options.patience.head;
	c->in_used += (size_t)n;
	if (!c->in_used)
		return false;

	r = http_head_parse(&c->head, span_of(c->in, c->in_used));
	if (r > 0) {
		start_request(c, s, r, now);
	} else if (r < 0) {
		c->taken = 0;
		c->keep_alive = false;
		refuse(c, s, -r, now);
	}
	return r || n;
}

static bool read_body(struct connection *c, const struct http_server *s,
		      uint64_t now)
{
	size_t len = (size_t)c->head.body_len;
	ssize_t n = 0;

	if (c->readable && c->body_used < len)
		n = receive(c, c->body + c->body_used, len - c->body_used);
	if (n < 0) {
		connection_close(c);
		return false;
	}
	c->body_used += (size_t)n;
	if (c->body_used < len)
		return n > 0;
	handle(c, s, now);
	return true;
}

static bool wait_for_handler(struct connection *c, const struct http_server *s,
			     uint64_t now)
{
	struct http_exchange *x = &c->x;
	struct http_later *later = &x->later;

	if (c->hung_up) {
		connection_close(c);
		return false;
	}
	if (later->wake_at && now >= later->wake_at) {
		later->wake_at = 0;
		if (x->phase != HTTP_ANSWERED && later->wake)
			later->wake(x);
	}
	after_handler(c, s, now);
	return c->state != CONNECTION_HANDLING;
}

static void linger(struct connection *c, uint64_t now)
{
	/* Closing now would make the kernel reset the connection if anything
	 * more comes, and the client might never read the answer. */
	(void)shutdown(c->fd, SHUT_WR); /* it may be gone */
	end_exchange(c);
	c->state = CONNECTION_LINGERING;
	c->deadline = now + LINGER;
	c->thrown = 0;
}

/* A whole answer is out: on to what the client has sent since. */
static void next_request(struct connection *c, struct http_server *s,
			 uint64_t now)
{
	size_t left = c->in_used - c->taken;

	end_exchange(c);
	memmove(c->in, c->in + c->taken, left);
	c->in_used = left;
	c->taken = 0;
	wait_for_request(c, s, now);
	if (left)
		c->deadline = now + s->options.patience.head;
	/* Others come first, however many requests this one has sent. */
	s->again |= left || c->readable;
}

static void piece_sent(struct connection *c, const struct http_server *s,
		       uint64_t now)
{
	struct http_exchange *x = &c->x;

	if (c->piece) {
		x->out.used -= c->piece;
		memmove(x->out.buf, x->out.buf + c->piece, x->out.used);
	}
	c->piece = 0;
	if (!x->out.used && x->later.wake)
		x->later.wake(x);
	after_handler(c, s, now);
}

static bool write_on(struct connection *c, struct http_server *s, uint64_t now)
{
	bool last = c->x.phase != HTTP_STREAMING ||
		    (c->x.last_piece && c->piece == c->x.out.used);
	int r = c->start.error ? -1 : send_parts(c);

	if (r < 0)
		connection_close(c);
	if (r == 0 && c->sent - c->paid >= STRIDE) {
		c->paid = c->sent;
		c->deadline = now + s->options.patience.answer;
	}
	if (r <= 0)
		return false;
	if (!last) {
		piece_sent(c, s, now);
		return true;
	}
	if (c->keep_alive) {
		next_request(c, s, now);
		return false;
	}
	linger(c, now);
	return true;
}

static bool throw_away(struct connection *c)
{
	ssize_t n = receive(c, c->in, sizeof(c->in));

	if (n > 0)
		c->thrown += (uint64_t)n;
	if (n < 0 || c->thrown > LINGER_MAX)
		connection_close(c);
	return n > 0 && c->fd >= 0;
}

static bool step(struct connection *c, struct http_server *s, uint64_t now)
{
	switch (c->state) {
	case CONNECTION_READING:
		return read_head(c, s, now);
	case CONNECTION_BODY:
		return read_body(c, s, now);
	case CONNECTION_HANDLING:
		return wait_for_handler(c, s, now);
	case CONNECTION_WRITING:
		return c->writable && write_on(c, s, now);
	case CONNECTION_LINGERING:
		return c->readable && throw_away(c);
	}
	return false;
}

static void expire(struct connection *c, const struct http_server *s,
		   uint64_t now)
{
	bool asking = c->state == CONNECTION_BODY ||
		      (c->state == CONNECTION_READING && c->in_used);

	if (!asking) {
		connection_close(c);
		return;
	}
	c->keep_alive = false;
	refuse(c, s, 408, now);
}

void connection_run(struct connection *c, struct http_server *s, uint64_t now)
{
	enum { STEPS = 64 }; /* then it is others' turn */

	if (now >= c->deadline)
		expire(c, s, now);
	for (int i = 0; i < STEPS; i++)
		if (c->fd < 0 || !step(c, s, now))
			return;
	s->again = true;
}

uint64_t connection_due(const struct connection *c)
{
	uint64_t wake_at = c->x.later.wake_at;

	if (c->state != CONNECTION_HANDLING)
		return c->deadline;
	if (c->x.phase == HTTP_ANSWERED || c->hung_up ||
	    (c->x.phase == HTTP_STREAMING &&
	     (c->x.out.used || c->x.last_piece)))
		return 0;
	return wake_at ? wake_at : c->deadline;
}

bool connection_is_spare(const struct connection *c, uint64_t now)
{
	return c->state == CONNECTION_READING && now - c->since >= GRACE;
}
