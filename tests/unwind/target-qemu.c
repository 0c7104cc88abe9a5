/* SPDX-License-Identifier: MIT */
/*
 * An aarch64 program under qemu-aarch64, stepped through the remote protocol
 * that gdb speaks.  The program is static: its own segments are its map.
 */
#include <elf.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "load.h"
#include "target.h"

enum {
	PACKET = 8192,
	LARGEST = 1024,
	CODE = 16,
	KEPT = 1 << 16,
	SIGTRAP_NUMBER = 5,
};

static int pending;
static bool quiet; /* packets are not acknowledged any more */

static void send_packet(struct target *t, const char *body)
{
	char packet[512];
	uint8_t sum = 0;

	for (const char *c = body; *c; c++)
		sum += (uint8_t)*c;
	int n = snprintf(packet, sizeof(packet), "$%s#%02x", body, sum);

	if (write(t->fd, packet, (size_t)n) != n)
		errx(1, "the emulator has gone");
}

static char read_char(struct target *t)
{
	static char buffer[PACKET];
	static ssize_t used;
	static ssize_t len;

	if (used == len) {
		len = read(t->fd, buffer, sizeof(buffer));
		used = 0;
		if (len <= 0) {
			len = 0;
			return 0;
		}
	}
	return buffer[used++];
}

/* The body of the next packet; false when the other side has closed. */
static bool receive(struct target *t, char *body, size_t size)
{
	size_t n = 0;
	char c;

	do {
		c = read_char(t);
		if (!c)
			return false;
	} while (c != '$');
	while ((c = read_char(t)) && c != '#')
		if (n + 1 < size)
			body[n++] = c;
	body[n] = '\0';
	read_char(t);
	read_char(t);
	return quiet || write(t->fd, "+", 1) == 1;
}

static bool step(struct target *t, int *sig)
{
	char body[PACKET];
	unsigned number = 0;

	*sig = pending;
	if (pending)
		snprintf(body, sizeof(body), "S%02x", (unsigned)pending);
	else
		snprintf(body, sizeof(body), "s");
	pending = 0;
	send_packet(t, body);
	if (!receive(t, body, sizeof(body)) || (*body != 'T' && *body != 'S'))
		return false;
	sscanf(body + 1, "%2x", &number);
	if (number != SIGTRAP_NUMBER)
		pending = (int)number;
	return true;
}

static bool run(struct target *t, const uint64_t *stops, size_t n)
{
	char body[PACKET];
	unsigned number = 0;

	for (const char *kind = "Zz"; *kind; kind++) {
		for (size_t i = 0; i < n; i++) {
			snprintf(body, sizeof(body), "%c0,%lx,4", *kind,
				 (unsigned long)stops[i]);
			send_packet(t, body);
			if (!receive(t, body, sizeof(body)))
				return false;
		}
		for (number = 0; *kind == 'Z' && number != SIGTRAP_NUMBER;) {
			snprintf(body, sizeof(body), number ? "C%02x" : "c",
				 number);
			send_packet(t, body);
			if (!receive(t, body, sizeof(body)) ||
			    (*body != 'T' && *body != 'S'))
				return false;
			sscanf(body + 1, "%2x", &number);
		}
	}
	return true;
}

static unsigned digit(char c)
{
	return c >= 'a' ? (unsigned)(c - 'a') + 10 : (unsigned)(c - '0');
}

static uint64_t hex_word(const char *hex)
{
	uint64_t value = 0;

	for (int i = 7; i >= 0; i--)
		value = value << 8 | digit(hex[2 * i]) << 4 |
			digit(hex[2 * i + 1]);
	return value;
}

static bool state(struct target *t, struct target_state *s)
{
	static char body[PACKET];

	send_packet(t, "g");
	if (!receive(t, body, sizeof(body)) || strlen(body) < 33 * 16)
		return false;
	for (int i = 0; i < 33; i++)
		s->reg[i] = hex_word(body + 16 * i);
	s->sp = s->reg[31];
	s->pc = s->reg[32];
	return true;
}

static size_t read_part(struct target *t, uint64_t addr, uint8_t *to,
			size_t len)
{
	static char body[PACKET];
	size_t n = 0;

	snprintf(body, sizeof(body), "m%lx,%zx", (unsigned long)addr, len);
	send_packet(t, body);
	if (!receive(t, body, sizeof(body)) || *body == 'E')
		return 0;
	for (; n < len && body[2 * n]; n++) {
		to[n] = (uint8_t)(digit(body[2 * n]) << 4 |
				  digit(body[2 * n + 1]));
	}
	return n;
}

/* Code does not change, so it is asked for once. */
static size_t read_code(struct target *t, uint64_t addr, void *to)
{
	static struct {
		uint64_t addr;
		uint8_t code[CODE];
	} kept[KEPT];
	size_t slot = addr / 4 % KEPT;

	if (kept[slot].addr != addr) {
		if (read_part(t, addr, kept[slot].code, CODE) != CODE)
			return 0;
		kept[slot].addr = addr;
	}
	memcpy(to, kept[slot].code, CODE);
	return CODE;
}

/* A packet holds so much; more of the stack is asked for word by word. */
static size_t read_memory(struct target *t, uint64_t addr, void *to, size_t len)
{
	if (len == CODE)
		return read_code(t, addr, to);
	return read_part(t, addr, to, len > LARGEST ? LARGEST : len);
}

static size_t read_maps(struct target *t, struct target_map *maps, size_t max)
{
	struct loaded l;
	struct elf_segment s;
	size_t n = 0;

	load_file(&l, t->path);
	for (uint32_t i = 0; n < max && elf_segment_at(&l.elf, i, &s); i++) {
		struct target_map *m = &maps[n];

		if (s.type != PT_LOAD)
			continue;
		m->lo = s.address & ~UINT64_C(0xfff);
		m->hi = s.address + s.memory_size;
		m->offset = s.offset & ~UINT64_C(0xfff);
		m->executable = s.flags & PF_X;
		snprintf(m->path, sizeof(m->path), "%s", t->path);
		n++;
	}
	/* Where the emulator keeps its signal trampoline. */
	maps[n++] = (struct target_map){ .lo = UINT64_C(0x4000000000),
					 .hi = UINT64_C(0x6000000000),
					 .executable = true };
	return n;
}

static int connect_to(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	for (int i = 0; i < 100; i++) {
		if (!connect(fd, (void *)&address, sizeof(address)))
			return fd;
		usleep(50000);
	}
	errx(1, "cannot talk to qemu-aarch64");
}

void target_qemu(struct target *t, char **argv)
{
	char path[64];
	char body[PACKET];

	snprintf(path, sizeof(path), "/tmp/wick-truth.%d", (int)getpid());
	*t = (struct target){
		.machine = EM_AARCH64,
		.step = step,
		.state = state,
		.run = run,
		.read = read_memory,
		.maps = read_maps,
		.path = realpath(argv[0], NULL),
	};
	t->pid = fork();
	if (!t->pid) {
		char name[] = "qemu-aarch64";
		char option[] = "-g";
		char *args[32] = { name, option, path };
		int n = 3;

		for (char **a = argv; *a && n < 31; a++)
			args[n++] = *a;
		execvp(args[0], args);
		_exit(127);
	}
	t->fd = connect_to(path);
	unlink(path);
	send_packet(t, "QStartNoAckMode");
	if (!receive(t, body, sizeof(body)))
		errx(1, "qemu-aarch64 does not answer");
	quiet = !strcmp(body, "OK");
}
