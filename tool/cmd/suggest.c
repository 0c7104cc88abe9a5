/* SPDX-License-Identifier: MIT */
/*
 * "did you mean ...?": the distance of Damerau and Levenshtein, and how near
 * is near enough.  Too generous a limit is worse than none: a suggestion that
 * is not what was meant costs the reader more than the bare message.
 */
#include "cmd/suggest.h"

#include <limits.h>
#include <string.h>

#define WORD_MAX 63

static unsigned min(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

unsigned edit_distance(const char *a, const char *b)
{
	unsigned rows[3][WORD_MAX + 1];
	unsigned *before = rows[0], *last = rows[1], *now = rows[2];
	size_t alen = strlen(a), blen = strlen(b);

	if (alen > WORD_MAX || blen > WORD_MAX)
		return UINT_MAX;

	for (unsigned j = 0; j <= blen; j++)
		now[j] = j;
	for (unsigned i = 1; i <= alen; i++) {
		unsigned *oldest = before;

		before = last;
		last = now;
		now = oldest;
		now[0] = i;
		for (unsigned j = 1; j <= blen; j++) {
			unsigned change = a[i - 1] != b[j - 1];

			now[j] = min(last[j - 1] + change,
				     min(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				now[j] = min(now[j], before[j - 2] + 1);
		}
	}
	return now[blen];
}

/* A third of the letters may be wrong; of one or two letters, one. */
static unsigned tolerated(const char *typed)
{
	size_t len = strlen(typed);

	return len < 3 ? 1 : (unsigned)len / 3;
}

void suggest_offer(struct suggestion *s, const char *word)
{
	size_t len = strlen(s->typed);
	unsigned distance = edit_distance(s->typed, word);

	/* An unfinished word is as likely as a slip of the finger. */
	if (len >= 2 && !strncmp(word, s->typed, len))
		distance = 1;
	if (distance > tolerated(s->typed))
		return;
	if (s->best && distance >= s->distance)
		return;

	s->best = word;
	s->distance = distance;
}
