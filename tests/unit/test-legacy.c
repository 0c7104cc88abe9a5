/* SPDX-License-Identifier: MIT */
/* What holds for the legacy formats together. */
#include "legacy.h"

#include <errno.h>

#include "format/legacy_scale.h"

static const char *drop_frames(const char *text)
{
	CHECK_EQ(legacy_read(text), 0);
	return profile_text(&legacy.profile, legacy.profile.header.drop_frames);
}

static const char *keep_frames(void)
{
	return profile_text(&legacy.profile, legacy.profile.header.keep_frames);
}

TEST(heap_profiles_hide_the_allocator)
{
	CHECK(strstr(drop_frames("heap profile: 1: 1 [1: 1] @ heapprofile\n"),
		     "calloc|cfree|malloc|free|"));
	CHECK_STR(keep_frames(),
		  "runtime\\.panic|runtime\\.reflectcall|runtime\\.call[0-9]*");
	CHECK(strstr(drop_frames("heap profile: 1: 1 [2: 2] @ heapprofile\n"),
		     "|operator new(\\[\\])?|simple_alloc::allocate"));
	CHECK(strstr(drop_frames("--- heapz 1 ---\nresolution=bytes\n"),
		     "|tcmalloc::.*|"));
}

TEST(contention_profiles_hide_the_locks)
{
	CHECK(strstr(drop_frames("--- mutex:\n"), "|(SpinLock::)?Unlock.*|"));
	CHECK_STR(keep_frames(), "");
}

TEST(other_profiles_hide_the_profiler)
{
	CHECK_STR(
		drop_frames("goroutine profile: total 0\n"),
		"ProfileData::Add|ProfileData::prof_handler|CpuProfiler::prof_handler|__pthread_sighandler|__restore");
	CHECK_STR(keep_frames(), "");
	CHECK(strstr(drop_frames("--- heapz 1 ---\nformat=java\n"),
		     "prof_handler"));
}

TEST(headers_are_detected)
{
	static const char *const headers[] = {
		"heap profile: 1: 1 [1: 1] @ heapprofile",
		"# x\nthreadcreate profile: total 1",
		"--- threadz 1 ---",
		"--- Thread 1 (name: a/1) stack: ---",
		"--- contentionz 1 ---",
		"--- heapz 1 ---\n",
		"heap_v2/512",
	};

	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		CHECK(format_legacy.detect(span_text(headers[i])));
	CHECK(!format_legacy.detect(span_text("")));
	CHECK(!format_legacy.detect(span_text("hello\n")));
	CHECK(!format_legacy.detect(
		span_text("heap profile: 1: 1 [1: 1] @ heapsort")));
}

TEST(nothing_is_not_recognised)
{
	CHECK_EQ(legacy_read(""), -ENOTSUP);
	CHECK_EQ(legacy_read("\n\n#\n"), -ENOTSUP);
}

TEST(a_profile_that_is_refused_stays_empty)
{
	CHECK_EQ(legacy_read("x profile: total 1\n1 @ 0x1\nwhat\n"), -EBADMSG);
	CHECK_EQ(legacy.profile.types.count, 0);
	CHECK_EQ(legacy.profile.locations.count, 1);
}

/* Memory that runs out anywhere is an error and nothing worse. */
TEST(memory_may_run_out_at_any_point)
{
	enum { FRAMES = 3000, STEP = 4096, MOST = 16 << 20 };
	struct arena text_arena = { 0 };
	struct sink text = sink_to_memory(&text_arena);
	size_t limit = STEP;
	int r;

	sink_text(&text, "x profile: total 1\n");
	for (unsigned i = 0; i < FRAMES; i++)
		sink_format(&text, "1 @ 0x%x 0x%x\n", i * 16 + 1, i * 32 + 7);
	sink_text(&text, "---\nMAPPED_LIBRARIES:\na=/x\n");
	for (unsigned i = 0; i < FRAMES; i++)
		sink_format(&text, "%x-%x $a/%u (@8)\n", 32 * i + 16,
			    32 * i + 30, i);
	do {
		struct arena arena = { .limit = limit };
		struct profile p;

		limit += limit / 16 + STEP;
		r = profile_init(&p, &arena);
		if (r == 0)
			r = format_legacy.read(&p, sink_bytes(&text), NULL);
		arena_release(&arena);
	} while (r == -ENOMEM && limit < MOST);
	CHECK_EQ(r, 0);
	arena_release(&text_arena);
}

TEST(scaling_undoes_poisson_sampling)
{
	struct allocations a = { .count = 1, .bytes = 64 };

	a = scale_allocations(a, 524288);
	CHECK_EQ(a.count, 8192);
	CHECK_EQ(a.bytes, 524320);
}

/* A better exponential function than pprof's would give a byte less. */
TEST(scaling_gives_what_pprof_gives_to_the_byte)
{
	struct allocations a = { .count = 7290, .bytes = 7290 * 757 };

	a = scale_allocations(a, 524288);
	CHECK_EQ(a.count, 5052601);
	CHECK_EQ(a.bytes, 3824819449);
}

TEST(scaling_what_does_not_fit_gives_the_smallest_number)
{
	struct allocations a = { .count = INT64_MAX, .bytes = 1 };

	a = scale_allocations(a, 524288);
	CHECK_EQ(a.count, INT64_MIN);
	a = scale_allocations(
		(struct allocations){ .count = 1, .bytes = INT64_MIN }, 2);
	CHECK_EQ(a.bytes, 0);
}

TEST(large_allocations_are_all_seen)
{
	struct allocations a = { .count = 2, .bytes = INT64_MAX };

	a = scale_allocations(a, 2);
	CHECK_EQ(a.count, 2);
	CHECK_EQ(a.bytes, INT64_MIN);
}

TEST(a_profile_without_mappings_can_be_given_one)
{
	CHECK_EQ(legacy_read("--- contentionz 1 ---\n"
			     "resolution = ms\n"
			     "1 1 @ 0x10\n"
			     "0x10 f (F.java:1)\n"),
		 0);
	CHECK_EQ(legacy.profile.mappings.count, 1);
	CHECK_EQ(profile_add_fake_mapping(&legacy.profile), 0);
	CHECK_EQ(legacy.profile.mappings.count, 2);
	CHECK_EQ(legacy.profile.mappings.at[1].id, 1);
	CHECK_EQ(legacy.profile.mappings.at[1].limit, 0);
	CHECK_EQ(legacy.profile.locations.at[1].mapping, 1);
	CHECK_EQ(profile_add_fake_mapping(&legacy.profile), 0);
	CHECK_EQ(legacy.profile.mappings.count, 2);
}
