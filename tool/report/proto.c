/* SPDX-License-Identifier: MIT */
/* proto: the filtered profile in pprof's own format. */
#include <errno.h>

#include "base/error.h"
#include "format/format.h"
#include "profile/derive.h"
#include "profile/unit.h"
#include "report/context.h"
#include "report/report.h"
#include "report/reports.h"
#include "report/team.h"

static int divide_values(struct report_context *c)
{
	struct profile *p = &c->profile;
	double ratio = 1 / c->view.divide_by;
	size_t count = (size_t)p->sample_count * p->types.count;

	if (!(ratio > 0) || ratio == 1)
		return 0;
	if (profile_own_samples(p) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		p->value[i] = integer_part((double)p->value[i] * ratio);
	return 0;
}

static int proto_write(struct report_context *c, struct sink *out,
		       struct error *err)
{
	int r = divide_values(c);

	if (r < 0)
		return error_set(err, r, "out of memory");
	return format_find("pprof")->write(
		&c->profile, team_for(c->profile.sample_count), out, err);
}

const struct report report_proto = {
	.name = "proto",
	.summary = "the profile as compressed protobuf",
	.binary = true,
	.adjust = adjust_by_address,
	.write = proto_write,
};
