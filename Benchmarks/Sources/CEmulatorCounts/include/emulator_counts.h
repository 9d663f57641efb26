#ifndef OSTIARY_EMULATOR_COUNTS_H
#define OSTIARY_EMULATOR_COUNTS_H
#include <stdint.h>

/// What one thread of an emulated program did so far. A file of counts is `EMULATOR_COUNTS_THREADS` of these, in the byte order of the machine.
struct emulator_counts {
    uint64_t instructions;
    uint64_t system_calls;
    /// A line of the cache for each thread.
    uint64_t unused[6];
};

/// Threads whose numbers differ by this share a place, and then one count may be lost in thousands.
#define EMULATOR_COUNTS_THREADS 4096

#endif
