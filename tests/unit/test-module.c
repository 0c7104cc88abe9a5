/* SPDX-License-Identifier: MIT */
/* Modules, their call chains and their cache, on this very program. */
#include "test.h"

#include <errno.h>
#include <link.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/sink.h"
#include "symbol/module.h"

static struct symbol_frame frame[SYMBOL_FRAMES];

/* The address of the very instruction that computes it. */
#if defined(__x86_64__)
#define HERE "lea -1(%%rip), %0"
#else
#define HERE "adr %0, ."
#endif

static inline __attribute__((always_inline)) uint64_t innermost(void)
{
	uint64_t pc;

	__asm__ volatile(HERE : "=r"(pc));
	return pc;
}

static inline __attribute__((always_inline)) uint64_t middle(void)
{
	return innermost();
}

static __attribute__((noinline)) uint64_t outermost(void)
{
	return middle();
}

static int take_base(struct dl_phdr_info *info, size_t size, void *base)
{
	(void)size;
	*(uint64_t *)base = info->dlpi_addr;
	return 1;
}

/* The address that the file's own tables use for pc. */
static uint64_t file_address(uint64_t pc)
{
	uint64_t base = 0;

	dl_iterate_phdr(take_base, &base);
	return pc - base;
}

static void open_self(struct module *m, const struct module_options *o)
{
	CHECK_EQ(module_open(m, "/proc/self/exe", o, NULL), 0);
	if (!m->unit_count)
		SKIP("built without debug information");
}

static void check_chain(struct module *m)
{
	uint32_t n = module_find(m, file_address(outermost()), frame);

	CHECK_EQ(n, 3);
	CHECK_STR(frame[0].function, "innermost");
	CHECK_STR(frame[1].function, "middle");
	CHECK_STR(frame[2].function, "outermost");
	CHECK(frame[0].inlined && frame[1].inlined && !frame[2].inlined);
	CHECK(strstr(frame[0].file, "test-module.c"));
	CHECK(frame[0].line < frame[1].line && frame[1].line < frame[2].line);
	CHECK(frame[2].start_line > 0);
}

TEST(an_inlined_call_gives_the_whole_chain)
{
	const struct module_options options = { .no_search = true };
	struct module m;

	open_self(&m, &options);
	check_chain(&m);
	module_close(&m);
}

TEST(symbols_alone_give_the_real_function)
{
	const struct module_options options = { .symbols_only = true };
	struct module m;

	CHECK_EQ(module_open(&m, "/proc/self/exe", &options, NULL), 0);
	CHECK_EQ(module_find(&m, file_address(outermost()), frame), 1);
	CHECK_STR(frame[0].function, "outermost");
	CHECK_EQ(module_find(&m, 0, frame), 0);
	module_close(&m);
}

TEST(another_build_is_never_used)
{
	struct module_options options = { .no_search = true };
	struct error err;
	struct module m;

	options.expected = build_id_make(span_text("another build"));
	CHECK_EQ(module_open(&m, "/proc/self/exe", &options, &err), -ESTALE);
	CHECK(strstr(err.text, "binary replaced since the recording"));
}

TEST(a_missing_file_is_an_error_that_names_it)
{
	const struct module_options options = { 0 };
	struct error err;
	struct module m;

	CHECK_EQ(module_open(&m, "/nonexistent/x", &options, &err), -ENOENT);
	CHECK(strstr(err.text, "'/nonexistent/x'"));
}

static struct span cached_bytes(void *context, const struct build_id *id)
{
	(void)id;
	return *(struct span *)context;
}

/* Writes what is known after one lookup. */
static struct span make_cache(struct arena *arena)
{
	const struct module_options options = { .no_search = true };
	struct sink out = sink_to_memory(arena);
	struct module m;

	open_self(&m, &options);
	if (!m.id.len)
		SKIP("built without a build id");
	check_chain(&m);
	CHECK(module_new_bytes(&m) > 0);
	module_write_cache(&m, &out);
	CHECK_EQ(sink_flush(&out), 0);
	module_close(&m);
	return sink_bytes(&out);
}

TEST(a_cached_index_answers_the_same_without_debug_information)
{
	struct arena arena = { 0 };
	struct span bytes = make_cache(&arena);
	const struct module_options options = {
		.no_search = true,
		.cached = cached_bytes,
		.cache_context = &bytes,
	};
	struct module m;

	open_self(&m, &options);
	check_chain(&m);
	CHECK(m.source.dwarf == NULL);
	CHECK_EQ(module_new_bytes(&m), 0);
	module_close(&m);
	arena_release(&arena);
}

TEST(a_damaged_cache_is_built_anew)
{
	struct arena arena = { 0 };
	struct span bytes = make_cache(&arena);
	const struct module_options options = {
		.no_search = true,
		.cached = cached_bytes,
		.cache_context = &bytes,
	};
	struct module m;

	for (size_t at = 0; at < bytes.len; at += 1 + bytes.len / 40) {
		uint8_t *byte = (uint8_t *)bytes.at + at;

		*byte ^= 0x55;
		open_self(&m, &options);
		check_chain(&m);
		module_close(&m);
		*byte ^= 0x55;
	}
	bytes.len /= 2;
	open_self(&m, &options);
	check_chain(&m);
	module_close(&m);
	arena_release(&arena);
}
