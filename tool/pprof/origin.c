/* SPDX-License-Identifier: MIT */
/* See origin.h. */
#include "pprof/origin.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "pprof/input.h"
#include "profile/profile.h"

int origins_add(struct origins *o, struct input *s)
{
	struct profile *p = &s->profile;

	for (uint32_t i = 1; i < p->mappings.count; i++) {
		struct mapping *m = &p->mappings.at[i];
		struct origin *row = VEC_PUSH(&o->rows, o->arena);
		const char *key;

		if (!m->build_id && !m->file)
			m->file = strtab_add_text(p->strings, s->url_text);
		key = profile_text(p, m->build_id ? m->build_id : m->file);
		key = arena_text(o->arena, key, strlen(key));
		if (!row || !key)
			return -ENOMEM;
		*row = (struct origin){
			.key = key,
			.url = &s->url,
			.start = m->start,
		};
	}
	return 0;
}

/* As Go sees it: a scheme and a ':', and something behind it. */
static bool is_absolute(const char *file)
{
	const char *p = file;

	if (!isalpha((unsigned char)*p))
		return false;
	while (isalnum((unsigned char)*p) || (*p && strchr("+-.", *p)))
		p++;
	return *p == ':' && !strpbrk(file, " \t\x7f");
}

void origins_forget(struct profile *p)
{
	for (uint32_t i = 1; i < p->mappings.count; i++) {
		struct mapping *m = &p->mappings.at[i];

		if (!m->build_id && is_absolute(profile_text(p, m->file)))
			m->file = 0;
	}
}
