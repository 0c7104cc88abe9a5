/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes the reading of HTTP answers.  The first byte says how large the pieces
 * are in which the rest arrives: the result may not depend on it.
 */
#include "fuzz.h"

#include "base/arena.h"
#include "base/check.h"
#include "base/error.h"
#include "base/sink.h"
#include "pprof/response.h"

#define LIMIT 4096

struct outcome {
	int result;
	unsigned status;
	uint64_t bytes;
};

static struct outcome read_in_pieces(struct span data, size_t step)
{
	static struct response_parser p;
	struct arena arena = { 0 };
	struct sink body = sink_to_memory(&arena);
	struct error err = { 0 };
	int r = 0;

	response_start(&p, &body, LIMIT);
	for (size_t at = 0; at < data.len && r == 0; at += step) {
		size_t left = data.len - at;

		r = response_feed(
			&p, span_part(data, at, left < step ? left : step),
			&err);
	}
	if (r == 0)
		r = response_end(&p, &err);
	ASSERT(r == 1 || (r < 0 && err.text[0]));
	ASSERT(r < 0 || sink_bytes(&body).len <= LIMIT);
	ASSERT(r < 0 || (p.response.status >= 200 && p.response.status < 1000));

	struct outcome o = { r, p.response.status, sink_bytes(&body).len };

	arena_release(&arena);
	return o;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span all;
	struct outcome once;
	struct outcome pieces;

	if (size < 1)
		return 0;
	all = span_of(data + 1, size - 1);
	once = read_in_pieces(all, all.len ? all.len : 1);
	pieces = read_in_pieces(all, (size_t)data[0] % 32 + 1);
	ASSERT(once.result == pieces.result);
	if (once.result == 1)
		ASSERT(once.status == pieces.status &&
		       once.bytes == pieces.bytes);
	return 0;
}
