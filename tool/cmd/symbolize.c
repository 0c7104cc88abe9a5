/* SPDX-License-Identifier: MIT */
/*
 * wick symbolize: what addresses belong to: those of a file, of a running
 * process or of the kernel.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fmt.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/sink.h"
#include "base/sort.h"
#include "base/vec.h"
#include "cmd/command.h"
#include "symbol/demangle.h"
#include "symbolize/code.h"
#include "symbolize/codefiles.h"
#include "symbolize/frametext.h"
#include "symbolize/kernel.h"
#include "symbolize/open.h"
#include "symbolize/process.h"
#include "term/output.h"

enum {
	INPUT_SIZE = 1 << 20,
	BATCH = 1 << 15,
	AHEAD = 4, /* answers for which memory is fetched */
	TEXT_SIZE = 1 << 16,
	READABLE = 4096,
};

static struct {
	bool json;
	bool demangle;
	bool no_cache;
	bool no_server;
	bool kernel;
	unsigned pid;
	const char *build_id;
} opt;

static const struct opt opts[] = {
	OPT_FLAG(0, "json", &opt.json,
		 "print one JSON object a line for each address"),
	OPT_FLAG('C', "demangle", &opt.demangle,
		 "make the names of C++, Rust and D readable"),
	OPT_PID('p', "pid", &opt.pid, "PID",
		"look up addresses of a running process"),
	OPT_FLAG(0, "kernel", &opt.kernel,
		 "look up addresses of the running kernel"),
	OPT_STRING(0, "build-id", &opt.build_id, "HEX",
		   "refuse the file unless its build id is this"),
	OPT_FLAG(0, "no-cache", &opt.no_cache,
		 "neither use nor write cached indexes"),
	OPT_FLAG(0, "no-debuginfod", &opt.no_server,
		 "ask no server for debug information"),
	OPT_END,
};

/* The answer for one address: some of the frames of its batch. */
struct answer {
	uint32_t first;
	uint32_t count;
};

/* A name that was made readable; names stay where they are. */
struct readable {
	const char *from;
	const char *text;
};

/* All that one run needs; output goes to out. */
struct session {
	struct code code;
	struct arena arena;
	VEC(uint64_t) addresses;
	struct sink *out;
	struct sink text; /* not in out yet */
	struct sort_item order[2 * BATCH];
	struct answer answer[BATCH];
	VEC(struct symbol_frame) frames; /* of a batch */
	struct demangler *demangler;	 /* NULL: names stay as they are */
	struct readable readable[READABLE];
};

/* The name to print for a function. */
static const char *shown_name(struct session *s, const char *name)
{
	struct readable *r;
	struct span text;

	if (!s->demangler)
		return name;
	r = &s->readable[hash_u64((uintptr_t)name) % READABLE];
	if (r->from == name)
		return r->text;
	if (!demangle(s->demangler, span_text(name), DEMANGLE_FULL, &text))
		text = span_text(name);
	*r = (struct readable){
		.from = name,
		.text = arena_text(&s->arena, (const char *)text.at, text.len),
	};
	if (!r->text)
		*r = (struct readable){ .from = name, .text = name };
	return r->text;
}

static void print_text(struct session *s, uint64_t address,
		       struct symbol_frame *frame, uint32_t count)
{
	for (uint32_t i = 0; s->demangler && i < count; i++)
		frame[i].function = shown_name(s, frame[i].function);
	frametext_write(&s->text, address, frame, count);
}

static void print_json_frame(struct session *s, struct json *j,
			     const struct symbol_frame *f)
{
	struct sink path = sink_to_memory(&s->arena);

	json_open(j, '{');
	json_key(j, "function");
	json_text(j, shown_name(s, f->function));
	if (*f->file) {
		frametext_path(&path, f);
		json_key(j, "file");
		json_span(j, sink_bytes(&path));
		json_key(j, "line");
		json_uint(j, f->line);
		json_key(j, "column");
		json_uint(j, f->column);
	}
	if (f->start_line) {
		json_key(j, "start_line");
		json_uint(j, f->start_line);
	}
	json_key(j, "inlined");
	json_bool(j, f->inlined);
	json_close(j, '}');
}

static void print_json(struct session *s, uint64_t address,
		       const struct symbol_frame *frame, uint32_t count)
{
	struct json j = json_to(&s->text);
	char text[32];

	fmt_text(text, sizeof(text), "0x%llx", (unsigned long long)address);
	json_open(&j, '{');
	json_key(&j, "address");
	json_text(&j, text);
	if (s->code.module) {
		json_key(&j, "module");
		json_span(&j, s->code.module(s->code.self, address));
	}
	json_key(&j, "frames");
	json_open(&j, '[');
	for (uint32_t i = 0; i < count; i++)
		print_json_frame(s, &j, &frame[i]);
	json_close(&j, ']');
	json_close(&j, '}');
	sink_char(&s->text, '\n');
}

