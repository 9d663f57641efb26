#ifndef OSTIARY_EMULATOR_COUNTS_H
#define OSTIARY_EMULATOR_COUNTS_H
#include <stdint.h>

/// What one thread of an emulated program did so far. A file of counts is `EMULATOR_COUNTS_THREADS` of these, in the byte order of the machine:
/// 32 words each, of which the unused ones are zero. Whoever reads it knows a count by its place.
struct emulator_counts {
    uint64_t instructions;
    uint64_t system_calls;

    // What reaches the disk, told from system calls.
    /// Pages that were written to a log (WAL): SQLite writes 24 bytes before each.
    uint64_t wal_pages;
    /// Of these, those that end a transaction.
    uint64_t commits;
    /// Of the commits, those after which the same thread waited for the disk with that file, before it did anything else with it.
    uint64_t synced_commits;
    /// All calls that wait for the disk (fdatasync, fsync), those of commits among them.
    uint64_t syncs;

    // How often functions of these names were entered: see probes.c.
    uint64_t statements;
    uint64_t steps;
    uint64_t prepared;
    uint64_t p256_signed;
    uint64_t p256_verified;
    uint64_t ed25519_signed;
    uint64_t ed25519_verified;
    uint64_t x25519;
    uint64_t x25519_keys;
    uint64_t oprf_evaluations;
    uint64_t ristretto;
    uint64_t ristretto_base;
    /// Requests and answers that were read: for an exchange between two of our servers one at each end.
    uint64_t http_messages;

    uint64_t unused[13];
};

/// Threads whose numbers differ by this share a place, and then one count may be lost in thousands.
#define EMULATOR_COUNTS_THREADS 4096

#endif
