/* SPDX-License-Identifier: MIT */
/*
 * The options of a command as a table of rows.  Parsing, --help, completion
 * scripts and the check of the man pages all read the same rows, so they can
 * not disagree.
 */
#ifndef WICK_CMD_OPT_H
#define WICK_CMD_OPT_H

#include <stdbool.h>

struct error;

/* What a value or an operand names; decides what a shell offers for it. */
enum arg_kind {
	ARG_NONE, /* there is no such argument */
	ARG_TEXT,
	ARG_CHOICE,
	ARG_FILE,
	ARG_DIRECTORY,
	ARG_PROGRAM,
	ARG_PID,
	ARG_COMMAND, /* one of wick's own */
};

/* How options are spelled on the command line. */
enum opt_style {
	OPT_STYLE_GNU, /* -o v, -ov, --output=v, --output v */
	OPT_STYLE_GO, /* -output=v, -output v; the command parses them itself */
};

enum opt_kind {
	OPT_KIND_END,
	OPT_KIND_GROUP, /* a heading in --help */
	OPT_KIND_FLAG,	/* sets a bool */
	OPT_KIND_UNSET, /* clears a bool; for "--no-..." */
	OPT_KIND_UINT,
	OPT_KIND_STRING,
	OPT_KIND_CHOICE, /* stores an index into choices */
	OPT_KIND_LIST,	 /* may be given again; keeps all values */
	OPT_KIND_CALL,	 /* hands the value to a function */
	OPT_KIND_ROW,	 /* described here, parsed by the command itself */
};

#define OPT_LIST_MAX 64

/* The values of an option that may be given more than once; borrowed. */
struct opt_list {
	const char *at[OPT_LIST_MAX];
	unsigned count;
};

/* Returns 0 or a negative errno with err saying what is wrong with value. */
typedef int opt_call(const char *value, struct error *err);

/*
 * One row.  Write rows with the macros below.  Texts are lower case without a
 * full stop; the choices are added to help by themselves.
 */
struct opt {
	enum opt_kind kind;
	char letter;	      /* -o; 0: none */
	const char *name;     /* --output; of a group: its heading */
	const char *argument; /* FILE, as --help shows it; NULL: no value */
	const char *help;
	enum arg_kind value;
	const char *const *choices; /* of ARG_CHOICE; ends with NULL */
	union {
		bool *flag;
		unsigned *number;
		const char **text;
		struct opt_list *list;
		opt_call *call;
	} to;
};

#define OPT_END \
	{ \
		.kind = OPT_KIND_END \
	}

#define OPT_GROUP(heading_) \
	{ \
		.kind = OPT_KIND_GROUP, .name = (heading_), \
	}

#define OPT_FLAG(letter_, name_, flag_, help_) \
	{ \
		.kind = OPT_KIND_FLAG, .letter = (letter_), .name = (name_), \
		.help = (help_), .to.flag = (flag_), \
	}

#define OPT_UNSET(letter_, name_, flag_, help_) \
	{ \
		.kind = OPT_KIND_UNSET, .letter = (letter_), .name = (name_), \
		.help = (help_), .to.flag = (flag_), \
	}

#define OPT_UINT(letter_, name_, number_, argument_, help_) \
	{ \
		.kind = OPT_KIND_UINT, .letter = (letter_), .name = (name_), \
		.argument = (argument_), .help = (help_), .value = ARG_TEXT, \
		.to.number = (number_), \
	}

/* The number of a process. */
#define OPT_PID(letter_, name_, number_, argument_, help_) \
	{ \
		.kind = OPT_KIND_UINT, .letter = (letter_), .name = (name_), \
		.argument = (argument_), .help = (help_), .value = ARG_PID, \
		.to.number = (number_), \
	}

#define OPT_VALUE(letter_, name_, text_, argument_, value_, help_) \
	{ \
		.kind = OPT_KIND_STRING, .letter = (letter_), .name = (name_), \
		.argument = (argument_), .help = (help_), .value = (value_), \
		.to.text = (text_), \
	}

#define OPT_STRING(letter_, name_, text_, argument_, help_) \
	OPT_VALUE(letter_, name_, text_, argument_, ARG_TEXT, help_)

#define OPT_FILE(letter_, name_, text_, argument_, help_) \
	OPT_VALUE(letter_, name_, text_, argument_, ARG_FILE, help_)

#define OPT_DIRECTORY(letter_, name_, text_, argument_, help_) \
	OPT_VALUE(letter_, name_, text_, argument_, ARG_DIRECTORY, help_)

#define OPT_CHOICE(letter_, name_, index_, argument_, choices_, help_) \
	{ \
		.kind = OPT_KIND_CHOICE, .letter = (letter_), .name = (name_), \
		.argument = (argument_), .help = (help_), .value = ARG_CHOICE, \
		.choices = (choices_), .to.number = (index_), \
	}

#define OPT_LIST(letter_, name_, list_, argument_, value_, help_) \
	{ \
		.kind = OPT_KIND_LIST, .letter = (letter_), .name = (name_), \
		.argument = (argument_), .help = (help_), .value = (value_), \
		.to.list = (list_), \
	}

#define OPT_CALL(letter_, name_, call_, argument_, help_) \
	{ \
		.kind = OPT_KIND_CALL, .letter = (letter_), .name = (name_), \
		.argument = (argument_), .help = (help_), .value = ARG_TEXT, \
		.to.call = (call_), \
	}

/* argument_ NULL and value_ ARG_NONE: a flag. */
#define OPT_ROW(name_, argument_, value_, help_) \
	{ \
		.kind = OPT_KIND_ROW, .name = (name_), \
		.argument = (argument_), .value = (value_), .help = (help_), \
	}

/* What opt_parse() looks options up in, and how far it reads. */
struct opt_parser {
	const struct opt *own;	  /* looked in first; may be NULL */
	const struct opt *common; /* may be NULL */
	bool stop_at_operand;	  /* what follows belongs to another program */
	bool *dashes; /* set if "--" ended the options; may be NULL */
};

/*
 * Reads the options in argv, which ends with NULL, and stores their values
 * through the rows; values point into argv.  Operands are moved to the front
 * in their order and ended with NULL.  Returns their number, or -EINVAL with
 * err set; then some values may have been stored.
 */
int opt_parse(const struct opt_parser *p, char **argv, struct error *err);

/*
 * Returns the long name in the table that name, not found there, was probably
 * meant to be, or NULL.
 */
const char *opt_suggest(const struct opt *opts, const char *name);

/* True for rows that stand for an option: not for groups. */
static inline bool opt_is_option(const struct opt *o)
{
	return o->kind != OPT_KIND_GROUP;
}

#endif /* WICK_CMD_OPT_H */
