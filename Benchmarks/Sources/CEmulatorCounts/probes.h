#ifndef OSTIARY_PROBES_H
#define OSTIARY_PROBES_H
#include <stdint.h>

/// The place of a count in `struct emulator_counts`, as a number of words, if a function that is counted begins at this address of the emulator's memory;
/// otherwise -1.
int probe_at(const void *address);

#endif
