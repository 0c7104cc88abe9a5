/* SPDX-License-Identifier: MIT */
/* See kernel.h. */
#include "symbolize/kernel.h"

#include <errno.h>
#include <unistd.h>

#include "base/error.h"
#include "symbol/module.h"
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

int kernel_open(struct kernel_symbols *k, struct error *err)
{
	struct span text;
	int r;

	*k = (struct kernel_symbols){ 0 };
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

/* Lines end with "\t[module]" if the symbol is of one. */
static size_t name_len(struct span text)
{
	const uint8_t *tab = memchr(text.at, '\t', text.len);

	return tab ? (size_t)(tab - text.at) : text.len;
}

uint32_t kernel_find(struct kernel_symbols *k, uint64_t address,
		     struct symbol_frame *frames)
{
	const struct addrmap_entry *e = addrmap_find(&k->map, address,
						     UINT64_MAX);
	const char **name;

	if (!e)
		return 0;
	name = &k->name[e - k->map.entries.at];
	if (!*name)
		*name = arena_text(&k->arena, (const char *)e->name.at,
				   name_len(e->name));
	frames[0] = (struct symbol_frame){
		.function = *name ? *name : "",
		.directory = "",
		.file = "",
	};
	return 1;
}

struct span kernel_module_at(const struct kernel_symbols *k, uint64_t address)
{
	const struct addrmap_entry *e = addrmap_find(&k->map, address,
						     UINT64_MAX);
	size_t start = e ? name_len(e->name) + 2 : 0;

	if (!e || start >= e->name.len)
		return (struct span){ 0 };
	return span_part(e->name, start, e->name.len - start - 1);
}

void kernel_close(struct kernel_symbols *k)
{
	arena_release(&k->arena);
	*k = (struct kernel_symbols){ 0 };
}
