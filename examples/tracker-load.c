/* SPDX-License-Identifier: MIT */
/*
 * Load for the tracker: clients that connect once and then announce torrents,
 * each waiting for its answer, as fast as they get them.
 *
 *	tracker-load [-c CLIENTS] [-p PORT] [-r REQUESTS_A_SECOND] SECONDS
 */
#include <arpa/inet.h>
#include <endian.h>
#include <err.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "number.h"
#include "tracker.h"

enum { MOST_CLIENTS = 64, TORRENTS = 20000, PORTS = 2000 };

static struct {
	uint16_t port;
	double pause; /* seconds between two requests of a client */
	struct timespec end;
	atomic_ullong answers;
	atomic_ullong lost;
} load;

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static bool is_over(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec > load.end.tv_sec ||
	       (now.tv_sec == load.end.tv_sec &&
		now.tv_nsec >= load.end.tv_nsec);
}

static int open_socket(void)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_port = htons(load.port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	struct timeval patience = { .tv_usec = 200000 };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience,
		       sizeof(patience)) < 0 ||
	    connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0)
		err(1, "UDP port %u", load.port);
	return fd;
}

/* Sends a request and waits for the answer; false if none comes. */
static bool ask(int fd, const void *request, size_t len, uint8_t in[PACKET])
{
	if (send(fd, request, len, 0) < 0 || recv(fd, in, PACKET, 0) < 16) {
		atomic_fetch_add(&load.lost, 1);
		return false;
	}
	return true;
}

static bool start(int fd, uint64_t *connection)
{
	struct connect_request q = { .protocol = htobe64(PROTOCOL_ID),
				     .action = htobe32(ACTION_CONNECT) };
	struct connect_reply reply;
	uint8_t in[PACKET];

	if (!ask(fd, &q, sizeof(q), in))
		return false;
	memcpy(&reply, in, sizeof(reply));
	*connection = reply.connection;
	return true;
}

static struct announce_request make_request(uint64_t connection,
					    uint64_t *random)
{
	struct announce_request q = {
		.connection = connection,
		.action = htobe32(ACTION_ANNOUNCE),
		.left = next_random(random) % 3,
		.want = -1,
		.port = htobe16((uint16_t)(1024 + next_random(random) % PORTS)),
	};
	/* A few torrents are asked for most. */
	uint64_t a = next_random(random) % TORRENTS;
	uint32_t torrent = (uint32_t)(a * (next_random(random) % TORRENTS) /
				      TORRENTS);

	q.transaction = (uint32_t)next_random(random);
	for (int i = 0; i < HASH_SIZE; i++)
		q.info_hash[i] = (uint8_t)(torrent * 2654435761u >> (i % 24));
	return q;
}

static void *run_client(void *context)
{
	uint64_t random = 88172645463325252ull + (uintptr_t)context;
	uint8_t in[PACKET];
	uint64_t connection = 0;
	int fd = open_socket();

	while (!is_over() && !start(fd, &connection))
		usleep(100000);
	while (!is_over()) {
		struct announce_request q = make_request(connection, &random);

		if (ask(fd, &q, sizeof(q), in))
			atomic_fetch_add(&load.answers, 1);
		if (load.pause > 0)
			usleep((useconds_t)(load.pause * 1e6));
	}
	close(fd);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[MOST_CLIENTS];
	unsigned clients = 4, rate = 0, seconds;
	int c;

	load.port = 6969;
	while ((c = getopt(argc, argv, "c:p:r:")) >= 0) {
		if (c == 'c')
			clients = take_number(optarg, MOST_CLIENTS);
		else if (c == 'p')
			load.port = (uint16_t)take_number(optarg, UINT16_MAX);
		else if (c == 'r')
			rate = take_number(optarg, 10000000);
		else
			return 2;
	}
	if (optind + 1 != argc)
		errx(2, "usage: tracker-load [-c CLIENTS] [-p PORT] "
			"[-r REQUESTS_A_SECOND] SECONDS");
	seconds = take_number(argv[optind], 86400);
	load.pause = rate ? (double)clients / rate : 0;
	clock_gettime(CLOCK_MONOTONIC, &load.end);
	load.end.tv_sec += seconds;
	for (uintptr_t i = 0; i < clients; i++)
		if (pthread_create(&thread[i], NULL, run_client, (void *)i))
			errx(1, "a thread can not be made");
	for (unsigned i = 0; i < clients; i++)
		pthread_join(thread[i], NULL);
	printf("tracker-load: %llu answers, %llu lost\n",
	       (unsigned long long)load.answers, (unsigned long long)load.lost);
	return load.answers == 0;
}
