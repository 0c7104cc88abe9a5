/* SPDX-License-Identifier: MIT */
/* See symbolz.h. */
#include "pprof/symbolz.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/sink.h"
#include "pprof/clock.h"
#include "pprof/http.h"
#include "pprof/origin.h"
#include "profile/idmap.h"
#include "profile/profile.h"

#define TIMEOUT_MS   60000
#define ANSWER_LIMIT ((uint64_t)1 << 30)

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text);
	size_t end_len = strlen(end);

	return len >= end_len && !strcmp(text + len - end_len, end);
}

/* Pages of Go and gperftools have a neighbour "symbol"; others "symbolz". */
static const char *page(const char *path)
{
	static const char *const gperftools[] = {
		"/pprof/heap",	     "/pprof/growth",	  "/pprof/profile",
		"/pprof/pmuprofile", "/pprof/contention",
	};

	if (strstr(path, "/debug/pprof/"))
		return "symbol";
	for (size_t i = 0; i < sizeof(gperftools) / sizeof(*gperftools); i++)
		if (ends_with(path, gperftools[i]))
			return "symbol";
	return "symbolz";
}

int symbolz_address(const struct url *profile, struct arena *arena,
		    struct url *ret)
{
	size_t len = strlen(profile->path);

	while (len && profile->path[len - 1] == '/')
		len--;
	while (len && profile->path[len - 1] != '/')
		len--;

	struct sink path = sink_to_memory(arena);

	sink_write(&path, profile->path, len);
	sink_format(&path, "%s%s%c", len ? "" : "/", page(profile->path), 0);
	if (path.error)
		return path.error;
	*ret = *profile;
	ret->path = (const char *)sink_bytes(&path).at;
	ret->query = "";
	return 0;
}

/* Whether a location wants a name from the server. */
static bool is_wanted(const struct profile *p, uint32_t m, uint32_t location)
{
	const struct location *l = &p->locations.at[location];

	return l->mapping == m && l->address && !l->line_count;
}

/* "0x1+0x2"; empty if nothing is wanted or memory ran out. */
static struct span question(const struct profile *p, uint32_t m, int64_t offset,
			    struct arena *arena)
{
	struct sink out = sink_to_memory(arena);

	for (uint32_t i = 1; i < p->locations.count; i++) {
		uint64_t address = p->locations.at[i].address;

		if (!is_wanted(p, m, i))
			continue;
		sink_format(&out, "%s0x%llx", out.total ? "+" : "",
			    (unsigned long long)(address + (uint64_t)offset));
	}
	return out.error ? (struct span){ 0 } : sink_bytes(&out);
}

