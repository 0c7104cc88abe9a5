/* SPDX-License-Identifier: MIT */
/* The places where pprof looks for binaries, in its order: see wick-pprof(1).
 */
#include "symbolize/locate.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fmt.h"
#include "base/sink.h"
#include "elf/image.h"
#include "elf/note.h"
#include "profile/profile.h"
#include "symbol/file.h"

enum { LONGEST = 4096 };

struct hunt {
	struct profile *p;
	struct sink *talk;
	struct mapping *mapping;
	const char *file;     /* the mapping's; "" if it has none */
	const char *base;     /* its last element */
	char folder[LONGEST]; /* what is before that */
	const char *build_id;
	bool found;
};

static bool build_matches(struct hunt *h, const char *path,
			  const struct elf *elf)
{
	char text[BUILD_ID_TEXT] = "";
	struct build_id id;

	if (build_id_of(elf, &id))
		build_id_text(&id, text);
	if (!*h->build_id || !strcmp(h->build_id, text))
		return true;
	if (h->talk)
		sink_format(
			h->talk,
			"Ignoring local file %s: build-id mismatch (%s != %s)\n",
			path, h->build_id, text);
	return false;
}

/* Takes the file at path if it is the one; true ends the hunt. */
static bool try_file(struct hunt *h, const char *path)
{
	struct mapped_file f;
	struct elf elf;

	if (file_map(&f, path, NULL) < 0)
		return false;
	if (elf_open(&elf, f.bytes, NULL) == 0 &&
	    build_matches(h, path, &elf)) {
		h->mapping->file = strtab_add_text(h->p->strings, path);
		h->found = true;
	}
	file_unmap(&f);
	return h->found;
}

static bool try_path(struct hunt *h, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static bool try_path(struct hunt *h, const char *format, ...)
{
	char path[LONGEST];
	va_list ap;
	size_t len;

	va_start(ap, format);
	len = fmt_va(path, sizeof(path), format, ap);
	va_end(ap);
	return len < sizeof(path) && try_file(h, path);
}

static int any_name(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Every file in the folder of the build id. */
static bool try_folder(struct hunt *h, const char *dir)
{
	char path[LONGEST];
	struct dirent **entries;
	int count;

	if (fmt_text(path, sizeof(path), "%s/%s", dir, h->build_id) >=
	    sizeof(path))
		return false;
	count = scandir(path, &entries, any_name, alphasort);
	for (int i = 0; i < count; i++) {
		if (!h->found)
			(void)try_path(h, "%s/%s", path, entries[i]->d_name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return h->found;
}

static bool try_build_id(struct hunt *h, const char *dir)
{
	if (!*h->build_id)
		return false;
	return (*h->base &&
		try_path(h, "%s/%s/%s", dir, h->build_id, h->base)) ||
	       try_folder(h, dir) ||
	       try_path(h, "%s/%s/%s", dir, h->file, h->build_id) ||
	       (strlen(h->build_id) >= 2 &&
		try_path(h, "%s/%.2s/%s.debug", dir, h->build_id,
			 h->build_id + 2));
}

static bool try_name(struct hunt *h, const char *dir)
{
	if (!*h->file)
		return false;
	return try_path(h, "%s/%s", dir, h->base) ||
	       try_path(h, "%s/%s", dir, h->file) ||
	       try_path(h, "%s/%s.debug", dir, h->file) ||
	       try_path(h, "%s/%s/.debug/%s.debug", dir, h->folder, h->base) ||
	       try_path(h, "%s/usr/lib/debug/%s/%s.debug", dir, h->folder,
			h->base);
}

static void hunt_in(struct hunt *h, const char *list)
{
	while (*list && !h->found) {
		size_t len = strcspn(list, ":");
		char dir[LONGEST];

		if (len &&
		    fmt_text(dir, sizeof(dir), "%.*s", (int)len, list) <
			    sizeof(dir) &&
		    !try_build_id(h, dir))
			(void)try_name(h, dir);
		list += len + (list[len] == ':');
	}
}

static void begin(struct hunt *h, struct mapping *m)
{
	const char *slash;

	h->mapping = m;
	h->found = false;
	h->build_id = profile_text(h->p, m->build_id);
	/* A build id from a profile becomes part of a path: no tricks. */
	if (strspn(h->build_id, "0123456789abcdefABCDEF") !=
	    strlen(h->build_id))
		h->build_id = "";
	h->file = profile_text(h->p, m->file);
	slash = strrchr(h->file, '/');
	h->base = slash ? slash + 1 : h->file;
	fmt_text(h->folder, sizeof(h->folder), "%.*s",
		 slash ? (int)(slash - h->file) : 0, h->file);
}

void locate_binaries(struct profile *p, struct sink *talk)
{
	const char *path = getenv("PPROF_BINARY_PATH");
	const char *home = getenv("HOME");
	char usual[LONGEST];
	struct hunt h = { .p = p, .talk = talk };

	if (!path || !*path) {
		if (fmt_text(usual, sizeof(usual), "%s/pprof/binaries",
			     home ? home : "") >= sizeof(usual))
			return;
		path = usual;
	}
	for (uint32_t i = 1; i < p->mappings.count; i++) {
		begin(&h, &p->mappings.at[i]);
		hunt_in(&h, path);
	}
}
