/* How a client is told to ask: a line "COUNT PACE SECONDS" on standard input, as the Swift and the Python
   client understand it too. It asks COUNT questions, one each PACE milliseconds or one after the other,
   and begins none after SECONDS; 0 is for no such limit. It replies with a line of JSON: how long each
   took, CPU time and context switches of the process, its memory. It ends with its input. */
#ifndef ASKING_H
#define ASKING_H
#include "bench.h"
#include <sys/resource.h>

static inline long switches(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nvcsw + usage.ru_nivcsw;
}

static inline void sleep_until(uint64_t moment) {
  struct timespec t = {(time_t)(moment / 1000000000u), (long)(moment % 1000000000u)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL)) {}
}

static inline void serve_askings(void (*ask)(uint64_t number)) {
  static uint64_t number;
  unsigned long count, pace, seconds;
  printf("ready\n");
  fflush(stdout);
  while (scanf("%lu %lu %lu", &count, &pace, &seconds) == 3) {
    size_t room = count ? count : 1024, n = 0;
    uint64_t *took = must(malloc(room * sizeof *took), "malloc");
    uint64_t start = now_ns(), cpu = cpu_ns();
    long switched = switches();
    while ((!count || n < count) && (!seconds || now_ns() - start < seconds * 1000000000ull)) {
      if (pace) sleep_until(start + n * pace * 1000000ull);
      if (n == room) took = must(realloc(took, (room *= 2) * sizeof *took), "realloc");
      uint64_t begin = now_ns();
      ask(++number);
      took[n++] = now_ns() - begin;
    }
    uint64_t wall = now_ns() - start;
    printf("{\"wall_ns\":%llu,\"cpu_ns\":%llu,\"switches\":%ld,\"rss_kb\":%ld,\"latencies_ns\":[",
           (unsigned long long)wall, (unsigned long long)(cpu_ns() - cpu), switches() - switched,
           peak_rss_kb());
    for (size_t i = 0; i < n; i++) printf(i ? ",%llu" : "%llu", (unsigned long long)took[i]);
    printf("]}\n");
    fflush(stdout);
    free(took);
  }
}
#endif