/* Finds the frames of a batch of addresses, in ascending order. */
static void find_batch(struct session *s, const uint64_t *address,
		       uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		s->order[i] = (struct sort_item){ .key = address[i], .id = i };
	sort_items(s->order, s->order + BATCH, count);
	s->frames.count = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct answer *a = &s->answer[s->order[i].id];

		*a = (struct answer){ .first = s->frames.count };
		if (!VEC_RESERVE(&s->frames, &s->arena, SYMBOL_FRAMES))
			continue;
		a->count = s->code.find(s->code.self, s->order[i].key,
					s->frames.at + a->first);
		s->frames.count += a->count;
	}
}

/* Asks for the memory that an answer to be printed soon is in. */
static void fetch_frames(const struct session *s, const struct answer *a)
{
	for (uint32_t i = 0; i < a->count; i++)
		__builtin_prefetch(&s->frames.at[a->first + i]);
}

static void fetch_names(const struct session *s, const struct answer *a)
{
	for (uint32_t i = 0; i < a->count; i++) {
		const char *name = s->frames.at[a->first + i].function;

		__builtin_prefetch(name);
		__builtin_prefetch(name + 64);
	}
}

/*
 * Answers for up to BATCH addresses.  They are looked up in their order, which
 * keeps what neighbours share in the processor's cache, and printed in the
 * order in which they were asked.
 */
static void answer_batch(struct session *s, const uint64_t *address,
			 uint32_t count)
{
	find_batch(s, address, count);
	for (uint32_t i = 0; i < count; i++) {
		const struct answer *a = &s->answer[i];

		if (i + 2 * AHEAD < count)
			fetch_frames(s, a + 2 * AHEAD);
		if (i + AHEAD < count)
			fetch_names(s, a + AHEAD);
		if (opt.json)
			print_json(s, address[i], s->frames.at + a->first,
				   a->count);
		else
			print_text(s, address[i], s->frames.at + a->first,
				   a->count);
		/* As much as the output's buffer holds goes past it. */
		if (s->text.used < TEXT_SIZE && i + 1 < count)
			continue;
		sink_write(s->out, s->text.buf, s->text.used);
		s->text.used = 0;
	}
}

/* Answers for all addresses collected. */
static void answer(struct session *s)
{
	uint32_t count = s->addresses.count;

	if (s->code.prepare)
		s->code.prepare(s->code.self, s->addresses.at, count);
	for (uint32_t i = 0; i < count; i += BATCH)
		answer_batch(s, s->addresses.at + i,
			     count - i < BATCH ? count - i : BATCH);
	s->addresses.count = 0;
}

/* The value of a hexadecimal digit; 16 of anything else. */
static unsigned digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Reads a hexadecimal number, with or without "0x", and blanks around it. */
static bool parse_address(const char *at, uint64_t *ret)
{
	uint64_t value = 0;
	unsigned digits = 0;

	while (is_blank(*at))
		at++;
	if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
		at += 2;
	for (; digit_value(*at) < 16; at++, digits++) {
		if (value >> 60)
			return false;
		value = value << 4 | digit_value(*at);
	}
	while (is_blank(*at))
		at++;
	*ret = value;
	return digits && !*at;
}

static int add_address(struct session *s, const char *text, struct error *err)
{
	uint64_t *to;
	uint64_t address;

	if (!parse_address(text, &address))
		return error_set(err, -EINVAL, "'%s' is not an address", text);
	to = VEC_PUSH(&s->addresses, &s->arena);
	if (!to)
		return error_set(err, -ENOMEM, "out of memory");
	*to = address;
	return 0;
}

/* Takes the lines of buf; returns how many bytes are left at its front. */
static int take_lines(struct session *s, char *buf, size_t *len,
		      struct error *err)
{
	char *at = buf;
	char *newline;
	int r = 0;

	while (r == 0 && (newline = memchr(at, '\n', *len))) {
		*newline = '\0';
		if (*at)
			r = add_address(s, at, err);
		*len -= (size_t)(newline + 1 - at);
		at = newline + 1;
	}
	memmove(buf, at, *len);
	return r;
}

/* Whether more input is there at once; if not, somebody waits for answers. */
static bool more_input(void)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

