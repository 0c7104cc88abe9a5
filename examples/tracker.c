/* SPDX-License-Identifier: MIT */
/*
 * A small BitTorrent tracker over UDP, to profile under load:
 *
 *	tracker [-t THREADS] [-p PORT] SECONDS
 *
 * Each thread has a socket of its own on the same port.  It listens on the
 * loopback alone and ends after SECONDS; tracker-load makes the requests.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "number.h"
#include "swarm.h"

enum { MOST_THREADS = 64, INTERVAL = 120 };

static struct {
	struct swarms *swarms;
	uint64_t secret; /* connection ids are made with it */
	uint16_t port;
	atomic_bool ending;
	atomic_ullong requests;
	atomic_ullong refused;
} tracker;

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

/* Tells a client that asked before from one that made its address up. */
static uint64_t connection_id(const struct sockaddr_in *from)
{
	uint64_t address = (uint64_t)from->sin_addr.s_addr << 16 |
			   from->sin_port;

	return mix(mix(address) ^ tracker.secret);
}

static size_t answer_connect(const struct connect_request *q,
			     const struct sockaddr_in *from, uint8_t *out)
{
	struct connect_reply reply = {
		.action = htobe32(ACTION_CONNECT),
		.transaction = q->transaction,
		.connection = connection_id(from),
	};

	memcpy(out, &reply, sizeof(reply));
	return sizeof(reply);
}

static size_t answer_announce(const struct announce_request *q,
			      const struct sockaddr_in *from, uint8_t *out)
{
	struct announce_reply reply = {
		.action = htobe32(ACTION_ANNOUNCE),
		.transaction = q->transaction,
		.interval = htobe32(INTERVAL),
	};
	struct wire_peer peer = { .ip = from->sin_addr.s_addr,
				  .port = q->port };
	struct swarm_counts counts = { 0 };
	int32_t want = (int32_t)be32toh((uint32_t)q->want);
	uint32_t room = want < 0 || want > MOST_PEERS ? MOST_PEERS
						      : (uint32_t)want;
	uint32_t found = swarm_announce(tracker.swarms, q->info_hash, peer,
					q->left == 0, time(NULL), reply.peers,
					room, &counts);
	size_t len = offsetof(struct announce_reply, peers) +
		     found * sizeof(reply.peers[0]);

	reply.leechers = htobe32(counts.leechers);
	reply.seeders = htobe32(counts.seeders);
	memcpy(out, &reply, len);
	return len;
}

/* Returns the length of the answer; 0: none is given. */
static size_t answer(const uint8_t *in, size_t len,
		     const struct sockaddr_in *from, uint8_t *out)
{
	struct connect_request connect;
	struct announce_request announce;

	if (len < sizeof(connect))
		return 0;
	memcpy(&connect, in, sizeof(connect));
	if (connect.protocol == htobe64(PROTOCOL_ID))
		return answer_connect(&connect, from, out);
	if (len < sizeof(announce) ||
	    connect.action != htobe32(ACTION_ANNOUNCE) ||
	    connect.protocol != connection_id(from))
		return 0;
	memcpy(&announce, in, sizeof(announce));
	return answer_announce(&announce, from, out);
}

static int open_socket(void)
{
	struct sockaddr_in at = {
		.sin_family = AF_INET,
		.sin_port = htons(tracker.port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	/* So that the end is noticed without traffic. */
	struct timeval patience = { .tv_usec = 100000 };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int yes = 1;

	if (fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof(yes)) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience,
		       sizeof(patience)) < 0 ||
	    bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0)
		err(1, "UDP port %u", tracker.port);
	return fd;
}

static void serve_one(int fd)
{
	uint8_t in[PACKET], out[PACKET];
	struct sockaddr_in from;
	socklen_t from_len = sizeof(from);
	ssize_t n = recvfrom(fd, in, sizeof(in), 0, (struct sockaddr *)&from,
			     &from_len);
	size_t len;

	if (n < 0)
		return;
	atomic_fetch_add_explicit(&tracker.requests, 1, memory_order_relaxed);
	len = answer(in, (size_t)n, &from, out);
	if (!len ||
	    sendto(fd, out, len, 0, (struct sockaddr *)&from, from_len) < 0)
		atomic_fetch_add_explicit(&tracker.refused, 1,
					  memory_order_relaxed);
}

static void *serve(void *context)
{
	int fd = *(int *)context;

	pthread_setname_np(pthread_self(), "worker");
	while (!atomic_load_explicit(&tracker.ending, memory_order_relaxed))
		serve_one(fd);
	close(fd);
	return NULL;
}

static void run(unsigned threads, unsigned seconds)
{
	pthread_t thread[MOST_THREADS];
	int fds[MOST_THREADS];

	for (unsigned i = 0; i < threads; i++)
		fds[i] = open_socket();
	for (unsigned i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, serve, &fds[i]) != 0)
			errx(1, "a thread can not be made");
	printf("tracker: 127.0.0.1:%u, %u threads, %u seconds\n", tracker.port,
	       threads, seconds);
	fflush(stdout);
	for (unsigned i = 0; i < seconds; i++) {
		sleep(1);
		swarms_expire(tracker.swarms, time(NULL) - 2 * INTERVAL);
	}
	atomic_store(&tracker.ending, true);
	for (unsigned i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
}

int main(int argc, char **argv)
{
	unsigned threads = 2;
	int c;

	tracker.port = 6969;
	while ((c = getopt(argc, argv, "t:p:")) >= 0) {
		if (c == 't')
			threads = take_number(optarg, MOST_THREADS);
		else if (c == 'p')
			tracker.port = (uint16_t)take_number(optarg,
							     UINT16_MAX);
		else
			return 2;
	}
	if (optind + 1 != argc)
		errx(2, "usage: tracker [-t THREADS] [-p PORT] SECONDS");
	tracker.swarms = swarms_new();
	if (!tracker.swarms)
		err(1, "swarms");
	tracker.secret = mix((uint64_t)time(NULL) ^ (uint64_t)getpid() << 32);
	run(threads, take_number(argv[optind], 86400));
	printf("tracker: %llu requests, %llu refused\n",
	       (unsigned long long)tracker.requests,
	       (unsigned long long)tracker.refused);
	swarms_free(tracker.swarms);
	return 0;
}
