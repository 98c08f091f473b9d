#include "CPlatform.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#ifdef __linux__

#include <linux/fs.h>
#include <linux/openat2.h>
#include <linux/stat.h>
#include <malloc.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <sys/vfs.h>

const int cf_enter_only = O_PATH;

void cf_start_writeback(int descriptor, off_t offset, off_t count) {
    (void)sync_file_range(descriptor, offset, count, SYNC_FILE_RANGE_WRITE);
}

void cf_keep_freed_memory(int largest, int kept) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, largest);
    mallopt(M_TRIM_THRESHOLD, kept);
#endif
}

int cf_flush_data(int descriptor) { return fdatasync(descriptor); }

int cf_rename_exclusive(int from_folder, const char *from, int to_folder, const char *to) {
    return renameat2(from_folder, from, to_folder, to, RENAME_NOREPLACE);
}

int cf_rename_exchange(int from_folder, const char *from, int to_folder, const char *to) {
    return renameat2(from_folder, from, to_folder, to, RENAME_EXCHANGE);
}

int cf_open_beneath(int folder, const char *path, int flags, mode_t mode) {
    struct open_how how = {
        .flags = (unsigned)(flags | O_CLOEXEC),
        // openat2 refuses what openat ignores: a mode without O_CREAT, and bits beyond the permissions.
        .mode = (flags & O_CREAT) ? mode & 07777 : 0,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS,
    };
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

int cf_has_attributes(const char *path) { return listxattr(path, NULL, 0) > 0; }

int cf_clone_file(int from, int to) { return ioctl(to, FICLONE, from); }

int cf_birth_time(int descriptor, int64_t *nanoseconds) {
    struct statx facts;
    if (syscall(SYS_statx, descriptor, "", AT_EMPTY_PATH, STATX_BTIME, &facts) != 0) return -1;
    if (!(facts.stx_mask & STATX_BTIME) || facts.stx_btime.tv_sec <= 0) return -1;
    *nanoseconds = facts.stx_btime.tv_sec * 1000000000 + facts.stx_btime.tv_nsec;
    return 0;
}

long cf_file_system_type(const char *path) {
    struct statfs facts;
    return statfs(path, &facts) == 0 ? (long)(uint32_t)facts.f_type : -1;
}

#else

#include <sys/mount.h>
#include <sys/param.h>
#include <sys/stat.h>

const int cf_enter_only = O_SEARCH;

void cf_start_writeback(int descriptor, off_t offset, off_t count) {
    (void)descriptor, (void)offset, (void)count;
}

void cf_keep_freed_memory(int largest, int kept) {
    (void)largest, (void)kept;
}

int cf_flush_data(int descriptor) { return fcntl(descriptor, F_FULLFSYNC); }

int cf_rename_exclusive(int from_folder, const char *from, int to_folder, const char *to) {
    return renameatx_np(from_folder, from, to_folder, to, RENAME_EXCL);
}

int cf_rename_exchange(int from_folder, const char *from, int to_folder, const char *to) {
    return renameatx_np(from_folder, from, to_folder, to, RENAME_SWAP);
}

int cf_open_beneath(int folder, const char *path, int flags, mode_t mode) {
    (void)folder, (void)path, (void)flags, (void)mode;
    errno = ENOSYS;
    return -1;
}

int cf_has_attributes(const char *path) {
    (void)path;
    return 0;
}

int cf_clone_file(int from, int to) {
    (void)from, (void)to;
    errno = ENOTSUP;
    return -1;
}

int cf_birth_time(int descriptor, int64_t *nanoseconds) {
    struct stat facts;
    if (fstat(descriptor, &facts) != 0 || facts.st_birthtimespec.tv_sec <= 0) return -1;
    *nanoseconds = facts.st_birthtimespec.tv_sec * 1000000000 + facts.st_birthtimespec.tv_nsec;
    return 0;
}

long cf_file_system_type(const char *path) {
    struct statfs facts;
    if (statfs(path, &facts) != 0) return -1;
    return (facts.f_flags & MNT_LOCAL) ? 0 : 0x6969;
}

#endif

// MARK: CRC-32C

#include <string.h>

// With the polynomial's bits reversed: what bytes contribute that are 1 to 8 places before the end.
static uint32_t crc_table[8][256];

__attribute__((constructor)) static void make_crc_table(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t sum = byte;
        for (int bit = 0; bit < 8; bit++) sum = (sum >> 1) ^ (sum & 1 ? 0x82F63B78u : 0);
        crc_table[0][byte] = sum;
    }
    for (int place = 1; place < 8; place++)
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint32_t before = crc_table[place - 1][byte];
            crc_table[place][byte] = (before >> 8) ^ crc_table[0][before & 0xFF];
        }
}

static uint32_t crc_by_table(uint32_t sum, const uint8_t *bytes, size_t count) {
    for (; count >= 8; bytes += 8, count -= 8) {
        uint32_t low, high;
        memcpy(&low, bytes, 4);
        memcpy(&high, bytes + 4, 4);
        low ^= sum;
        sum = crc_table[7][low & 0xFF] ^ crc_table[6][low >> 8 & 0xFF] ^ crc_table[5][low >> 16 & 0xFF] ^
              crc_table[4][low >> 24] ^ crc_table[3][high & 0xFF] ^ crc_table[2][high >> 8 & 0xFF] ^
              crc_table[1][high >> 16 & 0xFF] ^ crc_table[0][high >> 24];
    }
    for (; count > 0; bytes++, count--) sum = (sum >> 8) ^ crc_table[0][(sum ^ *bytes) & 0xFF];
    return sum;
}

#if defined(__x86_64__)

__attribute__((target("sse4.2"))) static uint32_t crc_by_instruction(uint32_t sum, const uint8_t *bytes, size_t count) {
    uint64_t wide = sum;
    for (; count >= 8; bytes += 8, count -= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        wide = __builtin_ia32_crc32di(wide, word);
    }
    for (; count > 0; bytes++, count--) wide = __builtin_ia32_crc32qi((uint32_t)wide, *bytes);
    return (uint32_t)wide;
}

uint32_t cf_crc32c(uint32_t sum, const void *bytes, size_t count) {
    return ~(__builtin_cpu_supports("sse4.2") ? crc_by_instruction(~sum, bytes, count) : crc_by_table(~sum, bytes, count));
}

#else

uint32_t cf_crc32c(uint32_t sum, const void *bytes, size_t count) { return ~crc_by_table(~sum, bytes, count); }

#endif
