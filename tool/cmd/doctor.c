/* SPDX-License-Identifier: MIT */
/* wick doctor: what may be recorded here; what is known about programs. */
#include "base/json.h"
#include "base/sink.h"
#include "cmd/command.h"
#include "collect/permit.h"
#include "symbolize/open.h"
#include "term/output.h"

static struct {
	bool json;
} opt;

static const struct opt opts[] = {
	OPT_FLAG(0, "json", &opt.json,
		 "print JSON: an object for the machine, or each file"),
	OPT_END,
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

static void print_text(struct sink *out, const char *path,
		       const struct module *m)
{
	char id[BUILD_ID_TEXT];

	sink_format(out, "%s\n", path);
	sink_format(out, "  build id    %s\n",
		    m->id.len ? build_id_text(&m->id, id) : "none");
	sink_format(out, "  gives       %s\n", verdict(m));
	sink_format(out, "  symbols     %u\n", m->symtab.count);
	sink_format(out, "  units       %u%s\n", m->unit_count,
		    m->cache.bytes.len ? ", index cached" : "");
	for (uint32_t i = 0; i < m->log.steps.count; i++)
		sink_format(out, "  %-11s %s: %s\n", i ? "" : "looked at",
			    m->log.steps.at[i].path,
			    m->log.steps.at[i].outcome);
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

static void print_json(struct sink *out, const char *path,
		       const struct module *m)
{
	struct json j = json_to(out);
	char id[BUILD_ID_TEXT];

	json_open(&j, '{');
	json_key(&j, "file");
	json_text(&j, path);
	json_key(&j, "build_id");
	json_text(&j, build_id_text(&m->id, id));
	json_key(&j, "gives");
	json_text(&j, verdict(m));
	json_key(&j, "symbols");
	json_uint(&j, m->symtab.count);
	json_key(&j, "units");
	json_uint(&j, m->unit_count);
	json_key(&j, "cached");
	json_bool(&j, m->cache.bytes.len > 0);
	print_steps(&j, &m->log);
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

static int doctor_run(int argc, char **argv, struct error *err)
{
	static struct symbol_file file;
	const struct symbol_request request = { 0 };
	struct sink *out;
	int r = 0;

	out = output_open(OUTPUT_DATA);
	if (!argc)
		print_machine(out);
	for (int i = 0; i < argc && r == 0; i++) {
		r = symbol_file_open(&file, argv[i], &request, err);
		if (r < 0)
			break;
		if (opt.json)
			print_json(out, argv[i], &file.module);
		else
			print_text(out, argv[i], &file.module);
		symbol_file_close(&file);
	}
	return output_close(r < 0 ? NULL : err) < 0 && r == 0 ? -EIO : r;
}

const struct command cmd_doctor = {
	.name = "doctor",
	.summary =
		"say what can be recorded here, and what is known of programs",
	.usage = "wick doctor [--json] [BINARY...]",
	.about =
		"Without a file: what this machine lets this user record, what\n"
		"is in the way, and the command that would change it. Nothing\n"
		"is changed.\n"
		"\n"
		"Prints for each file its build id, every place where debug\n"
		"information was looked for and with what result, and what\n"
		"there is: symbols, units of debug information, a cached\n"
		"index.",
	.examples = "wick doctor\n"
		    "wick doctor ./server /lib/x86_64-linux-gnu/libc.so.6",
	.opts = opts,
	.operands = ARG_FILE,
	.run = doctor_run,
};
