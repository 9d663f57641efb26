// A plugin for user-mode emulation (qemu-user): counts instructions and system calls of each thread into a file that others read meanwhile.
//
//     qemu-x86_64 -plugin libEmulatorCounts.so,counts=COUNTS PROGRAM …
//
// Debian ships no header for plugins, so what is used of QEMU's interface is declared here.

#include "emulator_counts.h"
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef EMULATOR_PLUGIN_VERSION
// Of QEMU 7.2. A newer one may ask for a newer number; what is used here stayed as it is.
#define EMULATOR_PLUGIN_VERSION 1
#endif
#define EXPORTED __attribute__((visibility("default")))

typedef uint64_t plugin_id;
struct qemu_info;
struct qemu_plugin_tb;

extern void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, void (*)(plugin_id, struct qemu_plugin_tb *));
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
extern void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *, void (*)(unsigned int, void *), int, void *);
extern void qemu_plugin_register_vcpu_syscall_cb(
    plugin_id,
    void (*)(plugin_id, unsigned int, int64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t));

EXPORTED int qemu_plugin_version = EMULATOR_PLUGIN_VERSION;

static struct emulator_counts *counts;

static void executed(unsigned int thread, void *length) {
    counts[thread % EMULATOR_COUNTS_THREADS].instructions += (uint64_t)(uintptr_t)length;
}

// A block of instructions without a jump runs whole, so its length is added when it begins.
static void translated(plugin_id id, struct qemu_plugin_tb *block) {
    (void)id;
    const int reads_no_registers = 0;
    qemu_plugin_register_vcpu_tb_exec_cb(block, executed, reads_no_registers, (void *)(uintptr_t)qemu_plugin_tb_n_insns(block));
}

static void called(
    plugin_id id, unsigned int thread, int64_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g,
    uint64_t h) {
    (void)id, (void)number, (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h;
    counts[thread % EMULATOR_COUNTS_THREADS].system_calls++;
}

EXPORTED int qemu_plugin_install(plugin_id id, const struct qemu_info *info, int argument_count, char **arguments) {
    (void)info;
    const size_t size = sizeof(struct emulator_counts) * EMULATOR_COUNTS_THREADS;
    if (argument_count != 1 || strncmp(arguments[0], "counts=", 7) != 0) return 1;
    const int file = open(arguments[0] + 7, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || ftruncate(file, (off_t)size) != 0) return 1;
    counts = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (counts == MAP_FAILED) return 1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_vcpu_syscall_cb(id, called);
    return 0;
}
