/* SPDX-License-Identifier: MIT */
/* The library's modules with the surroundings that a command gives them. */
#include "symbolize/open.h"

#include "symbolize/debuginfod.h"
#include "symbolize/store.h"

static struct span cached(void *context, const struct build_id *id)
{
	struct symbol_file *f = context;

	if (!store_map(id, &f->cache))
		return (struct span){ 0 };
	return f->cache.bytes;
}

int symbol_file_open(struct symbol_file *f, const char *path,
		     const struct symbol_request *request, struct error *err)
{
	const struct module_options options = {
		.expected = request->expected,
		.places = {
			.root = request->root,
			.fetch = request->no_server ? NULL : debuginfod_fetch,
		},
		.cached = request->no_cache ? NULL : cached,
		.cache_context = f,
		.symbols_only = request->symbols_only,
	};
	int r;

	*f = (struct symbol_file){ .no_cache = request->no_cache };
	r = module_open(&f->module, path, &options, err);
	if (r < 0)
		file_unmap(&f->cache);
	return r;
}

void symbol_file_prepare(struct symbol_file *f, const uint64_t *address,
			 size_t count)
{
	prepare_addresses(&f->preparation, &f->module, address, count);
}

void symbol_file_close(struct symbol_file *f)
{
	/* Without a cache the next run takes longer; nobody need be told. */
	if (!f->no_cache)
		(void)store_save(&f->module);
	module_close(&f->module);
	preparation_release(&f->preparation);
	file_unmap(&f->cache);
}
