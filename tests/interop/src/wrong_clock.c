/* Loaded before a program's libraries: its clock is CLOCK_AHEAD_S seconds ahead of the machine's. Linux. */

#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now) {
    int failed = (int) syscall(SYS_clock_gettime, clock, now);
    const char *ahead = getenv("CLOCK_AHEAD_S");
    if (!failed && clock == CLOCK_REALTIME && ahead)
        now->tv_sec += atoi(ahead);
    return failed;
}
