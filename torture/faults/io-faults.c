// Preloaded before the C library, it makes the Nth call on a file of one folder fail, once or from then on. It is
// controlled through a file that both processes map, so that faults can be switched on and off while the process runs.
// The counters in that file say how many calls were made and how many failed.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

struct orders {
  int64_t nth;    // the call that fails, counted from 1; 0 switches faults off
  int64_t error;  // the errno it fails with
  int64_t onward; // 1: all calls after it fail too
  int64_t syncs;  // 1: only flushes count
  int64_t calls;
  int64_t fired;
};

static struct orders *orders;
static const char *folder;

__attribute__((constructor)) static void open_orders(void) {
  const char *file = getenv("IO_FAULTS");
  folder = getenv("IO_FAULTS_FOLDER");
  if (!file || !folder) return;
  int fd = open(file, O_RDWR | O_CLOEXEC);
  void *map = mmap(NULL, sizeof *orders, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (map != MAP_FAILED) orders = map;
}

static int decide(void) {
  int64_t call = __atomic_add_fetch(&orders->calls, 1, __ATOMIC_SEQ_CST);
  int fails = orders->onward ? call >= orders->nth : call == orders->nth;
  if (!fails) return 0;
  __atomic_add_fetch(&orders->fired, 1, __ATOMIC_SEQ_CST);
  errno = (int)orders->error;
  return 1;
}

static int fails_at(const char *path, int is_sync) {
  if (!orders || orders->nth == 0 || (orders->syncs && !is_sync)) return 0;
  return strncmp(path, folder, strlen(folder)) == 0 && decide();
}

static int fails(int fd, int is_sync) {
  if (!orders || orders->nth == 0 || (orders->syncs && !is_sync)) return 0;
  char link[64], path[512];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return fails_at(path, is_sync);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define GUARD(type, name, is_sync, signature, arguments) \
  type name signature {                                   \
    static __typeof__(&name) real;                        \
    if (!real) real = REAL(name);                         \
    return fails(fd, is_sync) ? -1 : real arguments;      \
  }

GUARD(ssize_t, write, 0, (int fd, const void *b, size_t n), (fd, b, n))
GUARD(ssize_t, pwrite, 0, (int fd, const void *b, size_t n, off_t o), (fd, b, n, o))
GUARD(ssize_t, pwrite64, 0, (int fd, const void *b, size_t n, off64_t o), (fd, b, n, o))
GUARD(ssize_t, read, 0, (int fd, void *b, size_t n), (fd, b, n))
GUARD(ssize_t, pread, 0, (int fd, void *b, size_t n, off_t o), (fd, b, n, o))
GUARD(ssize_t, pread64, 0, (int fd, void *b, size_t n, off64_t o), (fd, b, n, o))
GUARD(int, ftruncate, 0, (int fd, off_t n), (fd, n))
GUARD(int, ftruncate64, 0, (int fd, off64_t n), (fd, n))
GUARD(int, fsync, 1, (int fd), (fd))
GUARD(int, fdatasync, 1, (int fd), (fd))

static int takes_mode(int flags) {
  return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
}

#define OPEN(name)                                        \
  int name(const char *path, int flags, ...) {            \
    va_list rest;                                         \
    va_start(rest, flags);                                \
    int mode = takes_mode(flags) ? va_arg(rest, int) : 0; \
    va_end(rest);                                         \
    return fails_at(path, 0) ? -1 : REAL(name)(path, flags, mode); \
  }

OPEN(open)
OPEN(open64)
