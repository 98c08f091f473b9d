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

/// Renames without ever replacing: -1 with EEXIST where the target exists, EINVAL or ENOSYS where the file system can't.
int cf_rename_exclusive(int from_folder, const char *from, int to_folder, const char *to);

/// Opens beneath `folder` without leaving it and without following a link on the way (openat2, RESOLVE_BENEATH |
/// RESOLVE_NO_SYMLINKS); -1 with ENOSYS where the kernel has no openat2.
int cf_open_beneath(int folder, const char *path, int flags, mode_t mode);

/// Makes `to` share the extents of `from` (FICLONE). Returns 0, or -1 with errno.
int cf_clone_file(int from, int to);

/// The file system's type number as statfs reports it, or -1.
long cf_file_system_type(const char *path);

#endif
