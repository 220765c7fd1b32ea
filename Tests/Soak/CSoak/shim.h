#include <malloc.h>
#include <sys/types.h>

// In Swift the function's name is that of its result's type, too.
static inline size_t soak_heap_in_use(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

// Its declaration hides behind _GNU_SOURCE.
extern pid_t gettid(void);

static inline pid_t soak_thread(void) {
    return gettid();
}
