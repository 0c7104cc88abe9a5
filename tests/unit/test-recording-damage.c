/* SPDX-License-Identifier: MIT */
/*
 * Recordings that were cut or damaged read back as far as they go, and say so.
 */
#include "format/recording.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/xxh64.h"
#include "format/recording_block.h"
#include "format/recording_column.h"
#include "format/recording_layout.h"
#include "recording_fixture.h"
#include "test.h"

/* A recording in three parts, and how much was in the file after each. */
struct parts {
	struct span file;
	uint64_t end[3];
	uint32_t samples[3];
};

static struct parts write_parts(int level)
{
	struct profile *p = small_profile();
	struct sink out = sink_to_memory(&arena);
	struct recording rec = { .arena = &arena, .out = &out, .level = level };
	struct parts parts = { .file = { 0 } };
	struct error err = { 0 };

	CHECK_EQ(recording_begin(&rec, &err), 0);
	for (uint32_t i = 0; i < 3; i++) {
		frame_id path[2] = { 1, add_place(p, "more", 0x400400 + i) };

		for (uint32_t j = 0; j <= i; j++)
			add_sample(p, stack_add(&p->stacks, 0, path, 2), 0,
				   100 + i);
		add_sample(p, stack_add(&p->stacks, 0, path, 1), odd_labels(p),
			   200 + i);
		CHECK_EQ(recording_flush(&rec, p, &err), 0);
		parts.end[i] = out.total;
		parts.samples[i] = p->sample_count;
	}
	CHECK_EQ(recording_end(&rec, p, &err), 0);
	parts.file = sink_bytes(&out);
	return parts;
}

/* Whether a block ends at this place of an undamaged file. */
static bool is_boundary(struct span file, size_t place)
{
	struct scan s = { .file = file, .at = RECORDING_HEAD };
	struct block b;

	while (s.at < place)
		if (scan_next(&s, &b) != SCAN_BLOCK)
			return false;
	return s.at == place;
}

static uint32_t samples_within(const struct parts *parts, size_t len)
{
	uint32_t samples = 0;

	for (int i = 0; i < 3; i++)
		if (parts->end[i] <= len)
			samples = parts->samples[i];
	return samples;
}

static void check_same_samples(const struct profile *part,
			       const struct profile *all)
{
	for (uint32_t i = 0; i < part->sample_count; i++) {
		CHECK_EQ(stack_depth(&part->stacks, part->stack[i]),
			 stack_depth(&all->stacks, all->stack[i]));
		CHECK_EQ(*profile_values(part, i), *profile_values(all, i));
	}
}

static void check_cut(const struct parts *parts, const struct profile *all,
		      size_t len)
{
	struct span file = span_of(parts->file.at, len);
	struct profile *p = read_back(file);
	bool boundary = is_boundary(parts->file, len);

	CHECK_EQ(p->sample_count, samples_within(parts, len));
	check_same_samples(p, all);
	CHECK_EQ(p->loss.count[LOSS_CUT], !boundary);
	CHECK_EQ(p->loss.count[LOSS_UNCLOSED],
		 boundary && len < parts->file.len);
	CHECK_EQ(p->loss.count[LOSS_BLOCKS], 0);
	CHECK_EQ(p->loss.count[LOSS_BYTES] != 0, !boundary);
}

static void check_all_cuts(int level)
{
	struct parts parts = write_parts(level);
	struct profile *all = read_back(parts.file);
	struct error err;

	for (size_t len = 0; len < 8; len++)
		CHECK_EQ(format_recording.read(new_profile(),
					       span_of(parts.file.at, len),
					       &err),
			 -ENOTSUP);
	for (size_t len = 8; len < RECORDING_HEAD; len++)
		CHECK_EQ(format_recording.read(new_profile(),
					       span_of(parts.file.at, len),
					       &err),
			 -EBADMSG);
	CHECK_STR(err.text,
		  "the recording ends in its header: it has 23 bytes");
	for (size_t len = RECORDING_HEAD; len <= parts.file.len; len++)
		check_cut(&parts, all, len);
}

