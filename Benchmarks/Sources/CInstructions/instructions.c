#include "instructions.h"
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int instructions_open(int thread) {
    struct perf_event_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.size = sizeof attributes;
    attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    attributes.inherit = 1;
    return (int)syscall(SYS_perf_event_open, &attributes, thread, -1, -1, 0);
}

int64_t instructions_read(int descriptor) {
    int64_t count;
    return read(descriptor, &count, sizeof count) == sizeof count ? count : -1;
}
