/* SPDX-License-Identifier: MIT */
/*
 * The UDP tracker protocol, as far as the example speaks it: a client asks for
 * a connection id, then announces itself for a torrent and gets other peers.
 * All numbers are big-endian on the wire.
 */
#ifndef TRACKER_H
#define TRACKER_H

#include <stdint.h>

enum { ACTION_CONNECT = 0, ACTION_ANNOUNCE = 1, ACTION_ERROR = 3 };
enum { MOST_PEERS = 50, HASH_SIZE = 20, PACKET = 1500 };

#define PROTOCOL_ID 0x41727101980ull

struct connect_request {
	uint64_t protocol;
	uint32_t action;
	uint32_t transaction;
} __attribute__((packed));

struct connect_reply {
	uint32_t action;
	uint32_t transaction;
	uint64_t connection;
} __attribute__((packed));

struct announce_request {
	uint64_t connection;
	uint32_t action;
	uint32_t transaction;
	uint8_t info_hash[HASH_SIZE];
	uint8_t peer_id[20];
	uint64_t downloaded;
	uint64_t left; /* 0: a seeder */
	uint64_t uploaded;
	uint32_t event;
	uint32_t ip;
	uint32_t key;
	int32_t want;
	uint16_t port;
} __attribute__((packed));

struct wire_peer {
	uint32_t ip;
	uint16_t port;
} __attribute__((packed));

struct announce_reply {
	uint32_t action;
	uint32_t transaction;
	uint32_t interval;
	uint32_t leechers;
	uint32_t seeders;
	struct wire_peer peers[MOST_PEERS];
} __attribute__((packed));

#endif /* TRACKER_H */
