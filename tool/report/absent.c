/* SPDX-License-Identifier: MIT */
/* See absent.h.  Paths are compared as texts, which is enough: what is below a
 * folder that is not there is not there, whatever else its path says. */
#include "report/absent.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
	FOLDERS = 4096, /* that are remembered */
	LONGEST_PATH = 4096,
};

void absent_init(struct absent_folders *a, struct arena *arena)
{
	strtab_init(&a->folders, arena);
}

bool absent_below(const struct absent_folders *a, const char *path)
{
	for (const char *c = path; a->folders.strings.count > 1 && *c; c++)
		if (*c == '/' && c > path &&
		    strtab_find(&a->folders, path, (size_t)(c - path)) !=
			    UINT32_MAX)
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

void absent_note(struct absent_folders *a, const char *path)
{
	char folder[LONGEST_PATH];
	size_t len = strlen(path), absent = 0;

	if (len >= sizeof(folder) || a->folders.strings.count >= FOLDERS)
		return;
	memcpy(folder, path, len + 1);
	while ((len = folder_len(folder, len))) {
		folder[len] = '\0';
		if (access(folder, F_OK) == 0 || errno != ENOENT)
			break;
		absent = len;
	}
	if (absent)
		(void)strtab_add(&a->folders, path, absent); /* or ask again */
}
