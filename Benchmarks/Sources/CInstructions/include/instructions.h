#ifndef OSTIARY_INSTRUCTIONS_H
#define OSTIARY_INSTRUCTIONS_H
#include <stdint.h>

/// Starts counting the user-space instructions of one thread and of the threads it will make; -1 where the kernel does not count.
int instructions_open(int thread);
/// What was counted so far, or -1.
int64_t instructions_read(int descriptor);

#endif
