/* SPDX-License-Identifier: MIT */
/*
 * The search for debug information outside the program.  The order is that of
 * wick-symbolize(1), SEARCH; each step leaves a line in the log, because
 * "where did you look" is what users ask when names are missing.
 */
#include "symbol/search.h"

#include <errno.h>
#include <libdeflate.h>
#include <lzma.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/fmt.h"

enum {
	/* Embedded symbols may grow to this many times their size. */
	EMBEDDED_RATIO = 64,
	EMBEDDED_LEAST = 1 << 20,
	LZMA_MEMORY = 64 << 20,
};

static const char *const usual_directories[] = { "/usr/lib/debug", NULL };

static const char *const *directories(const struct search_places *places)
{
	return places->directories ? places->directories : usual_directories;
}

static const char *root(const struct search_places *places)
{
	return places->root ? places->root : "";
}

void search_note(struct search_log *log, const char *path, const char *outcome)
{
	struct search_step *step = VEC_PUSH(&log->steps, log->arena);

	if (!step)
		return;
	path = arena_text(log->arena, path, strlen(path));
	outcome = arena_text(log->arena, outcome, strlen(outcome));
	*step = (struct search_step){ path ? path : "",
				      outcome ? outcome : "" };
}

/* What a candidate must match. */
struct wanted {
	struct build_id id; /* len 0: unknown */
	uint32_t crc;
	bool has_crc;
};

/* NULL if the file is the one wanted, else what is wrong with it. */
static const char *mismatch(const struct found_file *f, const struct wanted *w)
{
	struct build_id id = { 0 };

	(void)build_id_of(&f->elf, &id);
	if (w->id.len && id.len)
		return build_id_equal(&w->id, &id) ? NULL : "of another build";
	if (!w->has_crc)
		return "has no build id";
	if (libdeflate_crc32(0, f->file.bytes.at, f->file.bytes.len) != w->crc)
		return "of another build (checksum)";
	return NULL;
}

/* The path as the program's own file system has it. */
static const char *inner_path(const struct search_places *places,
			      const char *path)
{
	size_t len = strlen(root(places));

	return strncmp(path, root(places), len) == 0 ? path + len : path;
}

int search_map(const struct search_places *places, const char *path,
	       struct mapped_file *ret, struct error *err)
{
	const char *inner = inner_path(places, path);
	/* What a server sent lies in our file system. */
	const char *root = inner == path ? NULL : places->root;

	return places->copied ? file_copy_in(ret, root, inner, err)
			      : file_map_in(ret, root, inner, err);
}

/* Opens a candidate; true if it is the file wanted. */
static bool try_file(const struct search_places *places, const char *path,
		     const struct wanted *w, struct search_log *log,
		     struct found_file *ret)
{
	struct error err = { 0 };
	struct found_file f = { 0 };
	const char *wrong;

	if (search_map(places, path, &f.file, &err) < 0) {
		search_note(log, path,
			    err.code == -ENOENT ? "not there" : err.text);
		return false;
	}
	wrong = elf_open(&f.elf, f.file.bytes, &err) < 0 ? err.text
							 : mismatch(&f, w);
	search_note(log, path, wrong ? wrong : "found");
	if (wrong) {
		file_unmap(&f.file);
		return false;
	}
	f.path = arena_text(log->arena, path, strlen(path));
	*ret = f;
	return f.path != NULL;
}

static bool try_build_id(const struct search_places *places,
			 const struct wanted *w, struct search_log *log,
			 struct found_file *ret)
{
	char hex[BUILD_ID_TEXT];
	char path[SEARCH_PATH];

	if (w->id.len < 2)
		return false;
	build_id_text(&w->id, hex);
	for (const char *const *d = directories(places); *d; d++) {
		fmt_text(path, sizeof(path), "%s%s/.build-id/%.2s/%s.debug",
			 root(places), *d, hex, hex + 2);
		if (try_file(places, path, w, log, ret))
			return true;
	}
	return false;
}

/* A build id says enough: where a container has not got the file, we may. */
static bool try_build_id_here(const struct search_places *places,
			      const struct wanted *w, struct search_log *log,
			      struct found_file *ret)
{
	const struct search_places here = {
		.directories = places->directories
	};

	return *root(places) && try_build_id(&here, w, log, ret);
}

/* The length of path's directory, without its last slash. */
static int directory_len(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (int)(slash - path) : 0;
}

/* The name and checksum that the program gives for its debug file. */
static bool read_link(const struct elf *elf, const char **name,
		      struct wanted *w)
{
	struct elf_section section;
	struct span bytes;
	size_t len;

	if (!elf_find_section(elf, ".gnu_debuglink", &section))
		return false;
	bytes = elf_section_bytes(elf, &section);
	len = bytes.len ? strnlen((const char *)bytes.at, bytes.len) : 0;
	if (!len || bytes.len < 4 || len + 1 > bytes.len - 4)
		return false;
	*name = (const char *)bytes.at;
	memcpy(&w->crc, bytes.at + ((len + 4) & ~(size_t)3), 4);
	w->has_crc = ((len + 4) & ~(size_t)3) + 4 <= bytes.len;
	return w->has_crc && !strchr(*name, '/');
}

static bool try_link(const struct search_places *places, const struct elf *elf,
		     const char *program, struct search_log *log,
		     struct found_file *ret)
{
	struct wanted w = { 0 };
	int len = directory_len(program);
	char path[SEARCH_PATH];
	const char *name;

