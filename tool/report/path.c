/* SPDX-License-Identifier: MIT */
/* See path.h. */
#include "report/path.h"

#include <string.h>

#include "base/arena.h"
#include "profile/node.h"

/* The first place of needle in text from offset on, or SIZE_MAX. */
static size_t find(struct span text, struct span needle)
{
	const uint8_t *at = needle.len ? memmem(text.at, text.len, needle.at,
						needle.len)
				       : text.at;

	return at ? (size_t)(at - text.at) : SIZE_MAX;
}

/* Takes the next element off a ':'-separated list. */
static bool next_element(struct span *list, struct span *element)
{
	const uint8_t *colon;

	if (!list->len)
		return false;
	colon = memchr(list->at, ':', list->len);
	*element = span_of(list->at,
			   colon ? (size_t)(colon - list->at) : list->len);
	*list = colon ? span_of(colon + 1, list->len - element->len - 1)
		      : (struct span){ 0 };
	return true;
}

static struct span cut(struct span path, size_t len)
{
	return span_of(path.at + len, path.len - len);
}

/*
 * Without prefixes to trim they are guessed: what stands before a folder that
 * is called like one of the search path's is where it was on another machine.
 */
static bool trim_by_search(struct span *path, struct span search)
{
	struct span dir;

	while (next_element(&search, &dir)) {
		struct span base = dir.len ? path_base(dir) : span_text(".");
		size_t skip = 0;

		while (skip < path->len) {
			struct span rest = cut(*path, skip);
			size_t at = find(rest, base);

			if (at == SIZE_MAX)
				break;
			if (at + skip > 0 &&
			    rest.at[(ptrdiff_t)at - 1] == '/' &&
			    at + base.len < rest.len &&
			    rest.at[at + base.len] == '/') {
				*path = cut(rest, at + base.len + 1);
				return true;
			}
			skip += at + 1;
		}
	}
	return false;
}

static bool trim_prefix(struct span *path, struct span prefix)
{
	bool slash = prefix.len && prefix.at[prefix.len - 1] == '/';

	if (path->len < prefix.len + !slash ||
	    (prefix.len && memcmp(path->at, prefix.at, prefix.len) != 0))
		return false;
	if (!slash && path->at[prefix.len] != '/')
		return false;
	*path = cut(*path, prefix.len + !slash);
	return true;
}

static bool is_set(const char *option)
{
	return option && *option;
}

struct span path_trim(struct span path, const struct view *view)
{
	struct span list = { 0 }, prefix;

	if (!is_set(view->trim_path)) {
		if (is_set(view->source_path) &&
		    trim_by_search(&path, span_text(view->source_path)))
			return path;
	} else {
		list = span_text(view->trim_path);
	}
	while (next_element(&list, &prefix))
		if (trim_prefix(&path, prefix))
			return path;
	if (!trim_prefix(&path, span_text("/proc/self/cwd/./")))
		trim_prefix(&path, span_text("/proc/self/cwd/"));
	return path;
}

static struct span next_name(struct span *path)
{
	size_t len = 0;
	struct span name;

	while (path->len && path->at[0] == '/')
		*path = cut(*path, 1);
	while (len < path->len && path->at[len] != '/')
		len++;
	name = span_of(path->at, len);
	*path = cut(*path, len);
	return name;
}

/* Where the last element of text, which is len long, begins. */
static size_t last_element(const char *text, size_t len, size_t floor)
{
	while (len > floor && text[len - 1] != '/')
		len--;
	return len > floor ? len - 1 : len;
}

struct span path_clean(struct span path, struct arena *arena)
{
	char *text = arena_alloc(arena, path.len + 2);
	bool rooted = path.len && path.at[0] == '/';
	size_t len = 0, floor = rooted;
	struct span name;

	if (!text)
		return path;
	if (rooted)
		text[len++] = '/';
	for (name = next_name(&path); name.len; name = next_name(&path)) {
		bool up = span_equal(name, span_text(".."));

		if (span_equal(name, span_text(".")))
			continue;
		if (up && len > floor) {
			len = last_element(text, len, floor);
			continue;
		}
		if (up && rooted)
			continue;
		if (len > rooted)
			text[len++] = '/';
		memcpy(text + len, name.at, name.len);
		len += name.len;
		/* What could not go up further stays for good. */
		if (up)
			floor = len;
	}
	if (!len)
		text[len++] = '.';
	return span_of(text, len);
}

/* What a file is shown as.  Nearly every path is that already. */
static str_id display_file(const struct profile *p, str_id file,
			   const struct view *view, bool trimmed,
			   struct arena *arena)
{
	struct span known = str_span(p->strings, file);
	struct span path = trimmed ? path_trim(known, view) : known;

	if (!path.len)
		return 0;
	path = path_clean(path, arena);
	return span_equal(path, known) ? file
				       : strtab_add_span(p->strings, path);
}

const str_id *display_files(const struct profile *p, const struct view *view,
			    bool trimmed, struct arena *arena)
{
	uint32_t strings = p->strings->strings.count;
	str_id *files = ARENA_ARRAY(arena, str_id, p->functions.count);
	str_id *known = ARENA_ARRAY(arena, str_id, strings);

	if (!files || !known)
		return NULL;
	for (uint32_t i = 1; i < p->functions.count; i++) {
		str_id file = p->functions.at[i].file;

		if (file && !known[file])
			known[file] = display_file(p, file, view, trimmed,
						   arena);
		files[i] = known[file];
	}
	return files;
}
