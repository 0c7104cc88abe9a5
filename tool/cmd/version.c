/* SPDX-License-Identifier: MIT */
/* wick version: which wick this is. */
#include "base/json.h"
#include "base/sink.h"
#include "cmd/command.h"
#include "cmd/release.h"
#include "term/output.h"

static struct {
	bool json;
} opt;

static const struct opt opts[] = {
	OPT_FLAG(0, "json", &opt.json, "print JSON"),
	OPT_END,
};

static int version_run(int argc, char **argv, struct error *err)
{
	struct sink *out = output_open(OUTPUT_DATA);
	struct json j = json_to(out);

	(void)argc;
	(void)argv;
	if (opt.json) {
		json_open(&j, '{');
		json_key(&j, "version");
		json_text(&j, WICK_VERSION);
		json_key(&j, "machine");
		json_text(&j, WICK_MACHINE);
		json_close(&j, '}');
		sink_char(out, '\n');
	} else {
		sink_text(out, "wick " WICK_VERSION "\n");
	}
	return output_close(err);
}

const struct command cmd_version = {
	.name = "version",
	.summary = "print the version",
	.usage = "wick version [--json]",
	.opts = opts,
	.run = version_run,
};
