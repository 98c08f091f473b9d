/* The three functions for which a release would need a newer glibc or libstdc++ than for all others: `ld --wrap` replaces
   them by these, which call the version that both libraries have had for long. */
#if defined(__x86_64__)
#define FIRST_GLIBC "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define FIRST_GLIBC "GLIBC_2.17"
#endif

/* glibc 2.35 has them without the error handling of System V, which nothing here asks for. */
double first_hypot(double x, double y);
float first_hypotf(float x, float y);
__asm__(".symver first_hypot, hypot@" FIRST_GLIBC);
__asm__(".symver first_hypotf, hypotf@" FIRST_GLIBC);

double __wrap_hypot(double x, double y) { return first_hypot(x, y); }
float __wrap_hypotf(float x, float y) { return first_hypotf(x, y); }

/* std::condition_variable::wait(std::unique_lock<std::mutex> &), which is noexcept since GCC 12. */
void first_wait(void *condition, void *lock);
__asm__(".symver first_wait, _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE@GLIBCXX_3.4.11");

void __wrap__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(void *condition, void *lock) {
    first_wait(condition, lock);
}
