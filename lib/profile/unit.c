/* SPDX-License-Identifier: MIT */
/* Unit families as tables, and conversion within them: see unit.h. */
#include "profile/unit.h"

#include <stddef.h>
#include <string.h>

#include "base/check.h"

enum { LONGEST_NAME = 15 };

struct unit {
	const char *name;
	const char *aliases[4];
	double factor;
};

struct family {
	const struct unit *units;
	size_t count;
	size_t standard; /* index of the unit for what fits no other */
};

static const struct unit memory_units[] = {
	{ "B", { "b", "byte" }, 1 },
	{ "kB", { "kb", "kbyte", "kilobyte" }, 0x1p10 },
	{ "MB", { "mb", "mbyte", "megabyte" }, 0x1p20 },
	{ "GB", { "gb", "gbyte", "gigabyte" }, 0x1p30 },
	{ "TB", { "tb", "tbyte", "terabyte" }, 0x1p40 },
	{ "PB", { "pb", "pbyte", "petabyte" }, 0x1p50 },
};

static const struct unit time_units[] = {
	{ "ns", { "ns", "nanosecond" }, 1 },
	{ "us", { "\u03bcs", "us", "microsecond" }, 1e3 },
	{ "ms", { "ms", "millisecond" }, 1e6 },
	{ "s", { "s", "sec", "second" }, 1e9 },
	{ "hrs", { "hour", "hr" }, 3600e9 },
};

static const struct unit gcu_units[] = {
	{ "n*GCU", { "nanogcu" }, 1e-9 },  { "u*GCU", { "microgcu" }, 1e-6 },
	{ "m*GCU", { "milligcu" }, 1e-3 }, { "GCU", { "gcu" }, 1 },
	{ "k*GCU", { "kilogcu" }, 1e3 },   { "M*GCU", { "megagcu" }, 1e6 },
	{ "G*GCU", { "gigagcu" }, 1e9 },   { "T*GCU", { "teragcu" }, 1e12 },
	{ "P*GCU", { "petagcu" }, 1e15 },
};

static const struct family families[] = {
	{ memory_units, ARRAY_SIZE(memory_units), 0 },
	{ time_units, ARRAY_SIZE(time_units), 3 },
	{ gcu_units, ARRAY_SIZE(gcu_units), 3 },
};

/* Units that are not worth printing. */
static const char *const silent[] = {
	"count", "sample", "unit", "minimum", "auto",
};

/* Lower case, less a final "s"; false if too long to be any unit's name. */
static bool simplify(char simple[static LONGEST_NAME + 1], const char *name)
{
	size_t len = strnlen(name, LONGEST_NAME + 1);

	if (len > LONGEST_NAME)
		return false;
	for (size_t i = 0; i < len; i++) {
		char c = name[i];

		simple[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
	}
	if (len > 2 && simple[len - 1] == 's')
		len--;
	simple[len] = '\0';
	return true;
}

static const struct unit *find_unit(const struct family *f, const char *name)
{
	char simple[LONGEST_NAME + 1];

	if (!simplify(simple, name))
		return NULL;
	for (size_t i = 0; i < f->count; i++)
		for (size_t j = 0; j < ARRAY_SIZE(f->units[i].aliases); j++) {
			const char *alias = f->units[i].aliases[j];

			if (alias && !strcmp(alias, simple))
				return &f->units[i];
		}
	return NULL;
}

static bool wants_choice(const char *unit)
{
	return !strcmp(unit, "minimum") || !strcmp(unit, "auto");
}

/* The largest unit of which value, in base units, is at least one. */
static const struct unit *fitting_unit(const struct family *f, double value)
{
	const struct unit *best = NULL;

	for (size_t i = 0; i < f->count; i++)
		if (value / f->units[i].factor >= 1.0)
			best = &f->units[i];
	return best;
}

static const struct unit *unit_or_standard(const struct family *f,
					   const struct unit *unit)
{
	return unit ? unit : &f->units[f->standard];
}

static struct measure convert(const struct family *f, double base,
			      const char *to)
{
	const struct unit *unit = unit_or_standard(
		f, wants_choice(to) ? fitting_unit(f, base) : find_unit(f, to));

	return (struct measure){ base / unit->factor, unit->name };
}

struct measure unit_scale(int64_t value, const char *from, const char *to)
{
	/* The smallest number has no positive twin and passes as it is. */
	if (value < 0 && value != INT64_MIN) {
		struct measure m = unit_scale(-value, from, to);

		return (struct measure){ -m.value, m.unit };
	}
	for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
		const struct unit *unit = find_unit(&families[i], from);

		if (unit)
			return convert(&families[i],
				       (double)value * unit->factor, to);
	}
	for (size_t i = 0; i < ARRAY_SIZE(silent); i++)
		if (!strcmp(to, silent[i]))
			return (struct measure){ (double)value, "" };
	return (struct measure){ (double)value, to };
}

bool unit_conversion(struct conversion *ret, const char *from, const char *to)
{
	*ret = (struct conversion){ 1, 1 };
	if (wants_choice(to))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
		const struct family *f = &families[i];
		const struct unit *unit = find_unit(f, from);

		if (!unit)
			continue;
		ret->multiply = unit->factor;
		ret->divide = unit_or_standard(f, find_unit(f, to))->factor;
		break;
	}
	return true;
}

bool unit_same_family(const char *a, const char *b)
{
	for (size_t i = 0; i < ARRAY_SIZE(families); i++)
		if (find_unit(&families[i], a) && find_unit(&families[i], b))
			return true;
	return false;
}
