// A clock of the time of day that is so many seconds wrong, for one process that is started with this library in LD_PRELOAD (`FakedClock`). The seconds stand in a
// file that the process maps and somebody else writes to while it runs: each call looks there anew, so that all threads hear of a leap at once, and no call takes a
// lock or memory.
//
// It is the time of day alone: what measures (CLOCK_MONOTONIC, CLOCK_BOOTTIME) and what waits for a while goes on as ever, as with a machine whose clock somebody
// sets. What waits for a moment of the time of day is told that moment by the clock that is wrong, and the kernel goes by the right one; so here the moment is put
// right on the way. Who waits already when the clock leaps waits as long as it meant to, where a machine's kernel would have it wait on or wake up.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static const _Atomic(int64_t) right = 0;
// Where the seconds stand; by a clock that is right until the file is mapped.
static const _Atomic(int64_t) *seconds = &right;

__attribute__((constructor)) static void map_seconds(void) {
    const char *path = getenv("FAKED_CLOCK_FILE");
    if (!path) return;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    // A process whose clock would be right in silence shows nothing.
    if (file < 0) abort();
    void *page = mmap(NULL, sizeof *seconds, PROT_READ, MAP_SHARED, file, 0);
    if (page == MAP_FAILED) abort();
    close(file);
    seconds = page;
}

static int64_t offset(void) { return atomic_load_explicit(seconds, memory_order_acquire); }

static int is_of_day(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE; }

// What asks what time it is.

int clock_gettime(clockid_t clock, struct timespec *time) {
    int answer = (int)syscall(SYS_clock_gettime, clock, time);
    if (!answer && is_of_day(clock)) time->tv_sec += offset();
    return answer;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    int answer = (int)syscall(SYS_gettimeofday, time, zone);
    if (!answer) time->tv_sec += offset();
    return answer;
}

time_t time(time_t *place) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    if (place) *place = now.tv_sec;
    return now.tv_sec;
}

int timespec_get(struct timespec *time, int base) {
    if (base != TIME_UTC) return 0;
    return clock_gettime(CLOCK_REALTIME, time) ? 0 : base;
}

// What waits for a moment of the day.

// The library's own. glibc has an older pthread_cond_timedwait on x86, for conditions of another form: so the version is named, where there is one.
static void *own(const char *name, const char *version) {
    void *found = version ? dlvsym(RTLD_NEXT, name, version) : NULL;
    return found ? found : dlsym(RTLD_NEXT, name);
}

#define OWN(function, version) \
    static _Atomic(__typeof__(&function)) found; \
    __typeof__(&function) call = atomic_load(&found); \
    if (!call) atomic_store(&found, call = (__typeof__(&function))own(#function, version))

// The moment by the kernel's clock.
static const struct timespec *put_right(const struct timespec *moment, struct timespec *place) {
    if (!moment) return NULL;
    *place = *moment;
    place->tv_sec -= offset();
    // One before 1970 is over, and no fault of whoever waits.
    if (place->tv_sec < 0) place->tv_sec = 0;
    return place;
}

// The clock that a condition was made for stands in it (glibc since 2.25).
static int is_monotonic(const pthread_cond_t *condition) { return (condition->__data.__wrefs & 2) != 0; }

int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict moment) {
    OWN(pthread_cond_timedwait, "GLIBC_2.3.2");
    struct timespec place;
    return call(condition, mutex, is_monotonic(condition) ? moment : put_right(moment, &place));
}

int pthread_cond_clockwait(
    pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, clockid_t clock, const struct timespec *restrict moment) {
    OWN(pthread_cond_clockwait, NULL);
    struct timespec place;
    return call(condition, mutex, clock, is_of_day(clock) ? put_right(moment, &place) : moment);
}

int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex, const struct timespec *restrict moment) {
    OWN(pthread_mutex_timedlock, NULL);
    struct timespec place;
    return call(mutex, put_right(moment, &place));
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict moment) {
    OWN(sem_timedwait, NULL);
    struct timespec place;
    return call(semaphore, put_right(moment, &place));
}

int sem_clockwait(sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict moment) {
    OWN(sem_clockwait, NULL);
    struct timespec place;
    return call(semaphore, clock, is_of_day(clock) ? put_right(moment, &place) : moment);
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *rest) {
    OWN(clock_nanosleep, NULL);
    struct timespec place;
    return call(clock, flags, is_of_day(clock) && (flags & TIMER_ABSTIME) ? put_right(time, &place) : time, rest);
}

// Timers by their descriptors, of which the kernel tells nobody quickly what clock they are by.
enum { MOST_DESCRIPTORS = 1 << 16 };
static _Atomic(unsigned char) timers_of_day[MOST_DESCRIPTORS];

int timerfd_create(int clock, int flags) {
    int timer = (int)syscall(SYS_timerfd_create, clock, flags);
    if (timer >= 0 && timer < MOST_DESCRIPTORS) {
        atomic_store(&timers_of_day[timer], clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_ALARM);
    }
    return timer;
}

int timerfd_settime(int timer, int flags, const struct itimerspec *time, struct itimerspec *former) {
    struct itimerspec place;
    int is_of_day = timer >= 0 && timer < MOST_DESCRIPTORS && atomic_load(&timers_of_day[timer]);
    // Of zeros it is the word to stop.
    if (time && is_of_day && (flags & TFD_TIMER_ABSTIME) && (time->it_value.tv_sec || time->it_value.tv_nsec)) {
        place = *time;
        put_right(&time->it_value, &place.it_value);
        if (!place.it_value.tv_sec && !place.it_value.tv_nsec) place.it_value.tv_nsec = 1;
        time = &place;
    }
    return (int)syscall(SYS_timerfd_settime, timer, flags, time, former);
}
