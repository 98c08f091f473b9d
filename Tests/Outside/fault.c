// Makes the n-th call that matters fail, or ends the process before it: LD_PRELOAD this library, with
//   FAULT_AT=n        the call's number, from 1; 0 only counts
//   FAULT_WITH=KIND   EIO, ENOSPC, EMFILE, or KILL
//   FAULT_RECORD=FILE a file of 4096 bytes: the number of calls so far (8 bytes, native order), then the call that was hit as text
// Which calls count depends on the kind: those that can fail so. Children run without it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

struct record {
    _Atomic long calls;
    char hit[4088];
};
static struct record nowhere, *record = &nowhere;
static long at;
static int error;  // 0 ends the process
static int on;

__attribute__((constructor)) static void prepare(void) {
    const char *file = getenv("FAULT_RECORD"), *number = getenv("FAULT_AT"), *kind = getenv("FAULT_WITH");
    if (!file || !number || !kind) return;
    int descriptor = (int)syscall(SYS_openat, AT_FDCWD, file, O_RDWR | O_CLOEXEC, 0);
    if (descriptor < 0) return;
    void *mapped = mmap(NULL, sizeof *record, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    syscall(SYS_close, descriptor);
    if (mapped == MAP_FAILED) return;
    record = mapped;
    at = atol(number);
    error = !strcmp(kind, "EIO") ? EIO : !strcmp(kind, "ENOSPC") ? ENOSPC : !strcmp(kind, "EMFILE") ? EMFILE : 0;
    unsetenv("LD_PRELOAD");
    on = 1;
}

// What a call does to the file system, as bits: which kinds of faults can meet it.
enum { CHANGES = 1, TAKES_ROOM = 2, TAKES_DESCRIPTOR = 4 };

static int fails(int does, const char *call, int folder, const char *path) {
    // libdispatch reads /proc to count its threads, and traps where it can't: no disk fails so.
    if (!on || (path && !strncmp(path, "/proc/", 6))) return 0;
    int matters = error == EMFILE   ? does & TAKES_DESCRIPTOR
                  : error == ENOSPC ? does & TAKES_ROOM
                  : error == EIO    ? does & (CHANGES | TAKES_ROOM) || (path && does & TAKES_DESCRIPTOR)
                                    : does & (CHANGES | TAKES_ROOM);
    if (!matters) return 0;
    long number = atomic_fetch_add(&record->calls, 1) + 1;
    if (number != at) return 0;
    char place[64], where[2048] = "";
    if (folder >= 0) {
        snprintf(place, sizeof place, "/proc/self/fd/%d", folder);
        if (readlink(place, where, sizeof where - 1) < 0) where[0] = 0;
    }
    snprintf(record->hit, sizeof record->hit, "%s %s%s%s", call, where, path && where[0] ? "/" : "", path ? path : "");
    if (!error) {
        syscall(SYS_kill, getpid(), SIGKILL);
        for (;;) pause();
    }
    errno = error;
    return 1;
}

static int regular(int descriptor) {
    struct stat facts;
    return fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode);
}

#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

static int opening(int flags) {
    return TAKES_DESCRIPTOR | (flags & (O_CREAT | O_TRUNC) || (flags & O_TMPFILE) == O_TMPFILE ? CHANGES | TAKES_ROOM : 0);
}

#define MODE(flags) \
    mode_t mode = 0; \
    if ((flags) & O_CREAT || ((flags) & O_TMPFILE) == O_TMPFILE) { \
        va_list rest; \
        va_start(rest, flags); \
        mode = va_arg(rest, mode_t); \
        va_end(rest); \
    }

int open(const char *path, int flags, ...) {
    REAL(open);
    MODE(flags)
    return fails(opening(flags), "open", -1, path) ? -1 : real(path, flags, mode);
}
int open64(const char *path, int flags, ...) {
    REAL(open64);
    MODE(flags)
    return fails(opening(flags), "open", -1, path) ? -1 : real(path, flags, mode);
}
int openat(int folder, const char *path, int flags, ...) {
    REAL(openat);
    MODE(flags)
    return fails(opening(flags), "openat", folder, path) ? -1 : real(folder, path, flags, mode);
}
int openat64(int folder, const char *path, int flags, ...) {
    REAL(openat64);
    MODE(flags)
    return fails(opening(flags), "openat", folder, path) ? -1 : real(folder, path, flags, mode);
}
// openat2 has no function of its own in libc.
long syscall(long number, ...) {
    REAL(syscall);
    va_list rest;
    va_start(rest, number);
    long a = va_arg(rest, long), b = va_arg(rest, long), c = va_arg(rest, long), d = va_arg(rest, long),
         e = va_arg(rest, long), f = va_arg(rest, long);
    va_end(rest);
    if (number == SYS_openat2) {
        // The first member of struct open_how.
        int flags = (int)*(const unsigned long long *)c;
        if (fails(opening(flags), "openat2", (int)a, (const char *)b)) return -1;
    }
    return real(number, a, b, c, d, e, f);
}
int pipe(int ends[2]) {
    REAL(pipe);
    return fails(TAKES_DESCRIPTOR, "pipe", -1, NULL) ? -1 : real(ends);
}
int pipe2(int ends[2], int flags) {
    REAL(pipe2);
    return fails(TAKES_DESCRIPTOR, "pipe2", -1, NULL) ? -1 : real(ends, flags);
}

