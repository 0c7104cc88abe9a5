/* SPDX-License-Identifier: MIT */
/*
 * wick doctor: what may be recorded here; what is known about programs, or
 * about the files of a running process, and what is missing.
 */
#include "base/json.h"
#include "base/sink.h"
#include "cmd/command.h"
#include "collect/permit.h"
#include "symbolize/codefiles.h"
#include "symbolize/open.h"
#include "symbolize/process.h"
#include "term/output.h"

static struct {
	bool json;
	unsigned pid;
} opt;

static const struct opt opts[] = {
	OPT_FLAG(0, "json", &opt.json,
		 "print JSON: an object for the machine, or each file"),
	OPT_PID('p', "pid", &opt.pid, "PID",
		"examine all files with code of a running process"),
	OPT_END,
};

/* One file with code, examined. */
struct finding {
	const char *path;
	const struct module *module; /* NULL: it could not be opened */
	const char *opened;	     /* how it was reached, if not by path */
	const char *reason;	     /* why it could not be opened */
};

/* A sentence on where lines and inlined calls come from. */
static const char *verdict(const struct module *m)
{
	if (m->unit_count)
		return "functions, lines and inlined calls";
	if (m->pclntab.count)
		return "functions, lines and inlined calls, from Go's table";
	if (m->symtab.count)
		return "function names only: no debug information was found";
	return "nothing: no symbols and no debug information";
}

/* Whether more could be had by installing something; not for the vdso. */
static bool lacks_debug(const struct module *m)
{
	return !m->unit_count && !m->pclntab.count && m->id.len &&
	       m->file.bytes.len;
}

/* Paths are what somebody chose to call a file. */
static void put_path(struct sink *out, const char *path)
{
	sink_clean(out, span_text(path));
	sink_char(out, '\n');
}

static void put_step(struct sink *out, const struct search_step *step)
{
	sink_text(out, "    ");
	put_path(out, step->path);
	sink_format(out, "      %s\n", step->outcome);
}

static void print_module(struct sink *out, const struct module *m)
{
	char id[BUILD_ID_TEXT];

	sink_format(out, "  gives       %s\n", verdict(m));
	sink_format(out, "  build id    %s\n",
		    m->id.len ? build_id_text(&m->id, id) : "none");
	sink_format(out, "  symbols     %u\n", m->symtab.count);
	sink_format(out, "  units       %u%s\n", m->unit_count,
		    m->cache.bytes.len ? ", index cached" : "");
	sink_text(out, "  looked at\n");
	/* Paths with build ids fill a line of 80 columns by themselves. */
	for (uint32_t i = 0; i < m->log.steps.count; i++)
		put_step(out, &m->log.steps.at[i]);
	if (lacks_debug(m))
		sink_text(out,
			  "  for more    install the package with its debug "
			  "information, or set\n"
			  "              DEBUGINFOD_URLS; see "
			  "wick-symbolize(1), SEARCH\n");
}

static void print_text(struct sink *out, const struct finding *f)
{
	put_path(out, f->path);
	if (f->opened)
		sink_format(out, "  reached as  %s\n", f->opened);
	if (f->module)
		print_module(out, f->module);
	else
		sink_format(out, "  gives       nothing:\n    %s\n", f->reason);
	sink_char(out, '\n');
}

