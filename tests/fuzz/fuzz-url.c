/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes addresses, which redirections bring from strangers: nothing of them
 * may end up in a request that could end its line.
 */
#include "fuzz.h"

#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "pprof/proxy.h"
#include "pprof/query.h"
#include "pprof/url.h"

static void check_plain(const char *text)
{
	for (; *text; text++)
		ASSERT(*text > ' ' && *text < 0x7f);
}

static void check(struct url *u, struct arena *arena)
{
	check_plain(u->path);
	check_plain(u->query);
	for (const char *c = u->host; *c; c++)
		ASSERT((unsigned char)*c > ' ' && *c != 0x7f);
	ASSERT(!u->path[0] || u->path[0] == '/');
	ASSERT(query_set(u, arena, "seconds", "1"));
	check_plain(u->query);
	ASSERT(!strcmp(query_get(u, arena, "seconds"), "1"));
	ASSERT(url_text(u, arena));
	(void)proxy_applies(u, u->host);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = { 0 };
	const char *text = arena_text(&arena, (const char *)data, size);
	struct url base;
	struct url u;

	if (url_parse(&u, &arena, text, NULL) == 0)
		check(&u, &arena);
	ASSERT(url_parse(&base, &arena, "http://h:1/a/b?c=d", NULL) == 0);
	if (url_resolve(&u, &arena, &base, text, NULL) == 0)
		check(&u, &arena);
	arena_release(&arena);
	return 0;
}