ssize_t write(int to, const void *bytes, size_t count) {
    REAL(write);
    return regular(to) && fails(TAKES_ROOM, "write", to, NULL) ? -1 : real(to, bytes, count);
}
ssize_t writev(int to, const struct iovec *parts, int count) {
    REAL(writev);
    return regular(to) && fails(TAKES_ROOM, "writev", to, NULL) ? -1 : real(to, parts, count);
}
ssize_t pwrite(int to, const void *bytes, size_t count, off_t place) {
    REAL(pwrite);
    return fails(TAKES_ROOM, "pwrite", to, NULL) ? -1 : real(to, bytes, count, place);
}
ssize_t pwrite64(int to, const void *bytes, size_t count, off64_t place) {
    REAL(pwrite64);
    return fails(TAKES_ROOM, "pwrite", to, NULL) ? -1 : real(to, bytes, count, place);
}
ssize_t copy_file_range(int from, off64_t *start, int to, off64_t *place, size_t count, unsigned flags) {
    REAL(copy_file_range);
    return fails(TAKES_ROOM, "copy_file_range", to, NULL) ? -1 : real(from, start, to, place, count, flags);
}
int ioctl(int to, unsigned long request, ...) {
    REAL(ioctl);
    va_list rest;
    va_start(rest, request);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    return request == FICLONE && fails(TAKES_ROOM, "ioctl FICLONE", to, NULL) ? -1 : real(to, request, argument);
}
int ftruncate(int file, off_t size) {
    REAL(ftruncate);
    return fails(CHANGES, "ftruncate", file, NULL) ? -1 : real(file, size);
}
int ftruncate64(int file, off64_t size) {
    REAL(ftruncate64);
    return fails(CHANGES, "ftruncate", file, NULL) ? -1 : real(file, size);
}
int fallocate(int file, int mode, off_t start, off_t count) {
    REAL(fallocate);
    return fails(TAKES_ROOM, "fallocate", file, NULL) ? -1 : real(file, mode, start, count);
}
int fallocate64(int file, int mode, off64_t start, off64_t count) {
    REAL(fallocate64);
    return fails(TAKES_ROOM, "fallocate", file, NULL) ? -1 : real(file, mode, start, count);
}
// These two return the error.
int posix_fallocate(int file, off_t start, off_t count) {
    REAL(posix_fallocate);
    return fails(TAKES_ROOM, "posix_fallocate", file, NULL) ? error : real(file, start, count);
}
int posix_fallocate64(int file, off64_t start, off64_t count) {
    REAL(posix_fallocate64);
    return fails(TAKES_ROOM, "posix_fallocate", file, NULL) ? error : real(file, start, count);
}
// A flush is where a disk says that a write before it had no room.
int fsync(int file) {
    REAL(fsync);
    return fails(CHANGES | TAKES_ROOM, "fsync", file, NULL) ? -1 : real(file);
}
int fdatasync(int file) {
    REAL(fdatasync);
    return fails(CHANGES | TAKES_ROOM, "fdatasync", file, NULL) ? -1 : real(file);
}
int rename(const char *from, const char *to) {
    REAL(rename);
    return fails(CHANGES | TAKES_ROOM, "rename", -1, to) ? -1 : real(from, to);
}
int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    REAL(renameat);
    return fails(CHANGES | TAKES_ROOM, "renameat", to_folder, to) ? -1 : real(from_folder, from, to_folder, to);
}
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    REAL(renameat2);
    return fails(CHANGES | TAKES_ROOM, "renameat2", to_folder, to) ? -1 : real(from_folder, from, to_folder, to, flags);
}
int link(const char *from, const char *to) {
    REAL(link);
    return fails(CHANGES | TAKES_ROOM, "link", -1, to) ? -1 : real(from, to);
}
int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    REAL(linkat);
    return fails(CHANGES | TAKES_ROOM, "linkat", to_folder, to) ? -1 : real(from_folder, from, to_folder, to, flags);
}
int mkdir(const char *path, mode_t mode) {
    REAL(mkdir);
    return fails(CHANGES | TAKES_ROOM, "mkdir", -1, path) ? -1 : real(path, mode);
}
int mkdirat(int folder, const char *path, mode_t mode) {
    REAL(mkdirat);
    return fails(CHANGES | TAKES_ROOM, "mkdirat", folder, path) ? -1 : real(folder, path, mode);
}
int unlink(const char *path) {
    REAL(unlink);
    return fails(CHANGES, "unlink", -1, path) ? -1 : real(path);
}
int unlinkat(int folder, const char *path, int flags) {
    REAL(unlinkat);
    return fails(CHANGES, "unlinkat", folder, path) ? -1 : real(folder, path, flags);
}
int rmdir(const char *path) {
    REAL(rmdir);
    return fails(CHANGES, "rmdir", -1, path) ? -1 : real(path);
}
int chmod(const char *path, mode_t mode) {
    REAL(chmod);
    return fails(CHANGES, "chmod", -1, path) ? -1 : real(path, mode);
}
int fchmod(int file, mode_t mode) {
    REAL(fchmod);
    return fails(CHANGES, "fchmod", file, NULL) ? -1 : real(file, mode);
}
int futimens(int file, const struct timespec times[2]) {
    REAL(futimens);
    return fails(CHANGES, "futimens", file, NULL) ? -1 : real(file, times);
}
int utimensat(int folder, const char *path, const struct timespec times[2], int flags) {
    REAL(utimensat);
    return fails(CHANGES, "utimensat", folder, path) ? -1 : real(folder, path, times, flags);
}
