/* SPDX-License-Identifier: MIT */
/* From a file name to a profile. */
#include "report/load.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pprof.h"
#include "test.h"

static char path[300];

static const char *name_of(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", test_directory(), name);
	return path;
}

static void save(const char *name)
{
	int fd = open(name_of(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	CHECK(fd >= 0);
	CHECK_EQ(write(fd, file.out.buf, file.out.used), file.out.used);
	close(fd);
}

static int load(const char *name)
{
	file.err = (struct error){ 0 };
	file.arena.limit = 0;
	return profile_load(&file.profile, &file.arena, name, &file.err);
}

static void check_sentence(const char *behind)
{
	char all[400];

	snprintf(all, sizeof(all), "'%s': %s", path, behind);
	CHECK_STR(file.err.text, all);
}

static void save_good(const char *name)
{
	file_new();
	put_basics();
	save(name);
}

TEST(a_file_is_loaded)
{
	save_good("good.pb");
	CHECK_EQ(load(path), 0);
	CHECK_EQ(file.profile.types.count, 1);
	CHECK_EQ(file.arena.limit, (uint64_t)16 << 30);
}

TEST(what_is_wrong_begins_with_the_name)
{
	file_new();
	put_basics();
	proto_put_number(&file.out, PPROF_DOC_URL, 77);
	save("bad.pb");
	CHECK_EQ(load(path), -EBADMSG);
	check_sentence("string table index 77 out of range in doc_url");

	file_new();
	save("empty");
	CHECK_EQ(load(path), -EBADMSG);
	check_sentence("empty input file");

	CHECK_EQ(load(name_of("missing")), -ENOENT);
	check_sentence("No such file or directory");

	snprintf(path, sizeof(path), "%s", test_directory());
	CHECK_EQ(load(path), -EISDIR);
	check_sentence("it is a folder");
}

static void *feed(void *to)
{
	int fd = open(to, O_WRONLY);

	if (fd < 0)
		return NULL;
	for (size_t done = 0; done < file.out.used;) {
		ssize_t n = write(fd, file.out.buf + done,
				  file.out.used - done);

		if (n <= 0)
			break;
		done += (size_t)n;
	}
	close(fd);
	return to;
}

TEST(a_pipe_is_read_to_its_end)
{
	pthread_t feeder;
	struct arena arena = { 0 };

	file_new();
	put_basics();
	for (unsigned i = 0; i < 500000; i++)
		PUT_MESSAGE(PPROF_SAMPLE, 2, N(1));
	CHECK_EQ(mkfifo(name_of("pipe"), 0600), 0);
	CHECK_EQ(pthread_create(&feeder, NULL, feed, path), 0);
	CHECK_EQ(profile_load(&file.profile, &arena, path, &file.err), 0);
	pthread_join(feeder, NULL);
	CHECK_EQ(file.profile.sample_count, 500000);
	arena_release(&arena);
}

TEST(a_dash_is_standard_input)
{
	int saved = dup(STDIN_FILENO);
	int fd;

	save_good("in.pb");
	fd = open(path, O_RDONLY);
	CHECK(fd >= 0);
	dup2(fd, STDIN_FILENO);
	close(fd);
	CHECK_EQ(load("-"), 0);
	CHECK_EQ(file.profile.types.count, 1);
	CHECK_EQ(load("-"), -EBADMSG);
	CHECK_STR(file.err.text, "standard input: empty input file");
	dup2(saved, STDIN_FILENO);
	close(saved);
}

TEST(the_environment_sets_the_limit)
{
	save_good("limit.pb");
	setenv("WICK_MEMORY_LIMIT", "1G", 1);
	CHECK_EQ(load(path), 0);
	CHECK_EQ(file.arena.limit, 1 << 30);
	setenv("WICK_MEMORY_LIMIT", "900k", 1);
	CHECK_EQ(load(path), 0);
	CHECK_EQ(file.arena.limit, 900 << 10);
	setenv("WICK_MEMORY_LIMIT", "5000000", 1);
	CHECK_EQ(load(path), 0);
	CHECK_EQ(file.arena.limit, 5000000);
	unsetenv("WICK_MEMORY_LIMIT");
}

TEST(a_limit_that_is_no_size_is_refused)
{
	static const char *const bad[] = {
		"lots", "8X", "8GB", "-1", "0", " 8G", "8 G", "99999999999T"
	};

	save_good("limit.pb");
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		setenv("WICK_MEMORY_LIMIT", bad[i], 1);
		CHECK_EQ(load(path), -EINVAL);
		CHECK(strstr(file.err.text, "not a size such as 8G"));
	}
	unsetenv("WICK_MEMORY_LIMIT");
}

TEST(bytes_in_memory_are_a_profile_as_well)
{
	struct arena arena = { 0 };
	struct profile p;
	struct error err;

	CHECK(profile_load_bytes(&p, &arena, span_text("no profile"), &err) <
	      0);
	CHECK(strstr(err.text, "unrecognized profile format"));
	arena_release(&arena);
}
