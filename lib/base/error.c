/* SPDX-License-Identifier: MIT */
/* Error sentences.  Names from files may end up in them, so they are cleaned:
 * what is printed can not move the cursor or forge a second line. */
#include "base/error.h"

#include <stdarg.h>
#include <string.h>

#include "base/fmt.h"

/* Control characters become '?'; bytes of UTF-8 pass. */
static void clean(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
}

int error_set_va(struct error *err, int code, const char *format, va_list ap)
{
	if (!err)
		return code;
	err->code = code;
	fmt_va(err->text, sizeof(err->text), format, ap);
	clean(err->text);
	return code;
}

int error_set(struct error *err, int code, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	error_set_va(err, code, format, ap);
	va_end(ap);
	return code;
}

/* Adds ": " and what the code means; returns where that begins. */
static char *add_reason(struct error *err)
{
	const char *reason = strerrordesc_np(-err->code);
	size_t len = strlen(err->text);

	len += fmt_text(err->text + len, sizeof(err->text) - len, ": ");
	if (len >= sizeof(err->text))
		len = sizeof(err->text) - 1;
	fmt_text(err->text + len, sizeof(err->text) - len, "%s",
		 reason ? reason : "unknown error");
	return err->text + len;
}

int error_set_errno(struct error *err, int code, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	error_set_va(err, code, format, ap);
	va_end(ap);
	if (err)
		(void)add_reason(err); /* it is fine as it is */
	return code;
}

int error_set_reason(struct error *err, int code, const char *format, ...)
{
	va_list ap;
	char *reason;

	va_start(ap, format);
	error_set_va(err, code, format, ap);
	va_end(ap);
	if (!err)
		return code;
	reason = add_reason(err);
	if (*reason >= 'A' && *reason <= 'Z')
		*reason += 'a' - 'A';
	return code;
}

void error_prefix(struct error *err, const char *format, ...)
{
	char old[sizeof(err->text)];
	va_list ap;
	size_t len;

	if (!err)
		return;
	memcpy(old, err->text, sizeof(old));
	va_start(ap, format);
	fmt_va(err->text, sizeof(err->text), format, ap);
	va_end(ap);
	len = strlen(err->text);
	fmt_text(err->text + len, sizeof(err->text) - len, ": %s", old);
	clean(err->text);
}
