"""What many cases need and takes a while to make, such as encoded films: made once for all cases of a run."""

import atexit
import fcntl
import functools
import hashlib
import os
import pathlib
import shutil
import tempfile

# The folder that the cases of a run share; the runner makes and removes it. Without a runner it is the process's own.
SHARED = "COURSEFETCH_OUTSIDE_SAMPLES"
# In a soak, that every SOAK-th night and fault of a full one is tried; otherwise 0.
SOAK = int(os.environ.get("COURSEFETCH_SOAK") or 0)


@functools.cache
def place():
    if SHARED in os.environ:
        return pathlib.Path(os.environ[SHARED])
    folder = pathlib.Path(tempfile.mkdtemp(prefix="coursefetch-samples-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def once(key, make):
    """The path of what `make(path)` writes. The first case that asks for a key makes it; others at that time wait for it.

    Nobody changes it: the file belongs to all cases.
    """
    name = hashlib.sha256(repr(key).encode()).hexdigest()
    path = place() / name
    with open(place() / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            fresh = place() / f"{name}.new"
            make(fresh)
            fresh.rename(path)
    return path
