/* SPDX-License-Identifier: MIT */
/* Machine code as text, by capstone: see assembly.h. */
#include "report/assembly.h"

#include <capstone/capstone.h>
#include <elf.h>
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "elf/image.h"

static int open_engine(csh *engine, const struct code_request *q,
		       struct error *err)
{
	cs_err failed = CS_ERR_ARCH;

	if (q->elf->machine == EM_X86_64)
		failed = cs_open(CS_ARCH_X86, CS_MODE_64, engine);
	else if (q->elf->machine == EM_AARCH64)
		failed = cs_open(CS_ARCH_ARM64, CS_MODE_ARM, engine);
	if (failed)
		return error_set(err, -ENOTSUP,
				 "cannot disassemble code for machine %u",
				 q->elf->machine);
	if (q->elf->machine == EM_X86_64 && !q->intel)
		cs_option(*engine, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	/* Data between functions must not end the listing. */
	cs_option(*engine, CS_OPT_SKIPDATA, CS_OPT_ON);
	return 0;
}

static bool add(struct code *code, struct arena *arena, const cs_insn *insn)
{
	size_t name = strlen(insn->mnemonic), operands = strlen(insn->op_str);
	size_t len = name + (operands ? 1 + operands : 0);
	char *text = arena_alloc(arena, len + 1);
	struct instruction *row = VEC_PUSH(&code->instructions, arena);

	if (!text || !row)
		return false;
	memcpy(text, insn->mnemonic, name);
	if (operands) {
		text[name] = ' ';
		memcpy(text + name + 1, insn->op_str, operands);
	}
	*row = (struct instruction){ insn->address, span_of(text, len) };
	return true;
}

int disassemble(struct code *code, const struct code_request *request,
		struct arena *arena, struct error *err)
{
	struct span bytes = elf_bytes_at(request->elf, request->start,
					 request->end - request->start);
	const uint8_t *at = bytes.at;
	size_t left = bytes.len;
	uint64_t address = request->start;
	csh engine;
	cs_insn *insn;
	int r;

	if (!bytes.len)
		return error_set(err, -ENODATA,
				 "the file has no code at 0x%llx",
				 (unsigned long long)request->start);
	r = open_engine(&engine, request, err);
	if (r < 0)
		return r;
	insn = cs_malloc(engine);
	while (insn && r == 0 &&
	       cs_disasm_iter(engine, &at, &left, &address, insn))
		if (!add(code, arena, insn))
			r = -ENOMEM;
	if (!insn || r < 0)
		r = error_set(err, -ENOMEM, "out of memory");
	if (insn)
		cs_free(insn, 1);
	cs_close(&engine);
	return r;
}