static int hex_value(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "0xADDRESS name" anywhere in the line; false if it is not there. */
static bool parse_line(struct span line, uint64_t *ret_address,
		       struct span *ret_name)
{
	const uint8_t *at = memmem(line.at, line.len, "0x", 2);
	struct reader r = reader_of(line);
	unsigned digits = 0;

	if (!at)
		return false;
	r.at = at + 2;
	for (*ret_address = 0; reader_left(&r) && hex_value(*r.at) >= 0;
	     digits++)
		*ret_address = *ret_address << 4 |
			       (uint64_t)hex_value(reader_u8(&r));
	if (!digits || digits > 16 || !reader_left(&r) ||
	    (*r.at != ' ' && *r.at != '\t'))
		return false;
	while (reader_left(&r) && (*r.at == ' ' || *r.at == '\t'))
		r.at++;
	*ret_name = span_of(r.at, reader_left(&r));
	return true;
}

/* What an answer said; functions of one name are one. */
struct names {
	struct arena arena;
	struct idmap by_address; /* to function_id */
	struct idmap by_name;	 /* str_id + 1 to function_id */
	uint64_t next_id;
};

static uint64_t next_function_id(const struct profile *p)
{
	uint64_t id = 0;

	for (uint32_t i = 1; i < p->functions.count; i++)
		if (p->functions.at[i].id > id)
			id = p->functions.at[i].id;
	return id + 1;
}

static function_id function_called(struct profile *p, struct names *n,
				   struct span name)
{
	str_id id = strtab_add_span(p->strings, name);
	function_id f = idmap_find(&n->by_name, (uint64_t)id + 1);

	if (f)
		return f;
	f = profile_add_function(p, (struct function){
					    .id = n->next_id++,
					    .name = id,
					    .system_name = id,
				    });
	if (!f || idmap_add(&n->by_name, (uint64_t)id + 1, f) < 0)
		return 0;
	return f;
}

static int take_line(struct profile *p, struct names *n, int64_t offset,
		     struct span line)
{
	uint64_t address;
	struct span name;
	function_id f;

	if (!parse_line(line, &address, &name))
		return 0;
	address -= (uint64_t)offset;
	if (idmap_find(&n->by_address, address))
		return 0;
	f = function_called(p, n, name);
	return f ? idmap_add(&n->by_address, address, f) : -ENOMEM;
}

/* A last line without a newline is not whole, and not counted. */
static int take_lines(struct profile *p, struct names *n, int64_t offset,
		      struct span answer)
{
	const uint8_t *end;

	while (answer.len && (end = memchr(answer.at, '\n', answer.len))) {
		size_t len = (size_t)(end - answer.at);
		size_t text = len;
		int r;

		if (text && answer.at[text - 1] == '\r')
			text--;
		r = take_line(p, n, offset, span_part(answer, 0, text));
		if (r < 0)
			return r;
		answer = span_part(answer, len + 1, answer.len - len - 1);
	}
	return 0;
}

/* The lines of named locations go behind all others. */
static int put_names(struct profile *p, const struct names *n, uint32_t m)
{
	for (uint32_t i = 1; i < p->locations.count; i++) {
		struct location *l = &p->locations.at[i];
		function_id f = idmap_find(&n->by_address, l->address);
		struct line *line;

		if (l->mapping != m || !f)
			continue;
		line = VEC_PUSH(&p->lines, p->arena);
		if (!line)
			return -ENOMEM;
		*line = (struct line){ .function = f };
		l->first_line = p->lines.count - 1;
		l->line_count = 1;
	}
	return 0;
}

int symbolz_take(struct profile *p, uint32_t m, int64_t offset,
		 struct span answer)
{
	struct names n = { .next_id = next_function_id(p) };
	int r = idmap_init(&n.by_address, &n.arena, 0);

	if (r == 0)
		r = idmap_init(&n.by_name, &n.arena, p->strings->strings.count);
	if (r == 0)
		r = take_lines(p, &n, offset, answer);
	if (r == 0)
		r = put_names(p, &n, m);
	arena_release(&n.arena);
	return r;
}

struct question {
	const struct origin *origin; /* who is asked */
	const struct tls_files *tls;
	struct arena *arena;
};

/* Asks one server for the names of one mapping. */
static int ask(struct profile *p, uint32_t m, const struct question *q,
	       struct error *err)
{
	const struct origin *origin = q->origin;
	struct arena *arena = q->arena;
	int64_t offset = (int64_t)(origin->start - p->mappings.at[m].start);
	struct http_request request = {
		.post = question(p, m, offset, arena),
		.deadline = clock_ms() + TIMEOUT_MS,
		.limit = ANSWER_LIMIT,
		.tls = q->tls,
	};
	struct response response;
	struct span answer;
	int r = symbolz_address(origin->url, arena, &request.url);

	if (r < 0)
		return error_set(err, r, "out of memory");
	if (!request.post.len)
		return 0;
	r = http_fetch(&request, arena, &response, &answer, err);
	if (r == 0 && response.status != 200)
		r = http_refused(&response, answer, err);
	if (r < 0) {
		error_prefix(err, "http post %s",
			     url_text(&request.url, arena));
		return r;
	}
	r = symbolz_take(p, m, offset, answer);
	if (r < 0)
		return error_set(err, r, "out of memory");
	p->mappings.at[m].flags |= MAPPING_HAS_FUNCTIONS;
	return 0;
}

/* The first server known for a mapping; by file, then by build id. */
static const struct origin *origin_of(const struct profile *p, uint32_t m,
				      const struct origins *origins)
{
	const str_id keys[] = { p->mappings.at[m].file,
				p->mappings.at[m].build_id };

	for (unsigned k = 0; k < 2; k++)
		for (uint32_t i = 0; keys[k] && i < origins->rows.count; i++)
			if (!strcmp(origins->rows.at[i].key,
				    profile_text(p, keys[k])))
				return &origins->rows.at[i];
	return NULL;
}

int symbolz_apply(struct profile *p, bool force, const struct origins *origins,
		  const struct tls_files *tls, struct error *err)
{
	struct arena arena = { 0 };
	struct question q = { .tls = tls, .arena = &arena };
	int r = 0;

	for (uint32_t m = 1; m < p->mappings.count && r == 0; m++) {
		q.origin = origin_of(p, m, origins);
		if (!q.origin || (!force && (p->mappings.at[m].flags &
					     MAPPING_HAS_FUNCTIONS)))
			continue;
		r = ask(p, m, &q, err);
		arena_release(&arena);
	}
	return r;
}