static int read_input(struct session *s, char *buf, struct error *err)
{
	size_t len = 0;
	ssize_t n;
	int r = 0;

	while ((n = read(STDIN_FILENO, buf + len, INPUT_SIZE - len)) > 0) {
		len += (size_t)n;
		r = take_lines(s, buf, &len, err);
		if (r == 0 && len == INPUT_SIZE)
			r = error_set(err, -EINVAL, "a line is too long");
		if (r == 0 && more_input())
			continue;
		answer(s);
		sink_flush(s->out);
		if (r < 0)
			return r;
	}
	if (n < 0)
		return error_set_errno(err, -errno, "cannot read addresses");
	buf[len] = '\0';
	if (len)
		r = add_address(s, buf, err);
	answer(s);
	return r;
}

static int answer_input(struct session *s, struct error *err)
{
	char *buf = arena_alloc(&s->arena, INPUT_SIZE + 1);

	if (!buf)
		return error_set(err, -ENOMEM, "out of memory");
	return read_input(s, buf, err);
}

static int answer_arguments(struct session *s, char **argv, struct error *err)
{
	int r = 0;

	for (; *argv && r == 0; argv++)
		r = add_address(s, *argv, err);
	if (r == 0)
		answer(s);
	return r;
}

static int parse_options(struct symbol_request *request, struct error *err)
{
	request->no_cache = opt.no_cache;
	request->no_server = opt.no_server;
	if (opt.build_id &&
	    !build_id_parse(span_text(opt.build_id), &request->expected))
		return usage_error(err, "'%s' is not a build id", opt.build_id);
	return 0;
}

/* Answers for the addresses in argv, or on standard input. */
static int answer_all(struct code code, char **argv, struct error *err)
{
	static struct session session;
	struct session *s = &session;
	int r;

	s->code = code;
	s->out = output_open(OUTPUT_DATA);
	s->text = sink_to_memory(&s->arena);
	if (opt.demangle)
		s->demangler = demangler_new(&s->arena);
	r = *argv ? answer_arguments(s, argv, err) : answer_input(s, err);
	r = output_finish(r, err);
	arena_release(&s->arena);
	return r;
}

static int run_file(char **argv, const struct symbol_request *request,
		    struct error *err)
{
	static struct symbol_file file;
	int r = symbol_file_open(&file, argv[0], request, err);

	if (r < 0)
		return r;
	r = answer_all(code_of_file(&file), argv + 1, err);
	symbol_file_close(&file);
	return r;
}

static int run_process(char **argv, const struct symbol_request *request,
		       struct error *err)
{
	struct code_files files = { .request = *request };
	struct process_code process;
	int r = process_open(&process, (pid_t)opt.pid, &files, err);

	if (r == 0) {
		r = answer_all(code_of_process(&process), argv, err);
		process_close(&process);
	}
	code_files_close(&files);
	return r;
}

static int run_kernel(char **argv, const struct symbol_request *request,
		      struct error *err)
{
	struct kernel_symbols kernel;
	int r = kernel_open(&kernel, request, err);

	if (r < 0)
		return r;
	r = answer_all(code_of_kernel(&kernel), argv, err);
	kernel_close(&kernel);
	return r;
}

static int symbolize_run(int argc, char **argv, struct error *err)
{
	struct symbol_request request = { 0 };
	int r = parse_options(&request, err);

	if (r)
		return r;
	if (opt.kernel && opt.pid)
		return usage_error(err,
				   "--pid and --kernel exclude each other");
	if (opt.kernel)
		return run_kernel(argv, &request, err);
	if (opt.pid)
		return run_process(argv, &request, err);
	if (argc < 1)
		return usage_error(err, "name a program");
	return run_file(argv, &request, err);
}

const struct command cmd_symbolize = {
	.name = "symbolize",
	.summary = "say what function, file and line addresses belong to",
	.usage = "wick symbolize [options] BINARY|-p PID|--kernel [ADDRESS...]",
	.about =
		"Prints for each address the function and the place in the\n"
		"source, from the innermost inlined function to the real one,\n"
		"as \"addr2line -afi\" does. Addresses are hexadecimal, as in\n"
		"the file's own headers, or as the process or the kernel uses\n"
		"them. Without any, they are read from standard input, one a\n"
		"line.",
	.examples = "wick symbolize ./server 0x4011d6\n"
		    "wick symbolize -p 4711 7f3c5e0291d6\n"
		    "wick symbolize --json ./server < addresses",
	.opts = opts,
	.operands = ARG_FILE,
	.run = symbolize_run,
};
