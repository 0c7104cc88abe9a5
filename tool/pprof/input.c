/* SPDX-License-Identifier: MIT */
/* See input.h. */
#include "pprof/input.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/sink.h"
#include "pprof/arguments.h"
#include "pprof/clock.h"
#include "pprof/gosyntax.h"
#include "pprof/http.h"
#include "pprof/query.h"
#include "pprof/talk.h"
#include "profile/loss.h"
#include "report/load.h"
#include "symbolize/locate.h"

#define DEFAULT_TIMEOUT 60
#define GRACE		5 /* seconds on top of every timeout */

/* What Go's servers measure the CPU with, when no path is given. */
#define DEFAULT_PATH "/debug/pprof/profile"

/* "host:8080/path" has no scheme, but must not be taken for a file. */
static int parse_address(const char *name, struct arena *arena, struct url *ret,
			 struct error *err)
{
	int r = url_parse(ret, arena, name, err);
	size_t segment = strcspn(name, "/?#");
	char *with_scheme;

	if (r == 0 || url_names_socket(name) || !strncmp(name, "file:", 5) ||
	    !memchr(name, ':', segment))
		return r;
	with_scheme = arena_alloc(arena, strlen(name) + 8);
	if (!with_scheme)
		return error_set(err, -ENOMEM, "out of memory");
	memcpy(with_scheme, "http://", 7);
	memcpy(with_scheme + 7, name, strlen(name) + 1);
	return url_parse(ret, arena, with_scheme, err);
}

/* The seconds that the address itself asks for; 0: it does not. */
static int64_t seconds_in(const struct url *u, struct arena *arena)
{
	const char *value = query_get(u, arena, "seconds");
	int64_t seconds;

	if (!value || go_parse_int(value, false, 32, &seconds) < 0)
		return 0;
	return seconds > 0 ? seconds : 0;
}

int input_address(const struct arguments *a, const char *name,
		  struct arena *arena, struct url *ret, int64_t *ret_timeout,
		  struct error *err)
{
	char seconds[24];
	int64_t measured = a->seconds;
	int r = parse_address(name, arena, ret, err);

	if (r < 0)
		return r;
	if (!ret->path[0] || !strcmp(ret->path, "/"))
		ret->path = DEFAULT_PATH;
	snprintf(seconds, sizeof(seconds), "%d", a->seconds);
	if (!query_set(ret, arena, "seconds", a->seconds > 0 ? seconds : NULL))
		return error_set(err, -ENOMEM, "out of memory");

	if (measured <= 0)
		measured = seconds_in(ret, arena);
	if (a->timeout > 0)
		*ret_timeout = a->timeout;
	else if (measured > 0)
		*ret_timeout = measured + measured / 2;
	else
		*ret_timeout = DEFAULT_TIMEOUT;
	return 0;
}

static int check_tls(const struct tls_files *tls, struct error *err)
{
	if (tls->key[0] && !tls->certificate[0])
		return error_set(err, -EINVAL,
				 "-tls_key is specified, so -tls_cert must "
				 "also be specified");
	if (tls->certificate[0] && !tls->key[0])
		return error_set(err, -EINVAL,
				 "-tls_cert is specified, so -tls_key must "
				 "also be specified");
	return 0;
}

static void announce(const struct input *s, const struct arguments *a)
{
	char wait[32];

	talk("Fetching profile over HTTP from %s", s->url_text);
	if (a->seconds <= 0)
		return;
	go_seconds_text(a->seconds, wait, sizeof(wait));
	talk("Please wait... (%s)", wait);
}

/* The answer is in an arena of its own, which the profile does not need. */
static int read_answer(struct input *s, const struct http_request *request,
		       struct arena *arena)
{
	struct response response;
	struct span body;
	int r = http_fetch(request, arena, &response, &body, &s->err);

	if (r < 0)
		return r;
	if (response.status != 200)
		return http_refused(&response, body, &s->err);
	return profile_load_bytes(&s->profile, &s->arena, body, &s->err);
}

static int load_address(struct input *s, const struct arguments *a)
{
	struct http_request request = { .limit = HTTP_LIMIT, .tls = &a->tls };
	struct arena arena = { 0 };
	int64_t timeout;
	int r = input_address(a, s->name, &s->url_arena, &s->url, &timeout,
			      &s->err);

	if (r == 0)
		r = check_tls(&a->tls, &s->err);
	if (r < 0)
		return r;
	s->url_text = url_text(&s->url, &s->url_arena);
	if (!s->url_text)
		return error_set(&s->err, -ENOMEM, "out of memory");
	announce(s, a);
	request.url = s->url;
	request.deadline = clock_ms() + (timeout + GRACE) * 1000;
	r = read_answer(s, &request, &arena);
	arena_release(&arena);
	s->remote = r == 0;
	return r;
}

/* Whether name, which is no file, is meant to be an address. */
static bool is_address(const char *name, struct arena *arena)
{
	struct url u;

	return url_names_socket(name) ||
	       parse_address(name, arena, &u, NULL) == 0;
}

/* Every failure gets the name of what failed; an address without password. */
static int load(struct input *s, const struct arguments *a)
{
	struct stat st;
	int r;

	if (!strcmp(s->name, "-") || stat(s->name, &st) == 0 ||
	    !is_address(s->name, &s->url_arena))
		return profile_load(&s->profile, &s->arena, s->name, &s->err);
	r = load_address(s, a);
	if (r < 0)
		error_prefix(&s->err, "'%s'",
			     s->url_text ? s->url_text : s->name);
	return r;
}

/* What the command line knows of the program. */
static void name_program(struct profile *p, const struct arguments *a)
{
	struct mapping *m = &p->mappings.at[1];

	if (a->binary[0])
		m->file = strtab_add_text(p->strings, a->binary);
	if (a->build_id[0] && !m->build_id)
		m->build_id = strtab_add_text(p->strings, a->build_id);
}

/*
 * Files of the programs, on this machine; remarks about those of others, and
 * about what is missing from the profile itself.
 */
static void locate(struct profile *p)
{
	struct arena arena = { 0 };
	struct sink remarks = sink_to_memory(&arena);

	loss_write(&p->loss, &remarks);
	locate_binaries(p, &remarks);
	if (remarks.used)
		talk_text(sink_bytes(&remarks));
	arena_release(&arena);
}

/* Makes what was read fit to be merged and symbolized. */
static int prepare(struct input *s, const struct arguments *a)
{
	int r = profile_check(&s->profile, &s->err);

	if (r == 0) {
		locate(&s->profile);
		r = profile_add_fake_mapping(&s->profile);
		if (r < 0)
			error_set(&s->err, r, "out of memory");
	}
	if (r < 0)
		error_prefix(&s->err, "'%s'", s->name);
	else
		name_program(&s->profile, a);
	return r;
}

void input_load(struct input *s, const struct arguments *a)
{
	s->result = load(s, a);
	if (s->result == 0)
		s->result = prepare(s, a);
}

void input_drop_profile(struct input *s)
{
	arena_release(&s->arena);
}

void input_release(struct input *s)
{
	arena_release(&s->arena);
	arena_release(&s->url_arena);
}
