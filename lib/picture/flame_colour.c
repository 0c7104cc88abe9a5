/* SPDX-License-Identifier: MIT */
/* See flame_colour.h. */
#include "picture/flame_colour.h"

#include "base/check.h"
#include "base/xxh64.h"
#include "picture/flame.h"

/* Colours between two, of which a name chooses one. */
struct gradient {
	struct colour from, to;
};

#define RGB(hex) \
	{ \
		{ \
			(hex) >> 16 & 0xff, (hex) >> 8 & 0xff, (hex)&0xff \
		} \
	}
#define BETWEEN(from_, to_) \
	{ \
		RGB(from_), RGB(to_) \
	}

struct palette_row {
	struct gradient kind[FLAME_KINDS];
};

/*
 * To add one: a row here, its name below and in wick-flame(1).  "kind" is the
 * one for people who can not tell red from green: any two of its colours differ
 * for normal sight and for the three kinds of colour blindness.
 */
static const struct palette_row palettes[] = {
	{ {
		[FLAME_PROGRAM] = BETWEEN(0xf4845c, 0xfcc35d),
		[FLAME_LIBRARY] = BETWEEN(0xf7ad62, 0xfae07f),
		[FLAME_KERNEL] = BETWEEN(0xe0796b, 0xf0a38f),
		[FLAME_JIT] = BETWEEN(0xb4cc72, 0xd8de7a),
		[FLAME_INLINED] = BETWEEN(0xf9b79c, 0xfde2a6),
		[FLAME_UNNAMED] = BETWEEN(0xcfc7bd, 0xddd7cf),
	} },
	{ {
		[FLAME_PROGRAM] = BETWEEN(0x6db4e4, 0x86d3c8),
		[FLAME_LIBRARY] = BETWEEN(0x8ac6dd, 0xa9dfd0),
		[FLAME_KERNEL] = BETWEEN(0x93a4e6, 0xb3b6ee),
		[FLAME_JIT] = BETWEEN(0xa8d49a, 0xc6e2a4),
		[FLAME_INLINED] = BETWEEN(0xa9d3ef, 0xbfe6df),
		[FLAME_UNNAMED] = BETWEEN(0xc2c8cd, 0xd4d9dd),
	} },
	{ {
		[FLAME_PROGRAM] = BETWEEN(0xcb8a32, 0xd99235),
		[FLAME_LIBRARY] = BETWEEN(0x859db0, 0x8da7ba),
		[FLAME_KERNEL] = BETWEEN(0xf0a78c, 0xfbb296),
		[FLAME_JIT] = BETWEEN(0x9bf0e2, 0xa5fbee),
		[FLAME_INLINED] = BETWEEN(0xe8e075, 0xf4ec7d),
		[FLAME_UNNAMED] = BETWEEN(0xb8b8b8, 0xc4c4c4),
	} },
	{ {
		[FLAME_PROGRAM] = BETWEEN(0xb9bcc1, 0xd3d5d9),
		[FLAME_LIBRARY] = BETWEEN(0xcacdd1, 0xdfe1e4),
		[FLAME_KERNEL] = BETWEEN(0xa3a6ab, 0xb4b7bb),
		[FLAME_JIT] = BETWEEN(0xb9bcc1, 0xd3d5d9),
		[FLAME_INLINED] = BETWEEN(0xdcdee1, 0xe9eaec),
		[FLAME_UNNAMED] = BETWEEN(0xe4e4e4, 0xeeeeee),
	} },
};

const char *const flame_palette_names[] = {
	"warm", "cool", "kind", "grey", NULL,
};

static struct colour mix(struct colour a, struct colour b, double share)
{
	struct colour c;

	for (int i = 0; i < 3; i++)
		c.part[i] = (unsigned char)(a.part[i] + 0.5 +
					    share * (b.part[i] - a.part[i]));
	return c;
}

struct colour flame_colour(unsigned palette, enum flame_kind kind,
			   struct span name)
{
	const unsigned steps = 256;
	const struct gradient *g;
	uint64_t hash = xxh64(name);

	ASSERT(palette < ARRAY_SIZE(palettes));
	g = &palettes[palette].kind[kind];
	return mix(g->from, g->to, (double)(hash % steps) / (steps - 1));
}

/* The square root of a number up to 1; libm is not for every process. */
static double root(double x)
{
	double r = 1;

	for (int i = 0; i < 32; i++)
		r = (r + x / r) / 2;
	return r;
}

/*
 * How strong it is follows the box's own change, by what it was or is; but a
 * change of next to nothing is pale, however large it is for its box.
 */
struct colour flame_change_colour(double before, double now)
{
	static const struct colour same = RGB(0xf2f1ef);
	static const struct colour more = RGB(0xf0644d);
	static const struct colour less = RGB(0x559fe0);
	const double noticeable = 0.002;
	double change = now - before;
	double size = change < 0 ? -change : change;
	double largest = before > now ? before : now;
	double strength = 1;

	if (!(largest > 0))
		return same;
	if (size < noticeable)
		strength = size / noticeable;
	return mix(same, change > 0 ? more : less,
		   root(strength * size / largest));
}

struct colour flame_neutral_colour(void)
{
	return (struct colour)RGB(0xdedad3);
}
