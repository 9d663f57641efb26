// Which functions are counted, and where they begin: the symbols of each file that the emulated program has mapped, read from the file.
//
// The emulator's own table of symbols knows the program and no library. Its memory is the program's as well, so /proc/self/maps names every file of both.

#include "probes.h"
#include "emulator_counts.h"
#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLACE(count) ((int)(offsetof(struct emulator_counts, count) / sizeof(uint64_t)))

// Functions of C alone, which no compiler copies into their callers here; one of each, so that nothing is counted twice.
static const struct {
    const char *name;
    int place;
} functions[] = {
    // The database's connection lets go of the arguments once for each statement that it ran.
    {"sqlite3_clear_bindings", PLACE(statements)},
    {"sqlite3_step", PLACE(steps)},
    {"sqlite3_prepare_v3", PLACE(prepared)},
    {"CCryptoBoringSSL_ecdsa_sign_fixed", PLACE(p256_signed)},
    {"CCryptoBoringSSL_ecdsa_verify_fixed", PLACE(p256_verified)},
    {"CCryptoBoringSSL_ED25519_sign", PLACE(ed25519_signed)},
    // Tokens by the one, the protocol by the other, which swift-crypto does not call.
    {"CCryptoBoringSSL_ED25519_verify", PLACE(ed25519_verified)},
    {"crypto_sign_verify_detached", PLACE(ed25519_verified)},
    {"CCryptoBoringSSL_X25519", PLACE(x25519)},
    // Each has its multiplication in itself, and neither calls the other.
    {"CCryptoBoringSSL_X25519_keypair", PLACE(x25519_keys)},
    {"CCryptoBoringSSL_X25519_public_from_private", PLACE(x25519_keys)},
    // The proof of an evaluation ends with it (VOPRF.generateProof), and nothing else subtracts scalars.
    {"crypto_core_ristretto255_scalar_sub", PLACE(oprf_evaluations)},
    {"crypto_scalarmult_ristretto255", PLACE(ristretto)},
    {"crypto_scalarmult_ristretto255_base", PLACE(ristretto_base)},
    {"c_nio_llhttp__after_message_complete", PLACE(http_messages)},
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0], MOST_PROBES = 256, MOST_RANGES = 4096 };

struct range {
    uintptr_t begin, end;
};
// What was looked at: everything that is mapped, whether or not anything in it is counted.
static struct range ranges[MOST_RANGES];
static size_t range_count;
static struct {
    uintptr_t address;
    int place;
} probes[MOST_PROBES];
static size_t probe_count;

struct found {
    uint64_t offset[FUNCTIONS];
};

static uint64_t file_offset(const uint8_t *file, uint64_t address) {
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)file;
    const Elf64_Phdr *segments = (const Elf64_Phdr *)(file + head->e_phoff);
    for (int index = 0; index < head->e_phnum; index++) {
        const Elf64_Phdr *segment = &segments[index];
        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr && address - segment->p_vaddr < segment->p_filesz)
            return address - segment->p_vaddr + segment->p_offset;
    }
    return 0;
}

static void look_at(const uint8_t *file, const Elf64_Sym *symbol, const char *name, struct found *found) {
    if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF) return;
    for (int index = 0; index < FUNCTIONS; index++) {
        if (strcmp(name, functions[index].name) != 0) continue;
        found->offset[index] = file_offset(file, symbol->st_value);
    }
}

static void read_symbols(const uint8_t *file, size_t size, struct found *found) {
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)file;
    if (size < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64) return;
    if (head->e_shoff == 0 || head->e_shoff + (uint64_t)head->e_shnum * sizeof(Elf64_Shdr) > size) return;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(file + head->e_shoff);
    for (int index = 0; index < head->e_shnum; index++) {
        const Elf64_Shdr *table = &sections[index];
        if ((table->sh_type != SHT_SYMTAB && table->sh_type != SHT_DYNSYM) || table->sh_offset + table->sh_size > size) continue;
        const Elf64_Sym *symbols = (const Elf64_Sym *)(file + table->sh_offset);
        const char *names = (const char *)(file + sections[table->sh_link].sh_offset);
        for (size_t number = 0; number < table->sh_size / sizeof *symbols; number++)
            look_at(file, &symbols[number], names + symbols[number].st_name, found);
    }
}

static void read_file(const char *path, struct found *found) {
    struct stat facts;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return;
    if (fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0) {
        void *file = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (file != MAP_FAILED) {
            read_symbols(file, (size_t)facts.st_size, found);
            munmap(file, (size_t)facts.st_size);
        }
    }
    close(descriptor);
}

static int was_seen(uintptr_t begin, uintptr_t end) {
    for (size_t index = 0; index < range_count; index++)
        if (ranges[index].begin == begin && ranges[index].end == end) return 1;
    return 0;
}

// Adds what is mapped by now. The emulator maps a program's code readable, not executable, since it never runs it.
static void look_again(void) {
    FILE *maps = fopen("/proc/self/maps", "re");
    if (maps == NULL) return;
    char line[4096 + 128], last[4096] = "";
    struct found found = {0};
    while (fgets(line, sizeof line, maps)) {
        unsigned long begin, end, offset;
        char path[4096] = "";
        if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %4095[^\n]", &begin, &end, &offset, path) < 3) continue;
        if (was_seen(begin, end) || range_count == MOST_RANGES) continue;
        ranges[range_count++] = (struct range){begin, end};
        if (path[0] != '/') continue;
        if (strcmp(path, last) != 0) {
            found = (struct found){0};
            read_file(path, &found);
            strcpy(last, path);
        }
        for (int index = 0; index < FUNCTIONS; index++) {
            if (found.offset[index] < offset || found.offset[index] - offset >= end - begin || found.offset[index] == 0) continue;
            if (probe_count == MOST_PROBES) break;
            probes[probe_count].address = begin + (found.offset[index] - offset);
            probes[probe_count++].place = functions[index].place;
        }
    }
    fclose(maps);
}

int probe_at(const void *pointer) {
    const uintptr_t address = (uintptr_t)pointer;
    int is_known = 0;
    for (size_t index = 0; index < range_count && !is_known; index++) is_known = address >= ranges[index].begin && address < ranges[index].end;
    if (!is_known) look_again();
    for (size_t index = 0; index < probe_count; index++)
        if (probes[index].address == address) return probes[index].place;
    return -1;
}
