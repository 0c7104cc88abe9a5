/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes the heads of requests, which anybody who can connect may send: what is
 * accepted has a path that can not climb and fields without controls, and the
 * same is found when the bytes come one after the other.
 */
#include "fuzz.h"

#include <string.h>

#include "base/check.h"
#include "http/guard.h"
#include "http/head.h"
#include "http/target.h"

static void check_path(const struct http_head *h)
{
	ASSERT(h->path_len < HTTP_PATH_MAX && !h->path[h->path_len]);
	ASSERT(strlen(h->path) == h->path_len);
	ASSERT(!h->path_len || h->path[0] == '/');
	ASSERT(!strstr(h->path, "/../") && !strstr(h->path, "/./"));
	ASSERT(!strchr(h->path, '\\') && !strchr(h->path, '\n'));
}

static void check_fields(const struct http_head *h)
{
	ASSERT(h->field_count <= HTTP_FIELDS_MAX);
	for (unsigned i = 0; i < h->field_count; i++) {
		struct span value = h->fields[i].value;

		ASSERT(h->fields[i].name.len > 0);
		for (size_t at = 0; at < value.len; at++)
			ASSERT(value.at[at] >= ' ' || value.at[at] == '\t');
	}
}

static void check_query(const struct http_head *h)
{
	struct span query = h->query;
	struct http_pair pair;
	char value[64];

	while (http_pair_next(&query, &pair))
		ASSERT(pair.name.len || pair.value.len ||
		       query.len <= h->query.len);
	(void)http_param(h, "seconds", value, sizeof(value));
	(void)http_list_holds(http_field(h, "accept"), "text/html");
}

/* A head is accepted at its end and nowhere before it. */
static void check_growth(const struct http_head *h, struct span in, int len)
{
	static struct http_head other;

	if (len > 600)
		return; /* it would take too long */
	for (size_t part = 0; part < (size_t)len; part++)
		ASSERT(http_head_parse(&other, span_part(in, 0, part)) == 0);
	ASSERT(http_head_parse(&other, span_part(in, 0, (size_t)len)) == len);
	ASSERT(other.method == h->method && other.body_len == h->body_len);
	ASSERT(!strcmp(other.path, h->path));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct http_guard guards[] = {
		{ .port = 80, .name = "127.0.0.1" },
		{ .port = 80, .any_name = true, .token = "01234567" },
	};
	static struct http_head h;
	struct span in = span_of(data, size);
	int len = http_head_parse(&h, in);

	if (len <= 0) {
		ASSERT(len == 0 || (len <= -400 && len > -600));
		return 0;
	}
	ASSERT((size_t)len <= size);
	check_path(&h);
	check_fields(&h);
	check_query(&h);
	check_growth(&h, in, len);
	for (size_t i = 0; i < ARRAY_SIZE(guards); i++) {
		int status = http_guard_check(&guards[i], &h);

		ASSERT(!status || (status >= 400 && status < 500));
		check_path(&h);
	}
	return 0;
}
