// A plugin for user-mode emulation (qemu-user): counts instructions, system calls, and the parts of which our operations are made, of each thread, into a
// file that others read meanwhile. The program that is counted is the one that people run, and knows nothing of it.
//
//     qemu-x86_64 -plugin libEmulatorCounts.so,counts=COUNTS PROGRAM …
//
// Debian ships no header for plugins, so what is used of QEMU's interface is declared here.

#include "emulator_counts.h"
#include "probes.h"
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef EMULATOR_PLUGIN_VERSION
// Of QEMU 7.2. A newer one may ask for a newer number; what is used here stayed as it is.
#define EMULATOR_PLUGIN_VERSION 1
#endif
#define EXPORTED __attribute__((visibility("default")))

typedef uint64_t plugin_id;
struct qemu_info;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

extern void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, void (*)(plugin_id, struct qemu_plugin_tb *));
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
extern struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
extern void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *);
extern uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
extern void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *, void (*)(unsigned int, void *), int, void *);
extern void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *, void (*)(unsigned int, void *), int, void *);
extern void qemu_plugin_register_vcpu_syscall_cb(
    plugin_id,
    void (*)(plugin_id, unsigned int, int64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t));

EXPORTED int qemu_plugin_version = EMULATOR_PLUGIN_VERSION;

static struct emulator_counts *counts;
// From an address of the program to one of ours.
static uintptr_t distance;
// The file whose log a thread has committed to and not waited for yet, plus one; 0 for none.
static int committed[EMULATOR_COUNTS_THREADS];

static void executed(unsigned int thread, void *length) {
    counts[thread % EMULATOR_COUNTS_THREADS].instructions += (uint64_t)(uintptr_t)length;
}

static void entered(unsigned int thread, void *place) {
    ((uint64_t *)&counts[thread % EMULATOR_COUNTS_THREADS])[(uintptr_t)place]++;
}

// A block of instructions without a jump runs whole, so its length is added when it begins.
static void translated(plugin_id id, struct qemu_plugin_tb *block) {
    (void)id;
    const int reads_no_registers = 0;
    const size_t length = qemu_plugin_tb_n_insns(block);
    qemu_plugin_register_vcpu_tb_exec_cb(block, executed, reads_no_registers, (void *)(uintptr_t)length);
    for (size_t index = 0; index < length; index++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, index);
        const void *address = qemu_plugin_insn_haddr(instruction);
        if (address == NULL) continue;
        distance = (uintptr_t)address - qemu_plugin_insn_vaddr(instruction);
        const int place = probe_at(address);
        if (place >= 0) qemu_plugin_register_vcpu_insn_exec_cb(instruction, entered, reads_no_registers, (void *)(uintptr_t)place);
    }
}

// Before each page of its log SQLite writes these bytes by themselves (walWriteOneFrame). The second four are zero, but where a transaction ends.
enum { FRAME_HEADER = 24 };

static void written(struct emulator_counts *mine, unsigned int thread, int file, uint64_t address, uint64_t length) {
    if (length != FRAME_HEADER) return;
    mine->wal_pages++;
    uint32_t pages_at_commit;
    memcpy(&pages_at_commit, (const uint8_t *)(address + distance) + 4, sizeof pages_at_commit);
    if (pages_at_commit == 0) return;
    mine->commits++;
    committed[thread % EMULATOR_COUNTS_THREADS] = file + 1;
}

static void synced(struct emulator_counts *mine, unsigned int thread, int file) {
    mine->syncs++;
    int *last = &committed[thread % EMULATOR_COUNTS_THREADS];
    if (*last == file + 1) mine->synced_commits++;
    *last = 0;
}

static void called(
    plugin_id id, unsigned int thread, int64_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g,
    uint64_t h) {
    (void)id, (void)d, (void)e, (void)f, (void)g, (void)h;
    struct emulator_counts *mine = &counts[thread % EMULATOR_COUNTS_THREADS];
    mine->system_calls++;
    switch (number) {
    case SYS_pwrite64: written(mine, thread, (int)a, b, c); break;
    case SYS_fdatasync:
    case SYS_fsync: synced(mine, thread, (int)a); break;
    default: break;
    }
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
