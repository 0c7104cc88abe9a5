/* SPDX-License-Identifier: MIT */
/* See absent.h.  Paths are compared as texts, which is enough: what is below a
 * folder that is not there is not there, whatever else its path says. */
#include "report/absent.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
	FOLDERS = 64, /* that are remembered */
	LONGEST_PATH = 4096,
};

static bool is_below(struct span folder, const char *path)
{
	return strncmp(path, (const char *)folder.at, folder.len) == 0 &&
	       path[folder.len] == '/';
}

bool absent_below(const struct absent_folders *a, const char *path)
{
	for (uint32_t i = 0; i < a->at.count; i++)
		if (is_below(a->at.at[i], path))
			return true;
	return false;
}

/* How much of a path is the folder that it is in, without a '/' at its end. */
static size_t folder_len(const char *path, size_t len)
{
	while (len && path[len - 1] != '/')
		len--;
	while (len && path[len - 1] == '/')
		len--;
	return len;
}

void absent_note(struct absent_folders *a, const char *path,
		 struct arena *arena)
{
	char folder[LONGEST_PATH];
	size_t len = strlen(path), absent = 0;
	struct span *place;
	char *text;

	if (len >= sizeof(folder) || a->at.count == FOLDERS)
		return;
	memcpy(folder, path, len + 1);
	while ((len = folder_len(folder, len))) {
		folder[len] = '\0';
		if (access(folder, F_OK) == 0 || errno != ENOENT)
			break;
		absent = len;
	}
	text = absent ? arena_text(arena, path, absent) : NULL;
	place = text ? VEC_PUSH(&a->at, arena) : NULL;
	if (place)
		*place = span_of(text, absent);
}
