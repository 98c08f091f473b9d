// Tells ThreadSanitizer what Swift's Mutex orders.
//
// On Linux a Mutex is one word. Taking a free one and giving back one that nobody waits for are atomic operations that
// are compiled into the caller, which ThreadSanitizer sees. Where two meet, the kernel moves the word from one owner to
// the next (FUTEX_LOCK_PI, FUTEX_UNLOCK_PI) in functions of libswiftSynchronization, which ThreadSanitizer doesn't see.
// This library stands before those three functions and tells it of just that: who gives the word back releases it, who
// gets it acquires it. Nothing is suppressed: data that no lock guards, or the wrong one, are reported as ever.
//
// Loaded with LD_PRELOAD, also by children that have neither Swift nor ThreadSanitizer in them.
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

static void acquire(void *word) {
    if (__tsan_acquire) __tsan_acquire(word);
}

static void release(void *word) {
    if (__tsan_release) __tsan_release(word);
}

// _MutexHandle._lockSlow(UInt32) -> ()
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
// _MutexHandle._tryLockSlow() -> Bool
#define TRY "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
// _MutexHandle._unlockSlow() -> ()
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slow(uint32_t thread, SELF void *word) __asm__(LOCK);
SWIFT bool try_lock_slow(SELF void *word) __asm__(TRY);
SWIFT void unlock_slow(SELF void *word) __asm__(UNLOCK);

typedef SWIFT void (*lock_function)(uint32_t, SELF void *);
typedef SWIFT bool (*try_function)(SELF void *);
typedef SWIFT void (*unlock_function)(SELF void *);

SWIFT void lock_slow(uint32_t thread, SELF void *word) {
    ((lock_function)dlsym(RTLD_NEXT, LOCK))(thread, word);
    acquire(word);
}

SWIFT bool try_lock_slow(SELF void *word) {
    bool taken = ((try_function)dlsym(RTLD_NEXT, TRY))(word);
    if (taken) acquire(word);
    return taken;
}

SWIFT void unlock_slow(SELF void *word) {
    release(word);
    ((unlock_function)dlsym(RTLD_NEXT, UNLOCK))(word);
}
