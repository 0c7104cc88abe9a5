/* SPDX-License-Identifier: MIT */
/* See server-work.h. */
#include "server-work.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	SLOTS = 4096,
	CHUNK = 64 * 1024,
};

static int folder = -1;

void work_begin(const char *path)
{
	folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void reply_text(struct reply *r, const char *text)
{
	r->status = "200 OK";
	r->body = strdup(text);
	r->len = r->body ? strlen(r->body) : 0;
}

static inline uint64_t mix(uint64_t h, uint8_t byte)
{
	return (h ^ byte) * 0x100000001b3;
}

__attribute__((noinline)) static uint64_t hash_text(const char *text)
{
	uint64_t h = 0xcbf29ce484222325;

	for (; *text; text++)
		h = mix(h, (uint8_t)*text);
	return h;
}

void work_hash(const char *argument, struct reply *r)
{
	unsigned long rounds = strtoul(argument, NULL, 10);
	char text[64] = "wick";

	if (!rounds || rounds > 1000000)
		rounds = 1000;
	for (unsigned long i = 0; i < rounds; i++)
		snprintf(text, sizeof(text), "%016llx",
			 (unsigned long long)hash_text(text));
	reply_text(r, text);
}

/* A word and how often it was asked for. */
struct word {
	struct word *next;
	unsigned long count;
	char text[];
};

static struct {
	pthread_mutex_t lock;
	struct word *slot[SLOTS];
} words = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct word *find_word(const char *text)
{
	struct word **at = &words.slot[hash_text(text) % SLOTS];
	struct word *w;

	for (w = *at; w; w = w->next)
		if (!strcmp(w->text, text))
			return w;
	w = calloc(1, sizeof(*w) + strlen(text) + 1);
	if (!w)
		return NULL;
	memcpy(w->text, text, strlen(text) + 1);
	w->next = *at;
	*at = w;
	return w;
}

void work_count(const char *argument, struct reply *r)
{
	char text[32] = "";
	struct word *w;

	pthread_mutex_lock(&words.lock);
	w = find_word(argument);
	if (w)
		snprintf(text, sizeof(text), "%lu", ++w->count);
	pthread_mutex_unlock(&words.lock);
	reply_text(r, text);
}

static const char *parse_number(const char *at, unsigned long *value)
{
	for (*value = 0; *at >= '0' && *at <= '9'; at++)
		*value = *value * 10 + (unsigned long)(*at - '0');
	return at;
}

__attribute__((noinline)) static unsigned long parse_sum(const char *at)
{
	unsigned long sum = 0, value;

	for (;;) {
		at = parse_number(at, &value);
		sum += value;
		if (*at != '+')
			return sum;
		at++;
	}
}

void work_sum(const char *argument, struct reply *r)
{
	char text[32];

	snprintf(text, sizeof(text), "%lu", parse_sum(argument));
	reply_text(r, text);
}

/* Names lead nowhere but into the folder. */
static bool is_plain_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/');
}

static char *read_whole(int fd, size_t *len)
{
	char *all = NULL;
	ssize_t n = 1;

	while (n > 0) {
		char *more = realloc(all, *len + CHUNK);

		if (!more)
			break;
		all = more;
		n = read(fd, all + *len, CHUNK);
		*len += n > 0 ? (size_t)n : 0;
	}
	return all;
}

void work_file(const char *argument, struct reply *r)
{
	int fd = is_plain_name(argument)
			 ? openat(folder, argument,
				  O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
			 : -1;

	if (fd < 0)
		return;
	r->body = read_whole(fd, &r->len);
	r->status = "200 OK";
	close(fd);
}
