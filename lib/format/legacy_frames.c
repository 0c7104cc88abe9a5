/* SPDX-License-Identifier: MIT */
/*
 * The frames that each kind of profile begins with and nobody wants to see:
 * the allocator that was called, the lock that was waited for, the handler of
 * the profiler's signal.  The expressions are pprof's, letter by letter, since
 * they show in what is written and decide what is merged.
 */
#include "format/legacy_frames.h"

#include <stdbool.h>
#include <string.h>

#include "base/check.h"
#include "profile/profile.h"

#define ALLOCATORS \
	"calloc|cfree|malloc|free|memalign|do_memalign|(__)?posix_memalign|" \
	"pvalloc|valloc|realloc|" \
	"tcmalloc::.*|tc_calloc|tc_cfree|tc_malloc|tc_free|tc_memalign|" \
	"tc_posix_memalign|tc_pvalloc|tc_valloc|tc_realloc|tc_new|tc_delete|" \
	"tc_newarray|tc_deletearray|tc_new_nothrow|tc_newarray_nothrow|" \
	"malloc_zone_malloc|malloc_zone_calloc|malloc_zone_valloc|" \
	"malloc_zone_realloc|malloc_zone_memalign|malloc_zone_free|" \
	"runtime\\..*|" \
	"BaseArena::.*|(::)?do_malloc_no_errno|(::)?do_malloc_pages|" \
	"(::)?do_malloc|DoSampledAllocation|" \
	"MallocedMemBlock::MallocedMemBlock|_M_allocate|" \
	"__builtin_(vec_)?delete|__builtin_(vec_)?new|" \
	"__gnu_cxx::new_allocator::allocate|__libc_malloc|" \
	"__malloc_alloc_template::allocate|allocate|cpp_alloc|" \
	"operator new(\\[\\])?|simple_alloc::allocate"

#define GO_CALLS "runtime\\.panic|runtime\\.reflectcall|runtime\\.call[0-9]*"

#define LOCKS \
	"RecordLockProfileData|(base::)?RecordLockProfileData.*|" \
	"(base::)?SubmitMutexProfileData.*|" \
	"(base::)?SubmitSpinLockProfileData.*|" \
	"(base::Mutex::)?AwaitCommon.*|(base::Mutex::)?Unlock.*|" \
	"(base::Mutex::)?UnlockSlow.*|(base::Mutex::)?ReaderUnlock.*|" \
	"(base::MutexLock::)?~MutexLock.*|" \
	"(Mutex::)?AwaitCommon.*|(Mutex::)?Unlock.*|(Mutex::)?UnlockSlow.*|" \
	"(Mutex::)?ReaderUnlock.*|(MutexLock::)?~MutexLock.*|" \
	"(SpinLock::)?Unlock.*|(SpinLock::)?SlowUnlock.*|" \
	"(SpinLockHolder::)?~SpinLockHolder.*"

#define HANDLERS \
	"ProfileData::Add|ProfileData::prof_handler|" \
	"CpuProfiler::prof_handler|__pthread_sighandler|__restore"

static const struct {
	const char *types[4]; /* all of them, in order; NULL: no more */
	const char *drop;
	const char *keep;
} kinds[] = {
	{ { "allocations", "size" }, ALLOCATORS, GO_CALLS },
	{ { "objects", "space" }, ALLOCATORS, GO_CALLS },
	{ { "inuse_objects", "inuse_space" }, ALLOCATORS, GO_CALLS },
	{ { "alloc_objects", "alloc_space" }, ALLOCATORS, GO_CALLS },
	{ { "alloc_objects", "alloc_space", "inuse_objects", "inuse_space" },
	  ALLOCATORS,
	  GO_CALLS },
	{ { "contentions", "delay" }, LOCKS, "" },
};

enum { MOST_TYPES = ARRAY_SIZE(kinds[0].types) };

static bool has_types(const struct profile *p, const char *const *types)
{
	uint32_t count = 0;

	while (count < MOST_TYPES && types[count])
		count++;
	if (p->types.count != count)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(profile_text(p, p->types.at[i].type), types[i]))
			return false;
	return true;
}

void legacy_set_frames(struct profile *p)
{
	const char *drop = HANDLERS;
	const char *keep = "";

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!has_types(p, kinds[i].types))
			continue;
		drop = kinds[i].drop;
		keep = kinds[i].keep;
	}
	p->header.drop_frames = strtab_add_static(p->strings, drop,
						  strlen(drop));
	p->header.keep_frames = strtab_add_static(p->strings, keep,
						  strlen(keep));
}
