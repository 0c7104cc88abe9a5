/* SPDX-License-Identifier: MIT */
/* Interned strings: a column of texts and a hash index over it. */
#include "base/strtab.h"

#include <string.h>

#include "base/hash.h"

void strtab_init(struct strtab *t, struct arena *arena)
{
	struct str *empty;

	*t = (struct strtab){ .arena = arena };
	empty = VEC_PUSH(&t->strings, arena);
	t->key = hash_key(empty);
	if (empty)
		*empty = (struct str){ .text = "" };
}

static str_id lookup(const struct strtab *t, uint32_t hash, const char *text,
		     size_t len)
{
	uint32_t i = table_start(&t->index, hash);
	uint32_t id;

	for (; (id = table_id(&t->index, i, hash)) != TABLE_END;
	     i = table_next(&t->index, i)) {
		const struct str *s = &t->strings.at[id];

		if (id && s->len == len && !memcmp(s->text, text, len))
			return id;
	}
	return UINT32_MAX;
}

str_id strtab_find(const struct strtab *t, const char *text, size_t len)
{
	if (!len)
		return 0;
	return lookup(t, hash_bytes_keyed(t->key, text, len), text, len);
}

/* text is already where it will stay. */
static str_id append(struct strtab *t, uint32_t hash, const char *text,
		     size_t len)
{
	struct str *s = VEC_PUSH(&t->strings, t->arena);

	if (!s)
		return 0;
	*s = (struct str){ .text = text, .len = (uint32_t)len };
	if (!table_add(&t->index, t->arena, hash, t->strings.count - 1)) {
		t->arena->failed = true;
		return 0;
	}
	return t->strings.count - 1;
}

/* As strtab_add_static(); with copy, text may go away afterwards. */
static str_id add(struct strtab *t, const char *text, size_t len, bool copy)
{
	uint32_t hash;
	str_id id;

	if (!len)
		return 0;
	if (len >= UINT32_MAX) {
		t->arena->failed = true;
		return 0;
	}
	hash = hash_bytes_keyed(t->key, text, len);
	id = lookup(t, hash, text, len);
	if (id != UINT32_MAX)
		return id;
	if (copy)
		text = arena_text(t->arena, text, len);
	return text ? append(t, hash, text, len) : 0;
}

str_id strtab_add_static(struct strtab *t, const char *text, size_t len)
{
	return add(t, text, len, false);
}

str_id strtab_add(struct strtab *t, const char *text, size_t len)
{
	return add(t, text, len, true);
}

str_id strtab_add_text(struct strtab *t, const char *text)
{
	return strtab_add(t, text, strlen(text));
}

str_id strtab_add_span(struct strtab *t, struct span s)
{
	return strtab_add(t, (const char *)s.at, s.len);
}

int str_compare(const struct strtab *t, str_id a, str_id b)
{
	return a == b ? 0 : span_compare(str_span(t, a), str_span(t, b));
}
