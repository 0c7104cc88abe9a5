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

/* Makes f empty and says how its module is to be opened. */
static struct module_options begin(struct symbol_file *f,
				   const struct symbol_request *request)
{
	*f = (struct symbol_file){ .no_cache = request->no_cache };
	return (struct module_options){
		.expected = request->expected,
		.places = {
			.root = request->root,
			.fetch = request->no_server ? NULL : debuginfod_fetch,
		},
		.cached = request->no_cache ? NULL : cached,
		.cache_context = f,
		.symbols_only = request->symbols_only,
	};
}

/* Passes on what opening the module came to. */
static int end(struct symbol_file *f, int result)
{
	if (result < 0)
		file_unmap(&f->cache);
	return result;
}

int symbol_file_open(struct symbol_file *f, const char *path,
		     const struct symbol_request *request, struct error *err)
{
	const struct module_options options = begin(f, request);

	return end(f, module_open(&f->module, path, &options, err));
}

int symbol_file_open_mapped(struct symbol_file *f, struct mapped_file *file,
			    const char *name,
			    const struct symbol_request *request,
			    struct error *err)
{
	const struct module_options options = begin(f, request);

	return end(f,
		   module_open_mapped(&f->module, file, name, &options, err));
}

int symbol_file_open_image(struct symbol_file *f, struct span image,
			   const char *name,
			   const struct symbol_request *request,
			   struct error *err)
{
	const struct module_options options = begin(f, request);

	return end(f,
		   module_open_image(&f->module, image, name, &options, err));
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
