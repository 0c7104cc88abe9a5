/* SPDX-License-Identifier: MIT */
/*
 * Finding the kernel's files by build id, which the kernel shows for itself and
 * for each module, and where their code was loaded, by a symbol that stands in
 * the file and in the kernel's list.
 */
#include "symbolize/kernelfile.h"

#include <sys/utsname.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/fmt.h"
#include "symbol/addrmap.h"
#include "symbol/textline.h"
#include "symbolize/procfs.h"

struct span kernel_symbol_name(struct span text)
{
	const uint8_t *tab = memchr(text.at, '\t', text.len);

	return tab ? span_of(text.at, (size_t)(tab - text.at)) : text;
}

struct span kernel_symbol_module(struct span text)
{
	size_t start = kernel_symbol_name(text).len + 2;

	if (start >= text.len)
		return (struct span){ 0 };
	return span_part(text, start, text.len - start - 1);
}

/* What is known about a file that is looked for. */
struct hunt {
	struct kernel_file *file;
	const struct addrmap *symbols;
	struct symbol_request request;
	struct arena arena;
	struct utsname system;
};

/* The build id in a file of notes of the kernel's. */
static bool read_id(struct hunt *h)
{
	struct span module = h->file->module;
	char path[SEARCH_PATH] = "/sys/kernel/notes";
	struct span notes;

	if (module.len)
		fmt_text(path, sizeof(path),
			 "/sys/module/%.*s/notes/.note.gnu.build-id",
			 (int)module.len, (const char *)module.at);
	return procfs_read(path, &h->arena, &notes) == 0 &&
	       build_id_in_notes(notes, &h->request.expected);
}

static bool try_path(struct hunt *h, const char *path)
{
	h->file->open = symbol_file_open(&h->file->file, path, &h->request,
					 NULL) == 0;
	return h->file->open;
}

static bool try_build_id(struct hunt *h)
{
	char path[SEARCH_PATH];
	char hex[BUILD_ID_TEXT];

	build_id_text(&h->request.expected, hex);
	fmt_text(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug",
		 hex, hex + 2);
	return try_path(h, path);
}

/* Where distributions put the kernel's file: around its release. */
static bool try_kernel(struct hunt *h)
{
	static const struct {
		const char *before;
		const char *after;
	} places[] = {
		{ "/usr/lib/debug/boot/vmlinux-", "" },
		{ "/usr/lib/debug/lib/modules/", "/vmlinux" },
		{ "/boot/vmlinux-", "" },
		{ "/lib/modules/", "/build/vmlinux" },
	};
	char path[SEARCH_PATH];

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		fmt_text(path, sizeof(path), "%s%s%s", places[i].before,
			 h->system.release, places[i].after);
		if (try_path(h, path))
			return true;
	}
	return false;
}

/* Whether a file's path is that of a module, whose name has no '-'. */
static bool is_module(struct span path, struct span module)
{
	size_t end = path.len;
	size_t start;

	while (end && path.at[end - 1] != '/')
		end--;
	start = end;
	for (size_t i = 0; i < module.len; i++) {
		uint8_t c = start + i < path.len ? path.at[start + i] : 0;

		if ((c == '-' ? '_' : c) != module.at[i])
			return false;
	}
	start += module.len;
	return span_starts(span_part(path, start, path.len - start), ".ko");
}

/* The list of modules: "kernel/fs/ext4/ext4.ko: what it needs". */
static bool try_module(struct hunt *h)
{
	char path[SEARCH_PATH];
	struct span text, line;
	struct reader r;

	fmt_text(path, sizeof(path), "/lib/modules/%s/modules.dep",
		 h->system.release);
	if (procfs_read(path, &h->arena, &text) < 0)
		return false;
	r = reader_of(text);
	while (textline_next(&r, &line)) {
		const uint8_t *colon = memchr(line.at, ':', line.len);

		if (!colon)
			continue;
		line.len = (size_t)(colon - line.at);
		if (!is_module(line, h->file->module))
			continue;
		fmt_text(path, sizeof(path), "/lib/modules/%s/%.*s",
			 h->system.release, (int)line.len,
			 (const char *)line.at);
		return try_path(h, path);
	}
	return false;
}

/* How often a name is in the file, and its address there. */
static unsigned count_in_file(const struct symtab *t, struct span name,
			      uint64_t *address)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < t->count; i++) {
		if (!span_equal(span_text(t->row[i].name), name))
			continue;
		*address = t->row[i].address;
		n++;
	}
	return n;
}

static unsigned count_in_list(const struct hunt *h, struct span text)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < h->symbols->entries.count; i++)
		n += span_equal(h->symbols->entries.at[i].name, text);
	return n;
}

/* Whether a line of the list may tell where the file was loaded. */
static bool is_mark(const struct hunt *h, struct span text)
{
	struct span module = h->file->module;

	if (!span_equal(kernel_symbol_module(text), module))
		return false;
	return module.len || span_equal(text, span_text("_stext"));
}

/* Finds a symbol that is once in the file and once in the list. */
static bool find_shift(struct hunt *h)
{
	const struct symtab *t = &h->file->file.module.symtab;

	for (uint32_t i = 0; i < h->symbols->entries.count; i++) {
		const struct addrmap_entry *e = &h->symbols->entries.at[i];
		uint64_t address;

		if (!is_mark(h, e->name) ||
		    count_in_file(t, kernel_symbol_name(e->name), &address) !=
			    1 ||
		    count_in_list(h, e->name) != 1)
			continue;
		h->file->shift = e->start - address;
		return true;
	}
	return false;
}

void kernel_file_open(struct kernel_file *f, struct span module,
		      const struct addrmap *symbols,
		      const struct symbol_request *request)
{
	struct hunt h = {
		.file = f,
		.symbols = symbols,
		.request = *request,
	};

	*f = (struct kernel_file){ .module = module };
	/* A kernel is too large to be fetched without being asked for. */
	h.request.no_server = true;
	if (uname(&h.system) == 0 && read_id(&h) &&
	    (try_build_id(&h) ||
	     (module.len ? try_module(&h) : try_kernel(&h))) &&
	    !find_shift(&h))
		kernel_file_close(f);
	arena_release(&h.arena);
}

void kernel_file_close(struct kernel_file *f)
{
	if (f->open)
		symbol_file_close(&f->file);
	f->open = false;
}
