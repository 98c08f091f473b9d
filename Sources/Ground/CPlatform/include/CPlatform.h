// System calls that Swift's Glibc module lacks (GNU extensions), with a portable meaning where a platform has none.
#ifndef COURSEFETCH_CPLATFORM_H
#define COURSEFETCH_CPLATFORM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Starts writing a range of a file to disk and does not wait for it. A hint: does nothing where it isn't supported.
void cf_start_writeback(int descriptor, off_t offset, off_t count);

/// Flushes a file's data and the metadata that reading it needs. Returns 0, or -1 with errno.
int cf_flush_data(int descriptor);

/// Renames without ever replacing: -1 with EEXIST where the target exists, EINVAL, ENOSYS or ENOTSUP where the file system
/// or the kernel can't.
int cf_rename_exclusive(int from_folder, const char *from, int to_folder, const char *to);

/// Swaps two names in one step; both must exist. -1 with EINVAL, ENOSYS or ENOTSUP where the file system or the kernel can't.
int cf_rename_exchange(int from_folder, const char *from, int to_folder, const char *to);

/// Opens beneath `folder` without leaving it and without following a link on the way or at the end (openat2, RESOLVE_BENEATH |
/// RESOLVE_NO_SYMLINKS); other mounts beneath it are entered. The descriptor is close-on-exec. -1 with EXDEV for a path that
/// leaves, ELOOP for a link, ENOSYS where the kernel has no openat2, EPERM where a container's filter forbids it.
int cf_open_beneath(int folder, const char *path, int flags, mode_t mode);

/// Opens a folder to enter it where it may not be read (O_PATH, O_SEARCH).
extern const int cf_enter_only;

/// Makes `to` share the extents of `from` (FICLONE). Returns 0, or -1 with errno.
int cf_clone_file(int from, int to);

/// When an open file was made, in nanoseconds since 1970 (statx, st_birthtimespec). Returns 0, or -1 where nobody knows.
int cf_birth_time(int descriptor, int64_t *nanoseconds);

/// The file system's type number as statfs reports it (its low 32 bits), or -1. Where there is no such number: 0x6969, that of
/// NFS, for a file system that isn't local, else 0.
long cf_file_system_type(const char *path);

/// Whether a file has extended attributes, such as an access list: 1, or 0 without any or where there are none.
int cf_has_attributes(const char *path);

/// Keeps freed memory for the next use: blocks below `largest` bytes, up to `kept` bytes at the end of each arena. By default
/// glibc returns a buffer of a few hundred kilobytes to the kernel each time, which then clears its pages for the next one.
void cf_keep_freed_memory(int largest, int kept);

/// Continues a CRC-32C (RFC 3720, appendix B.4) over more bytes; the first one begins with 0.
uint32_t cf_crc32c(uint32_t sum, const void *bytes, size_t count);

#endif