	(void)build_id_of(elf, &w.id);
	if (!read_link(elf, &name, &w))
		return false;
	fmt_text(path, sizeof(path), "%.*s%s%s", len, program, len ? "/" : "",
		 name);
	/* A program may name a file that is called as itself. */
	if (strcmp(path, program) && try_file(places, path, &w, log, ret))
		return true;
	fmt_text(path, sizeof(path), "%.*s%s.debug/%s", len, program,
		 len ? "/" : "", name);
	if (try_file(places, path, &w, log, ret))
		return true;
	for (const char *const *d = directories(places); *d; d++) {
		const char *inner = inner_path(places, program);

		fmt_text(path, sizeof(path), "%s%s%.*s/%s", root(places), *d,
			 directory_len(inner), inner, name);
		if (try_file(places, path, &w, log, ret))
			return true;
	}
	return false;
}

/* What a failure to fetch is called. */
static const char *no_answer(int code, struct error *err)
{
	switch (code) {
	case -ENOTSUP:
		return "not asked: DEBUGINFOD_URLS is not set";
	case -ENOPKG:
		return "not asked: libdebuginfod is not installed";
	case -ENOENT:
		return "no server has it";
	default:
		error_set_errno(err, code, "no answer");
		return err->text;
	}
}

static bool try_server(const struct search_places *places,
		       const struct wanted *w, struct search_log *log,
		       struct found_file *ret)
{
	char path[SEARCH_PATH];
	struct error err = { 0 };
	int r;

	if (!places->fetch || !w->id.len)
		return false;
	r = places->fetch(places->context, &w->id, path, sizeof(path));
	if (r == 0)
		return try_file(places, path, w, log, ret);
	search_note(log, "debuginfod", no_answer(r, &err));
	return false;
}

bool search_debug_file(const struct search_places *places,
		       const struct elf *elf, const char *path,
		       struct search_log *log, struct found_file *ret)
{
	struct wanted w = { 0 };

	(void)build_id_of(elf, &w.id);
	return try_build_id(places, &w, log, ret) ||
	       try_link(places, elf, path, log, ret) ||
	       try_build_id_here(places, &w, log, ret) ||
	       try_server(places, &w, log, ret);
}

/* GNU's link to the shared file: a name, then a build id. */
static bool read_alt_link(const struct elf *debug, const char **name,
			  struct wanted *w)
{
	struct elf_section section;
	struct span bytes;
	size_t len;

	if (!elf_find_section(debug, ".gnu_debugaltlink", &section))
		return false;
	bytes = elf_section_bytes(debug, &section);
	len = bytes.len ? strnlen((const char *)bytes.at, bytes.len) : 0;
	if (!len || len == bytes.len)
		return false;
	*name = (const char *)bytes.at;
	w->id = build_id_make(span_part(bytes, len + 1, bytes.len - len - 1));
	return w->id.len > 0;
}

/* DWARF 5's: a version, a flag, the name, the length of the id, the id. */
static bool read_sup_link(const struct elf *debug, const char **name,
			  struct wanted *w)
{
	struct elf_section section;
	struct reader r;
	size_t len;

	if (!elf_find_section(debug, ".debug_sup", &section))
		return false;
	r = reader_of(elf_section_bytes(debug, &section));
	if (reader_u16(&r) != 5 || reader_u8(&r) != 0)
		return false;
	*name = (const char *)r.at;
	len = reader_left(&r) ? strnlen(*name, reader_left(&r)) : 0;
	reader_take(&r, len + 1);
	w->id = build_id_make(reader_take(&r, reader_uleb(&r)));
	return !r.failed && len && w->id.len;
}

bool search_alt_file(const struct search_places *places,
		     const struct elf *debug, const char *path,
		     struct search_log *log, struct found_file *ret)
{
	struct wanted w = { 0 };
	char full[SEARCH_PATH];
	const char *name;
	int len = directory_len(path);

	if (!read_alt_link(debug, &name, &w) &&
	    !read_sup_link(debug, &name, &w))
		return false;
	if (name[0] == '/')
		fmt_text(full, sizeof(full), "%s%s", root(places), name);
	else
		fmt_text(full, sizeof(full), "%.*s%s%s", len, path,
			 len ? "/" : "", name);
	return try_file(places, full, &w, log, ret) ||
	       try_build_id(places, &w, log, ret) ||
	       try_build_id_here(places, &w, log, ret) ||
	       try_server(places, &w, log, ret);
}

/* Decompresses xz data; empty if it is damaged or absurdly large. */
static struct span unpack_xz(struct span from, struct arena *arena)
{
	size_t most = from.len * EMBEDDED_RATIO + EMBEDDED_LEAST;

	for (size_t size = from.len * 4 + EMBEDDED_LEAST;; size *= 2) {
		uint64_t memory = LZMA_MEMORY;
		size_t in = 0, out = 0;
		uint8_t *to;
		lzma_ret r;

		if (size > most)
			size = most;
		to = arena_alloc(arena, size);
		if (!to)
			return (struct span){ 0 };
		r = lzma_stream_buffer_decode(&memory, 0, NULL, from.at, &in,
					      from.len, to, &out, size);
		if (r == LZMA_OK)
			return span_of(to, out);
		arena_free(arena, to, size);
		if (r != LZMA_BUF_ERROR || size == most)
			return (struct span){ 0 };
	}
}

bool search_embedded_symbols(const struct elf *elf, struct search_log *log,
			     struct elf *ret)
{
	struct elf_section section;
	struct span bytes;

	if (!elf_find_section(elf, ".gnu_debugdata", &section))
		return false;
	bytes = unpack_xz(elf_section_bytes(elf, &section), log->arena);
	if (!bytes.len || elf_open(ret, bytes, NULL) < 0) {
		search_note(log, ".gnu_debugdata", "damaged");
		return false;
	}
	search_note(log, ".gnu_debugdata", "found");
	return true;
}
