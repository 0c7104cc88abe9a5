/* SPDX-License-Identifier: MIT */
/* See colour.h. */
#include "report/colour.h"

#include <math.h>
#include <stdio.h>

/*
 * From green (-1) through grey (0) to red (1); light for backgrounds.  Scores
 * are moved away from 0, where colours are hard to tell apart.
 */
struct colour score_colour(double score, bool background)
{
	double saturation = background ? 0.1 : 1.0;
	double value = background ? 0.93 : 0.7;
	double red = value, green = value, blue;
	struct colour c;

	if (!isnan(score))
		score = fmax(-1.0, fmin(1.0, score));
	if (fabs(score) < 0.2)
		saturation *= fabs(score) / 0.2;
	if (score > 0)
		score = pow(score, 1.0 - 0.7);
	if (score < 0)
		score = -pow(-score, 1.0 - 0.7);
	if (score < 0)
		red = value * (1 + saturation * score);
	else
		green = value * (1 - saturation * score);
	blue = value * (1 - saturation);
	/* No number, from a total of 0, has no colour either. */
	if (isnan(green))
		green = 0;
	snprintf(c.text, sizeof(c.text), "#%02x%02x%02x",
		 (unsigned)(red * 255) & 255, (unsigned)(green * 255) & 255,
		 (unsigned)(blue * 255) & 255);
	return c;
}