TEST(a_recording_cut_at_any_byte_gives_all_complete_blocks)
{
	check_all_cuts(RECORDING_LEVEL);
	check_all_cuts(RECORDING_STORE);
}

TEST(a_cut_recording_says_so)
{
	struct span file = write_parts(RECORDING_LEVEL).file;

	CHECK_STR(loss_text(read_back(span_of(file.at, file.len - 1))),
		  "the recording ends in the middle of a block: 1 block lost\n"
		  "39 bytes of the recording could not be used\n");
	CHECK_STR(loss_text(read_back(span_of(file.at, file.len - 40))),
		  "the recording was not closed: its last moments may be "
		  "missing\n");
	CHECK_STR(loss_text(read_back(file)), "");
}

/* Records until somebody kills it. */
_Noreturn static void record_forever(int fd)
{
	struct profile *p = small_profile();
	char buf[256]; /* small, for blocks to be cut in many places */
	struct sink out = sink_to_fd(fd, buf, sizeof(buf));
	struct recording rec = { .arena = &arena,
				 .out = &out,
				 .level = RECORDING_LEVEL };
	struct error err;
	int r = recording_begin(&rec, &err);

	for (uint32_t i = 0; r == 0; i++) {
		frame_id path[2] = { 1, add_place(p, "next", 0x500000 + i) };

		add_sample(p, stack_add(&p->stacks, 0, path, 2), 0, i);
		r = recording_flush(&rec, p, &err);
	}
	_exit(1);
}

static struct span file_bytes(int fd)
{
	struct sink out = sink_to_memory(&arena);
	char buf[4096];
	ssize_t n;

	CHECK_EQ(lseek(fd, 0, SEEK_SET), 0);
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		sink_write(&out, buf, (size_t)n);
	return sink_bytes(&out);
}

static void check_killed_after(useconds_t delay)
{
	int fd = memfd_create("recording", MFD_CLOEXEC);
	pid_t pid = fork();
	struct span file;
	struct profile *p;

	if (pid == 0)
		record_forever(fd);
	CHECK(fd >= 0 && pid > 0);
	usleep(delay);
	CHECK_EQ(kill(pid, SIGKILL), 0);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	file = file_bytes(fd);
	close(fd);
	if (file.len < RECORDING_HEAD)
		return; /* it had not begun */
	p = read_back(file);
	CHECK_EQ(p->loss.count[LOSS_CUT] + p->loss.count[LOSS_UNCLOSED], 1);
	CHECK_EQ(p->loss.count[LOSS_BLOCKS], 0);
	for (uint32_t i = 2; i < p->sample_count; i++)
		CHECK_EQ(*profile_values(p, i), i - 2);
}

TEST(a_recorder_may_be_killed_at_any_moment)
{
	for (useconds_t i = 0; i < 100; i++)
		check_killed_after(i * 37 % 50 * 100);
}

/* The undamaged blocks of a recording. */
struct layout {
	unsigned count;
	struct block block[64];
	size_t start[64];
	size_t end[64];
};

static struct layout layout_of(struct span file)
{
	struct layout l = { .count = 0 };
	struct scan s = { .file = file, .at = RECORDING_HEAD };

	for (; s.at < file.len; l.count++) {
		CHECK(l.count < 64);
		l.start[l.count] = s.at;
		CHECK_EQ(scan_next(&s, &l.block[l.count]), SCAN_BLOCK);
		l.end[l.count] = s.at;
	}
	return l;
}

/* How many samples a samples block holds. */
static uint64_t block_samples(const struct block *b)
{
	struct unpacker u = { .arena = &arena };
	struct span raw;

	if (b->head.type != BLOCK_SAMPLES)
		return 0;
	CHECK_EQ(block_unpack(&u, b, &raw), 0);
	return table_of(raw).count;
}

