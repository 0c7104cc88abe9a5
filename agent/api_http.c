/* SPDX-License-Identifier: MIT */
/* The C API of the HTTP endpoint: see wick.h.  Errno stays as it was. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "agent/direct.h"
#include "agent/endpoint.h"
#include "wick.h"

#define DEFAULT_ADDRESS "127.0.0.1:6060"

/*
 * Copies what the caller knows of a structure; fields that only it knows must
 * be zero.
 */
static int read_struct(void *to, size_t size, const void *from,
		       size_t from_size)
{
	const char *bytes = from;

	for (size_t i = size; i < from_size; i++)
		if (bytes[i])
			return -E2BIG;
	memcpy(to, from, from_size < size ? from_size : size);
	return 0;
}

static int start(const struct wick_http_options *options)
{
	struct wick_http_options o = { 0 };
	int r = options ? read_struct(&o, sizeof(o), options, options->size)
			: 0;

	if (r < 0)
		return r;
	return endpoint_start(o.address ? o.address : DEFAULT_ADDRESS, o.token);
}

int wick_http_start(const struct wick_http_options *options)
{
	int saved = errno;
	int r = start(options);

	errno = saved;
	return r;
}

int wick_http_stop(void)
{
	int saved = errno;
	int r = endpoint_stop();

	errno = saved;
	return r;
}

int wick_http_url(char *buf, size_t size)
{
	int saved = errno;
	int r = endpoint_url(buf, size);

	errno = saved;
	return r;
}

static void give(struct wick_http_answer *to, const struct direct_answer *from)
{
	struct wick_http_answer all = {
		.size = to->size,
		.status = from->status,
		.content_type = from->type,
		.fields = from->fields,
		.body = from->body.at,
		.body_size = from->body.len,
		.memory = from->memory,
		.memory_size = from->size,
	};

	memcpy(to, &all, to->size < sizeof(all) ? to->size : sizeof(all));
}

static int handle(const struct wick_http_request *request,
		  struct wick_http_answer *answer)
{
	struct wick_http_request q = { 0 };
	struct direct_answer a;
	int r = read_struct(&q, sizeof(q), request, request->size);

	if (r < 0)
		return r;
	if (!q.target)
		return -EINVAL;
	r = direct_serve(
		&(struct direct_request){
			.method = q.method ? q.method : "GET",
			.target = q.target,
			.host = q.host,
			.accept = q.accept,
			.body = { .at = q.body, .len = q.body_size },
		},
		&a);
	if (r == 0)
		give(answer, &a);
	return r;
}

int wick_http_handle(const struct wick_http_request *request,
		     struct wick_http_answer *answer)
{
	int saved = errno;
	int r = handle(request, answer);

	errno = saved;
	return r;
}

void wick_http_release(struct wick_http_answer *answer)
{
	int saved = errno;

	if (answer->memory)
		munmap(answer->memory, answer->memory_size);
	answer->memory = NULL;
	errno = saved;
}
