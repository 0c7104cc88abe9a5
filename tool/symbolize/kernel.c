/* SPDX-License-Identifier: MIT */
/* See kernel.h. */
#include "symbolize/kernel.h"

#include <errno.h>
#include <unistd.h>

#include "base/error.h"
#include "symbolize/kernelfile.h"
#include "symbolize/procfs.h"

static const char list[] = "/proc/kallsyms";

/* The first digit of a setting of the kernel's; '\0': unknown. */
static char setting(const char *path, struct arena *arena)
{
	struct span text;

	if (procfs_read(path, arena, &text) < 0 || !text.len)
		return '\0';
	return (char)text.at[0];
}

/*
 * Which setting hides the addresses.  At 2 kptr_restrict hides them from root
 * too; others see them at 0 only, and then only if they might profile the
 * kernel.
 */
static int explain(struct kernel_symbols *k, struct error *err)
{
	char restricted = setting("/proc/sys/kernel/kptr_restrict", &k->arena);

	if (geteuid() == 0 && restricted == '2')
		return error_set(err, -EACCES,
				 "the kernel hides its addresses even from "
				 "root; run: sysctl kernel.kptr_restrict=1");
	if (geteuid() == 0)
		return error_set(err, -EACCES,
				 "the kernel hides its addresses: this root "
				 "lacks CAP_SYSLOG");
	return error_set(err, -EACCES,
			 "the kernel hides its addresses; run as root, or as "
			 "root once: sysctl kernel.kptr_restrict=0 "
			 "kernel.perf_event_paranoid=1");
}

int kernel_open(struct kernel_symbols *k, const struct symbol_request *request,
		struct error *err)
{
	struct span text;
	int r;

	*k = (struct kernel_symbols){ .request = *request };
	r = procfs_read(list, &k->arena, &text);
	if (r < 0)
		error_set_errno(err, r, "cannot read '%s'", list);
	else
		r = kallsyms_read(&k->map, text, &k->arena, err);
	if (r == -EACCES)
		explain(k, err);
	if (r == 0)
		k->name = ARENA_ARRAY(&k->arena, const char *,
				      k->map.entries.count);
	if (r == 0 && !k->name)
		r = error_set(err, -ENOMEM, "out of memory");
	if (r < 0)
		kernel_close(k);
	return r;
}

/* The file of a module, looked for on first use; NULL: out of memory. */
static struct kernel_file *file_of(struct kernel_symbols *k, struct span module)
{
	struct kernel_file **place;
	struct kernel_file *f;

	for (uint32_t i = 0; i < k->files.count; i++)
		if (span_equal(k->files.at[i]->module, module))
			return k->files.at[i];
	f = ARENA_NEW(&k->arena, struct kernel_file);
	place = VEC_PUSH(&k->files, &k->arena);
	if (!f || !place)
		return NULL;
	kernel_file_open(f, module, &k->map, &k->request);
	*place = f;
	return f;
}

/* What the list alone says. */
static uint32_t list_frame(struct kernel_symbols *k,
			   const struct addrmap_entry *e,
			   struct symbol_frame *frame)
{
	const char **name = &k->name[e - k->map.entries.at];
	struct span text = kernel_symbol_name(e->name);

	if (!*name)
		*name = arena_text(&k->arena, (const char *)text.at, text.len);
	*frame = (struct symbol_frame){
		.function = *name ? *name : "",
		.directory = "",
		.file = "",
	};
	return 1;
}

uint32_t kernel_find(struct kernel_symbols *k, uint64_t address,
		     struct symbol_frame *frames)
{
	const struct addrmap_entry *e = addrmap_find(&k->map, address,
						     UINT64_MAX);
	struct kernel_file *f;
	uint32_t count = 0;

	if (!e)
		return 0;
	f = file_of(k, kernel_symbol_module(e->name));
	if (f && f->open)
		count = module_find(&f->file.module, address - f->shift,
				    frames);
	return count ? count : list_frame(k, e, frames);
}

struct span kernel_module_at(const struct kernel_symbols *k, uint64_t address)
{
	const struct addrmap_entry *e = addrmap_find(&k->map, address,
						     UINT64_MAX);

	return e ? kernel_symbol_module(e->name) : (struct span){ 0 };
}

void kernel_close(struct kernel_symbols *k)
{
	for (uint32_t i = 0; i < k->files.count; i++)
		kernel_file_close(k->files.at[i]);
	arena_release(&k->arena);
	*k = (struct kernel_symbols){ 0 };
}
