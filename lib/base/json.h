/* SPDX-License-Identifier: MIT */
#ifndef WICK_BASE_JSON_H
#define WICK_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

struct sink;

#define JSON_DEPTH 32

/*
 * Writes JSON into a sink and sees to commas and quotes:
 *
 *	struct json j = json_to(out);
 *	json_open(&j, '{');
 *	json_key(&j, "name");
 *	json_text(&j, name);
 *	json_close(&j, '}');
 *
 * Nothing is checked but the depth: what is opened must be closed.
 */
struct json {
	struct sink *out; /* borrowed */
	unsigned depth;
	bool follows[JSON_DEPTH]; /* something stands before on this level */
	bool after_key;
};

struct json json_to(struct sink *out);

/* kind is '{' or '[', and '}' or ']' to close it. */
void json_open(struct json *j, char kind);
void json_close(struct json *j, char kind);

void json_key(struct json *j, const char *key);

/* Text may hold any bytes: what is not UTF-8 becomes U+FFFD. */
void json_text(struct json *j, const char *text);
void json_span(struct json *j, struct span text);
void json_uint(struct json *j, uint64_t value);
void json_int(struct json *j, int64_t value);
void json_bool(struct json *j, bool value);
void json_null(struct json *j);

#endif /* WICK_BASE_JSON_H */
