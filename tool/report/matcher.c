/* SPDX-License-Identifier: MIT */
/* See matcher.h. */
#include "report/matcher.h"

#include <errno.h>

#include "base/arena.h"
#include "base/error.h"
#include "report/regex.h"

int matcher_init(struct matcher *m, const char *option, const char *pattern,
		 const struct strtab *strings, struct arena *arena,
		 struct error *err)
{
	int r;

	*m = (struct matcher){ .strings = strings, .arena = arena };
	if (!pattern || !*pattern)
		return 0;
	r = regex_compile(&m->regex, pattern, err);
	if (r < 0 && option)
		error_prefix(err, "parsing %s regexp", option);
	if (r < 0)
		return r;
	m->known_count = strings->strings.count;
	m->known = ARENA_ARRAY(arena, uint8_t, m->known_count);
	if (!m->known)
		return error_set(err, -ENOMEM, "out of memory");
	return 0;
}

void matcher_release(struct matcher *m)
{
	regex_free(m->regex);
	m->regex = NULL;
}

bool matcher_match_span(const struct matcher *m, struct span text)
{
	if (!m->regex)
		return false;
	if (m->simplify)
		text = m->simplify(text);
	return regex_match(m->regex, (const char *)text.at, text.len);
}

bool matcher_match(struct matcher *m, str_id id)
{
	bool match;

	if (!m->regex)
		return false;
	if (id < m->known_count && m->known[id])
		return m->known[id] == 2;
	match = matcher_match_span(m, str_span(m->strings, id));
	if (id < m->known_count)
		m->known[id] = match ? 2 : 1;
	return match;
}