static void print_steps(struct json *j, const struct search_log *log)
{
	json_key(j, "steps");
	json_open(j, '[');
	for (uint32_t i = 0; i < log->steps.count; i++) {
		json_open(j, '{');
		json_key(j, "path");
		json_text(j, log->steps.at[i].path);
		json_key(j, "outcome");
		json_text(j, log->steps.at[i].outcome);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void print_json_module(struct json *j, const struct module *m)
{
	char id[BUILD_ID_TEXT];

	json_key(j, "build_id");
	json_text(j, build_id_text(&m->id, id));
	json_key(j, "gives");
	json_text(j, verdict(m));
	json_key(j, "symbols");
	json_uint(j, m->symtab.count);
	json_key(j, "units");
	json_uint(j, m->unit_count);
	json_key(j, "cached");
	json_bool(j, m->cache.bytes.len > 0);
	print_steps(j, &m->log);
}

static void print_json(struct sink *out, const struct finding *f)
{
	struct json j = json_to(out);

	json_open(&j, '{');
	json_key(&j, "file");
	json_text(&j, f->path);
	if (f->opened) {
		json_key(&j, "opened");
		json_text(&j, f->opened);
	}
	if (f->module) {
		print_json_module(&j, f->module);
	} else {
		json_key(&j, "error");
		json_text(&j, f->reason);
	}
	json_close(&j, '}');
	sink_char(out, '\n');
}

/* What this machine permits this user. */
static void print_machine(struct sink *out)
{
	struct json j = json_to(out);

	if (!opt.json) {
		permit_write(out);
		return;
	}
	permit_json(&j);
	sink_char(out, '\n');
}

static void print_finding(struct sink *out, const struct finding *f)
{
	if (opt.json)
		print_json(out, f);
	else
		print_text(out, f);
}

static int examine_files(struct sink *out, char **argv, struct error *err)
{
	static struct symbol_file file;
	const struct symbol_request request = { 0 };

	for (; *argv; argv++) {
		const struct finding f = {
			.path = *argv,
			.module = &file.module,
		};
		int r = symbol_file_open(&file, *argv, &request, err);

		if (r < 0)
			return r;
		print_finding(out, &f);
		symbol_file_close(&file);
	}
	return 0;
}

static void examine_code_file(struct sink *out, struct code_files *files,
			      struct code_file *file)
{
	bool ok = code_file_load(files, file);
	const struct finding f = {
		.path = file->path,
		.module = ok ? &file->file.module : NULL,
		.opened = file->deleted || *file->root ? file->opened : NULL,
		.reason = file->reason,
	};

	print_finding(out, &f);
}

/* A table of code that was compiled at run time; NULL: not believed. */
static void print_jit_table(struct sink *out, const char *path,
			    const struct jit_table *t)
{
	const char *gives = t ? "names of functions compiled at run time"
			      : "nothing: it belongs to another user than the "
				"process";
	uint32_t count = t ? t->map->entries.count : 0;
	struct json j = json_to(out);

	if (!opt.json) {
		put_path(out, path);
		sink_format(out, "  gives       %s\n", gives);
		sink_format(out, "  symbols     %u\n\n", count);
		return;
	}
	json_open(&j, '{');
	json_key(&j, "file");
	json_text(&j, path);
	json_key(&j, "gives");
	json_text(&j, gives);
	json_key(&j, "symbols");
	json_uint(&j, count);
	json_close(&j, '}');
	sink_char(out, '\n');
}

static void print_jit(struct sink *out, const struct jit_code *jit)
{
	for (uint32_t i = 0; i < jit->count; i++)
		print_jit_table(out, jit->table[i].path, &jit->table[i]);
	if (jit->refused)
		print_jit_table(out, jit->refused, NULL);
}

static int examine_process(struct sink *out, struct error *err)
{
	struct code_files files = { 0 };
	struct process_code process;
	int r = process_open(&process, (pid_t)opt.pid, &files, err);

	if (r == 0) {
		for (uint32_t i = 0; i < files.file.count; i++)
			examine_code_file(out, &files, files.file.at[i]);
		print_jit(out, &process.jit);
		process_close(&process);
	}
	code_files_close(&files);
	return r;
}

static int doctor_run(int argc, char **argv, struct error *err)
{
	struct sink *out;
	int r;

	if (argc && opt.pid)
		return usage_error(err, "name programs or a process, not both");
	out = output_open(opt.json ? OUTPUT_DATA : OUTPUT_PAGED);
	if (!argc && !opt.pid)
		print_machine(out);
	r = opt.pid ? examine_process(out, err) : examine_files(out, argv, err);
	return output_finish(r, err);
}

const struct command cmd_doctor = {
	.name = "doctor",
	.summary =
		"say what can be recorded here, and what is known of programs",
	.usage = "wick doctor [--json] [BINARY...|-p PID]",
	.about =
		"Without a file: what this machine lets this user record, what\n"
		"is in the way, and the command that would change it. Nothing\n"
		"is changed.\n"
		"\n"
		"Prints for each file, or for each file with code of a running\n"
		"process, its build id, every place where debug information\n"
		"was looked for and with what result, and what there is:\n"
		"symbols, units of debug information, a cached index.",
	.examples = "wick doctor\n"
		    "wick doctor ./server /lib/x86_64-linux-gnu/libc.so.6\n"
		    "wick doctor -p 4711",
	.opts = opts,
	.operands = ARG_FILE,
	.run = doctor_run,
};