static void check_one_block_lost(const struct profile *p,
				 const struct profile *all,
				 const struct block *lost)
{
	uint64_t samples = block_samples(lost);

	CHECK_EQ(p->loss.count[LOSS_BLOCKS], 1);
	CHECK_EQ(p->loss.count[LOSS_CUT], 0);
	CHECK_EQ(p->loss.count[LOSS_UNCLOSED], lost->head.type == BLOCK_END);
	CHECK_EQ(p->loss.count[LOSS_SAMPLES], samples);
	CHECK_EQ(p->sample_count + samples, all->sample_count);
	CHECK_EQ(p->types.count, all->types.count);
	CHECK_EQ(profile_check(p, NULL), 0);
}

static void check_flips(int level)
{
	struct span good = write_parts(level).file;
	struct layout l = layout_of(good);
	struct profile *all = read_back(good);
	uint8_t *bad = (uint8_t *)arena_text(&arena, (const char *)good.at,
					     good.len);

	for (unsigned n = 0; n < l.count; n++)
		for (size_t bit = l.start[n] * 8; bit < l.end[n] * 8; bit++) {
			struct profile *p;

			bad[bit / 8] ^= (uint8_t)(1 << bit % 8);
			p = read_back(span_of(bad, good.len));
			check_one_block_lost(p, all, &l.block[n]);
			CHECK_EQ(p->loss.count[LOSS_BYTES],
				 l.end[n] - l.start[n]);
			bad[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
}

TEST(a_flipped_bit_costs_its_block_and_no_other)
{
	check_flips(RECORDING_LEVEL);
	arena_release(&arena);
	check_flips(RECORDING_STORE);
}

TEST(a_flipped_bit_in_the_file_header_costs_nothing)
{
	struct span good = write_parts(RECORDING_LEVEL).file;
	struct profile *all = read_back(good);
	uint8_t *bad = (uint8_t *)arena_text(&arena, (const char *)good.at,
					     good.len);
	struct error err = { 0 };

	for (size_t bit = 0; bit < RECORDING_HEAD * 8; bit++) {
		struct profile *p = new_profile();
		int r;

		bad[bit / 8] ^= (uint8_t)(1 << bit % 8);
		r = format_recording.read(p, span_of(bad, good.len), &err);
		bad[bit / 8] ^= (uint8_t)(1 << bit % 8);
		if (bit < 64) { /* the magic: it is not a recording */
			CHECK_EQ(r, -ENOTSUP);
			continue;
		}
		CHECK_EQ(r, 0);
		CHECK_EQ(p->loss.count[LOSS_BYTES], RECORDING_HEAD);
		p->loss = all->loss;
		check_same(all, p);
	}
}

/* Joins up to four pieces. */
static struct span join(struct span a, struct span b, struct span c,
			struct span d)
{
	struct sink out = sink_to_memory(&arena);

	sink_span(&out, a);
	sink_span(&out, b);
	sink_span(&out, c);
	sink_span(&out, d);
	return sink_bytes(&out);
}

static struct span from(struct span s, size_t start)
{
	return span_of(s.at + start, s.len - start);
}

TEST(a_block_that_is_missing_altogether_is_noticed)
{
	struct span good = write_parts(RECORDING_LEVEL).file;
	struct layout l = layout_of(good);
	struct profile *all = read_back(good);

	for (unsigned n = 0; n + 1 < l.count; n++) {
		struct profile *p = read_back(
			join(span_of(good.at, l.start[n]), from(good, l.end[n]),
			     span_text(""), span_text("")));

		check_one_block_lost(p, all, &l.block[n]);
		CHECK_EQ(p->loss.count[LOSS_BYTES], 0);
	}
}

TEST(rubbish_between_blocks_costs_nothing_else)
{
	struct span good = write_parts(RECORDING_LEVEL).file;
	struct layout l = layout_of(good);
	struct profile *all = read_back(good);
	/* Among it what looks like the start of a block. */
	struct span rubbish = span_text("rubbish " BLOCK_MAGIC "rubbish"
					" that goes on for a while");

	for (unsigned n = 0; n < l.count; n++) {
		struct profile *p = read_back(
			join(span_of(good.at, l.start[n]), rubbish,
			     from(good, l.start[n]), span_text("")));

		CHECK_EQ(p->loss.count[LOSS_BYTES], rubbish.len);
		p->loss = all->loss;
		check_same(all, p);
	}
}

TEST(what_follows_the_end_is_ignored_but_mentioned)
{
	struct span file = write_parts(RECORDING_LEVEL).file;
	struct profile *all = read_back(file);
	struct profile *p = read_back(
		join(file, file, span_text(""), span_text("")));

	CHECK_EQ(p->loss.count[LOSS_BYTES], file.len);
	p->loss = all->loss;
	check_same(all, p);
}

/* As a recorder started again over an old file might leave it. */
TEST(blocks_of_an_older_recording_are_ignored)
{
	struct span file = write_parts(RECORDING_LEVEL).file;
	struct layout l = layout_of(file);
	struct profile *p = read_back(
		join(span_of(file.at, l.start[l.count - 1]),
		     from(file, l.start[1]), span_text(""), span_text("")));
	struct profile *all = read_back(file);

	CHECK_EQ(p->sample_count, all->sample_count);
	CHECK_EQ(p->loss.count[LOSS_BLOCKS], 0);
	CHECK_EQ(p->loss.count[LOSS_BYTES], l.start[l.count - 1] - l.start[1]);
}

static bool has_function(const struct profile *p, const char *name)
{
	for (uint32_t i = 1; i < p->functions.count; i++)
		if (!strcmp(profile_text(p, p->functions.at[i].name), name))
			return true;
	return false;
}

/* The file without the first block of this type. */
static struct profile *read_without(struct span file, enum block_type type)
{
	struct layout l = layout_of(file);
	unsigned n = 0;

	while (l.block[n].head.type != type)
		n++;
	return read_back(join(span_of(file.at, l.start[n]),
			      from(file, l.end[n]), span_text(""),
			      span_text("")));
}

TEST(what_lost_rows_named_is_shown_as_lost)
{
	struct span file = write_parts(RECORDING_LEVEL).file;
	struct profile *p = read_without(file, BLOCK_FUNCTIONS);

	CHECK(has_function(p, "[lost]"));
	CHECK(has_function(p, "more"));
	CHECK(!has_function(p, "main"));

	p = read_without(file, BLOCK_LOCATIONS);
	CHECK_EQ(stack_depth(&p->stacks, p->stack[0]), 3);
	CHECK(has_function(p, "[lost]"));
	CHECK(has_function(p, "main"));

	p = read_without(file, BLOCK_STACKS);
	CHECK_EQ(stack_depth(&p->stacks, p->stack[0]), 1);

	p = read_without(file, BLOCK_HEADER);
	CHECK_STR(profile_text(p, p->types.at[0].type), "[lost]");

	p = read_without(file, BLOCK_LABELS);
	CHECK_EQ(p->labels[3], 0);
}

TEST(a_damaged_recording_written_again_still_says_so)
{
	struct span file = write_parts(RECORDING_LEVEL).file;
	struct profile *p = read_without(file, BLOCK_SAMPLES);

	CHECK_EQ(p->loss.count[LOSS_BLOCKS], 1);
	check_round_trip(p);
}

/* A larger header is passed over, for what may be added to it. */
TEST(blocks_start_where_the_file_header_ends)
{
	struct span file = write_parts(RECORDING_LEVEL).file;
	char head[RECORDING_HEAD];
	uint32_t check;

	memcpy(head, file.at, sizeof(head));
	head[10] = RECORDING_HEAD + 5;
	check = (uint32_t)xxh64(span_of(head, RECORDING_HEAD - 4));
	memcpy(head + RECORDING_HEAD - 4, &check, sizeof(check));
	check_same(
		read_back(file),
		read_back(join(span_of(head, sizeof(head)), span_text("hello"),
			       from(file, RECORDING_HEAD), span_text(""))));
}
