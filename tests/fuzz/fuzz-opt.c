/* SPDX-License-Identifier: MIT */
/* Fuzzes the reading of command lines: one argument per line of input. */
#include "fuzz.h"

#include <string.h>

#include "base/check.h"
#include "base/error.h"
#include "cmd/opt.h"

#define ARGS_MAX 128

static struct {
	bool flag;
	unsigned number;
	const char *text;
	unsigned choice;
	struct opt_list list;
} opt;

static const char *const choices[] = { "flat", "cum", NULL };

static const struct opt opts[] = {
	OPT_GROUP("All kinds"),
	OPT_FLAG('f', "flag", &opt.flag, "flag"),
	OPT_UNSET(0, "no-flag", &opt.flag, "not"),
	OPT_UINT('u', "uint", &opt.number, "N", "number"),
	OPT_STRING('s', "string", &opt.text, "TEXT", "text"),
	OPT_CHOICE(0, "choice", &opt.choice, "WHICH", choices, "choice"),
	OPT_LIST('l', "list", &opt.list, "ITEM", ARG_FILE, "list"),
	OPT_END,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char text[4096];
	char *args[ARGS_MAX + 1];
	struct opt_parser p = { .own = opts };
	struct error err = { 0 };
	int given = 0;
	int n;

	if (size < 1 || size >= sizeof(text))
		return 0;
	p.stop_at_operand = data[0] & 1;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	for (char *rest = text; rest && given < ARGS_MAX;)
		args[given++] = strsep(&rest, "\n");
	args[given] = NULL;

	opt.list.count = 0;
	n = opt_parse(&p, args, &err);
	ASSERT(n <= given);
	ASSERT(n >= 0 ? !args[n] : err.text[0] != '\0');
	return 0;
}
