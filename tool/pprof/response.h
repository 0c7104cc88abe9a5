/* SPDX-License-Identifier: MIT */
#ifndef WICK_PPROF_RESPONSE_H
#define WICK_PPROF_RESPONSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

struct error;
struct sink;

/* What is kept of an answer besides its body. */
struct response {
	unsigned status;
	char reason[128];	/* as sent: "Not Found"; may be "" */
	char content_type[128]; /* cut if longer, as are all of these */
	char location[2048];
	bool go_pprof; /* X-Go-Pprof: the body of a refusal says why */
};

enum response_state {
	RESPONSE_STATUS,
	RESPONSE_HEADER,
	RESPONSE_LENGTH,     /* a body of known length */
	RESPONSE_CLOSE,	     /* a body that lasts until the end */
	RESPONSE_CHUNK_SIZE, /* a line */
	RESPONSE_CHUNK_DATA,
	RESPONSE_CHUNK_END, /* the line end after a chunk */
	RESPONSE_TRAILER,
	RESPONSE_DONE,
};

#define RESPONSE_LINE_MAX    8192
#define RESPONSE_HEADERS_MAX 65536

/*
 * Reads an HTTP/1 answer as it arrives, in pieces of any size, from a server
 * that may be broken or hostile: every line, the headers together and the body
 * have limits, and no length that the server claims is ever allocated.
 */
struct response_parser {
	struct response response;
	struct sink *body;   /* borrowed */
	uint64_t limit;	     /* for the body */
	uint64_t left;	     /* of the body or the chunk */
	uint64_t body_bytes; /* so far */
	enum response_state state;
	bool chunked;
	bool has_length;
	uint32_t header_bytes;
	uint32_t line_len;
	char line[RESPONSE_LINE_MAX];
};

/* Starts anew; at most limit bytes will be written to body. */
void response_start(struct response_parser *p, struct sink *body,
		    uint64_t limit);

/*
 * Takes the next bytes.  Returns 0 if there is more to come, 1 if the answer
 * is complete, or a negative errno with err set.
 */
int response_feed(struct response_parser *p, struct span bytes,
		  struct error *err);

/*
 * Says that the server has closed the connection.  Returns 1 if the answer is
 * complete, or a negative errno with err set.
 */
int response_end(struct response_parser *p, struct error *err);

#endif /* WICK_PPROF_RESPONSE_H */
