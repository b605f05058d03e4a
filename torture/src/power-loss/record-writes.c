// Records what a process writes, in one order: every change of a file or a folder below THROUGHLINE_TRACED_FOLDER, every
// sync, and every byte that leaves the process through a TCP connection. It is loaded into an unchanged server with
// LD_PRELOAD. read-trace.ts reads the file THROUGHLINE_TRACE, to which all processes of a workload append.
//
// A mutex is held while an operation and its record are made. So the order of the records is the order of the operations.
// Only syncs run outside of it: they have one record when they begin and one when they have ended.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum type { CREATE = 1, MKDIR, RENAME, UNLINK, RMDIR, LINK, WRITE, RESIZE, SYNC_BEGIN, SYNC_END, SEND, UNSEEN };

// Little endian, as all machines that this runs on. Two texts follow.
struct header {
  uint32_t type, first_length, second_length, port;
  uint64_t inode, number;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char root[PATH_MAX];
static size_t root_length;
static int trace = -1;
static uint64_t last_sync;

// The next definition of a function is the one of libc.
#define NEXT(name) ({ static __typeof__(&name) next; if (next == NULL) next = dlsym(RTLD_NEXT, #name); next; })

__attribute__((constructor)) static void begin(void) {
  const char *folder = getenv("THROUGHLINE_TRACED_FOLDER"), *file = getenv("THROUGHLINE_TRACE");
  if (folder == NULL || file == NULL || realpath(folder, root) == NULL) return;
  root_length = strlen(root);
  trace = NEXT(open)(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

static void lock(void) { pthread_mutex_lock(&mutex); }

// Keeps the error of the operation for its caller.
static void unlock(void) {
  int error = errno;
  pthread_mutex_unlock(&mutex);
  errno = error;
}

static void record(struct header header, const void *first, const void *second) {
  int error = errno;
  struct iovec parts[] = {
      {&header, sizeof header},
      {(void *)first, header.first_length},
      {(void *)second, header.second_length},
  };
  ssize_t length = sizeof header + header.first_length + header.second_length;
  // A trace with a gap would blame the server for what was not recorded.
  if (NEXT(writev)(trace, parts, 3) != length) abort();
  errno = error;
}

// Whether a file is below the folder. `found` gets what it is.
static int is_traced(int file, struct stat *found) {
  if (trace < 0 || fstat(file, found) != 0 || !(S_ISREG(found->st_mode) || S_ISDIR(found->st_mode))) return 0;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  return length >= (ssize_t)root_length && memcmp(path, root, root_length) == 0 &&
         (length == (ssize_t)root_length || path[root_length] == '/');
}

// Returns the path below the folder without links and dots in it; NULL when it leads elsewhere.
static const char *below(int folder, const char *path, char *result) {
  if (trace < 0) return NULL;
  int error = errno;
  char whole[PATH_MAX], parent[PATH_MAX];
  if (path[0] == '/' || folder == AT_FDCWD) snprintf(whole, sizeof whole, "%s", path);
  else snprintf(whole, sizeof whole, "/proc/self/fd/%d/%s", folder, path);
  for (size_t length = strlen(whole); length > 1 && whole[length - 1] == '/'; length -= 1) whole[length - 1] = 0;
  char *slash = strrchr(whole, '/');
  const char *name = slash == NULL ? whole : slash + 1;
  if (slash != NULL) *slash = 0;
  const char *real = realpath(slash == NULL ? "." : slash == whole ? "/" : whole, parent);
  errno = error;
  if (real == NULL || strncmp(parent, root, root_length) != 0) return NULL;
  if (parent[root_length] != 0 && parent[root_length] != '/') return NULL;
  snprintf(result, PATH_MAX, "%s%s%s", parent + root_length, "/", name);
  return result;
}

static void record_names(enum type type, uint64_t inode, const char *first, const char *second) {
  struct header header = {type, strlen(first), second == NULL ? 0 : strlen(second), 0, inode, 0};
  record(header, first, second == NULL ? "" : second);
}

static void record_size(enum type type, uint64_t inode, uint64_t number) {
  record((struct header){type, 0, 0, 0, inode, number}, "", "");
}

static uint64_t inode_at(int folder, const char *path) {
  struct stat found;
  return fstatat(folder, path, &found, AT_SYMLINK_NOFOLLOW) == 0 ? found.st_ino : 0;
}

// ---- names

typedef int openat_function(int, const char *, int, ...);

static int open_recorded(openat_function *call, int folder, const char *path, int flags, mode_t mode) {
  char name[PATH_MAX];
  if (!(flags & (O_CREAT | O_TRUNC)) || below(folder, path, name) == NULL) return call(folder, path, flags, mode);
  lock();
  int existed = inode_at(folder, path) != 0;
  int file = call(folder, path, flags, mode);
  struct stat found;
  if (file >= 0 && fstat(file, &found) == 0 && S_ISREG(found.st_mode)) {
    if (!existed) record_names(CREATE, found.st_ino, name, NULL);
    else if (flags & O_TRUNC) record_size(RESIZE, found.st_ino, 0);
  }
  unlock();
  return file;
}

#define MODE_OF(flags) ({ \
  mode_t mode = 0; \
  va_list rest; \
  va_start(rest, flags); \
  if (flags & O_CREAT) mode = va_arg(rest, mode_t); \
  va_end(rest); \
  mode; \
})

int open(const char *path, int flags, ...) {
  return open_recorded(NEXT(openat), AT_FDCWD, path, flags, MODE_OF(flags));
}
int open64(const char *path, int flags, ...) {
  return open_recorded(NEXT(openat64), AT_FDCWD, path, flags, MODE_OF(flags));
}
int openat(int folder, const char *path, int flags, ...) {
  return open_recorded(NEXT(openat), folder, path, flags, MODE_OF(flags));
}
int openat64(int folder, const char *path, int flags, ...) {
  return open_recorded(NEXT(openat64), folder, path, flags, MODE_OF(flags));
}
int creat(const char *path, mode_t mode) {
  return open_recorded(NEXT(openat), AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

int mkdirat(int folder, const char *path, mode_t mode) {
  char name[PATH_MAX];
  if (below(folder, path, name) == NULL) return NEXT(mkdirat)(folder, path, mode);
  lock();
  int result = NEXT(mkdirat)(folder, path, mode);
  if (result == 0) record_names(MKDIR, inode_at(folder, path), name, NULL);
  unlock();
  return result;
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

int unlinkat(int folder, const char *path, int flags) {
  char name[PATH_MAX];
  if (below(folder, path, name) == NULL) return NEXT(unlinkat)(folder, path, flags);
  lock();
  int result = NEXT(unlinkat)(folder, path, flags);
  if (result == 0) record_names(flags & AT_REMOVEDIR ? RMDIR : UNLINK, 0, name, NULL);
  unlock();
  return result;
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char *path) {
  struct stat found;
  return unlinkat(AT_FDCWD, path, lstat(path, &found) == 0 && S_ISDIR(found.st_mode) ? AT_REMOVEDIR : 0);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  char name[PATH_MAX], other[PATH_MAX];
  const char *old = below(from_folder, from, name), *new = below(to_folder, to, other);
  if (old == NULL && new == NULL) return NEXT(renameat2)(from_folder, from, to_folder, to, flags);
  lock();
  int result = NEXT(renameat2)(from_folder, from, to_folder, to, flags);
  // Something came from outside, or left: nobody has recorded its contents.
  enum type type = old != NULL && new != NULL && flags == 0 ? RENAME : UNSEEN;
  if (result == 0) record_names(type, 0, old == NULL ? "" : old, new == NULL ? "" : new);
  unlock();
  return result;
}
int renameat(int from_folder, const char *from, int to_folder, const char *to) {
  return renameat2(from_folder, from, to_folder, to, 0);
}
int rename(const char *from, const char *to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
  char name[PATH_MAX];
  if (below(to_folder, to, name) == NULL) return NEXT(linkat)(from_folder, from, to_folder, to, flags);
  lock();
  int result = NEXT(linkat)(from_folder, from, to_folder, to, flags);
  if (result == 0) record_names(LINK, inode_at(to_folder, to), name, NULL);
  unlock();
  return result;
}
int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

// ---- contents

static void record_parts(struct header header, const struct iovec *parts, size_t length) {
  char *bytes = malloc(length);
  if (bytes == NULL) abort();
  size_t filled = 0;
  for (; filled < length; parts += 1) {
    size_t count = parts->iov_len < length - filled ? parts->iov_len : length - filled;
    memcpy(bytes + filled, parts->iov_base, count);
    filled += count;
  }
  header.first_length = length;
  record(header, bytes, "");
  free(bytes);
}

// Returns the port at the other end of a TCP connection; 0 for everything else.
static uint32_t port_of(int socket) {
  struct stat found;
  if (trace < 0 || fstat(socket, &found) != 0 || !S_ISSOCK(found.st_mode)) return 0;
  struct sockaddr_storage address;
  socklen_t length = sizeof address;
  int error = errno;
  int result = getpeername(socket, (struct sockaddr *)&address, &length);
  errno = error;
  if (result != 0) return 0;
  if (address.ss_family == AF_INET) return ntohs(((struct sockaddr_in *)&address)->sin_port);
  return address.ss_family == AF_INET6 ? ntohs(((struct sockaddr_in6 *)&address)->sin6_port) : 0;
}

// `offset` is negative when the file knows where it is written.
#define WRITTEN(call, file, parts, offset) ({ \
  struct stat found; \
  uint32_t port = port_of(file); \
  int is_file = port == 0 && is_traced(file, &found); \
  ssize_t count; \
  if (port == 0 && !is_file) count = (call); \
  else { \
    lock(); \
    count = (call); \
    if (count > 0 && port != 0) record_parts((struct header){SEND, 0, 0, port, 0, 0}, parts, count); \
    if (count > 0 && is_file) { \
      off_t at = (offset) < 0 ? lseek(file, 0, SEEK_CUR) - count : (offset); \
      record_parts((struct header){WRITE, 0, 0, 0, found.st_ino, at}, parts, count); \
    } \
    unlock(); \
  } \
  count; \
})
#define ONE(bytes, length) (&(struct iovec){(void *)(bytes), length})

ssize_t write(int file, const void *bytes, size_t length) {
  return WRITTEN(NEXT(write)(file, bytes, length), file, ONE(bytes, length), -1);
}
ssize_t writev(int file, const struct iovec *parts, int count_of) {
  return WRITTEN(NEXT(writev)(file, parts, count_of), file, parts, -1);
}
ssize_t pwrite(int file, const void *bytes, size_t length, off_t at_) {
  return WRITTEN(NEXT(pwrite)(file, bytes, length, at_), file, ONE(bytes, length), at_);
}
ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t at_) {
  return WRITTEN(NEXT(pwrite64)(file, bytes, length, at_), file, ONE(bytes, length), at_);
}
ssize_t pwritev(int file, const struct iovec *parts, int count_of, off_t at_) {
  return WRITTEN(NEXT(pwritev)(file, parts, count_of, at_), file, parts, at_);
}
ssize_t pwritev64(int file, const struct iovec *parts, int count_of, off64_t at_) {
  return WRITTEN(NEXT(pwritev64)(file, parts, count_of, at_), file, parts, at_);
}
ssize_t pwritev2(int file, const struct iovec *parts, int count_of, off_t at_, int flags) {
  return WRITTEN(NEXT(pwritev2)(file, parts, count_of, at_, flags), file, parts, at_);
}
ssize_t pwritev64v2(int file, const struct iovec *parts, int count_of, off64_t at_, int flags) {
  return WRITTEN(NEXT(pwritev64v2)(file, parts, count_of, at_, flags), file, parts, at_);
}
ssize_t send(int file, const void *bytes, size_t length, int flags) {
  return WRITTEN(NEXT(send)(file, bytes, length, flags), file, ONE(bytes, length), -1);
}
ssize_t sendto(int file, const void *bytes, size_t length, int flags, const struct sockaddr *to, socklen_t size) {
  return WRITTEN(NEXT(sendto)(file, bytes, length, flags, to, size), file, ONE(bytes, length), -1);
}
ssize_t sendmsg(int file, const struct msghdr *message, int flags) {
  return WRITTEN(NEXT(sendmsg)(file, message, flags), file, message->msg_iov, -1);
}

static void record_current_size(int file) {
  struct stat found;
  if (is_traced(file, &found)) record_size(RESIZE, found.st_ino, found.st_size);
}

#define RESIZED(call, file, is_done) ({ \
  lock(); \
  int result = (call); \
  if (is_done) record_current_size(file); \
  unlock(); \
  result; \
})
int ftruncate(int file, off_t size) {
  return RESIZED(NEXT(ftruncate)(file, size), file, result == 0);
}
int ftruncate64(int file, off64_t size) {
  return RESIZED(NEXT(ftruncate64)(file, size), file, result == 0);
}
int posix_fallocate(int file, off_t at, off_t size) {
  return RESIZED(NEXT(posix_fallocate)(file, at, size), file, result == 0);
}
int posix_fallocate64(int file, off64_t at, off64_t size) {
  return RESIZED(NEXT(posix_fallocate64)(file, at, size), file, result == 0);
}

// ---- copies that the kernel makes: what has come is read again

static void record_copied(int file, off_t at, size_t length) {
  struct stat found;
  if (length == 0 || !is_traced(file, &found)) return;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  int reader = NEXT(open)(link, O_RDONLY | O_CLOEXEC);
  char *bytes = malloc(length);
  if (reader < 0 || bytes == NULL || pread(reader, bytes, length, at) != (ssize_t)length) abort();
  record((struct header){WRITE, length, 0, 0, found.st_ino, at}, bytes, "");
  free(bytes);
  close(reader);
}

ssize_t sendfile(int to, int from, off_t *at, size_t length) {
  lock();
  ssize_t count = NEXT(sendfile)(to, from, at, length);
  if (count > 0) record_copied(to, lseek(to, 0, SEEK_CUR) - count, count);
  unlock();
  return count;
}
ssize_t sendfile64(int to, int from, off64_t *at, size_t length) {
  return sendfile(to, from, at, length);
}

long syscall(long number, ...) {
  long words[6];
  va_list rest;
  va_start(rest, number);
  for (int index = 0; index < 6; index += 1) words[index] = va_arg(rest, long);
  va_end(rest);
#define CALL NEXT(syscall)(number, words[0], words[1], words[2], words[3], words[4], words[5])
  if (number != SYS_copy_file_range) return CALL;
  lock();
  long count = CALL;
  off64_t *to = (off64_t *)words[3];
  if (count > 0) record_copied(words[2], (to == NULL ? lseek(words[2], 0, SEEK_CUR) : *to) - count, count);
  unlock();
  return count;
}
ssize_t copy_file_range(int from, off64_t *at, int to, off64_t *to_at, size_t length, unsigned flags) {
  return syscall(SYS_copy_file_range, (long)from, (long)at, (long)to, (long)to_at, (long)length, (long)flags);
}

int ioctl(int file, unsigned long request, ...) {
  va_list rest;
  va_start(rest, request);
  void *word = va_arg(rest, void *);
  va_end(rest);
  if (request != FICLONE) return NEXT(ioctl)(file, request, word);
  lock();
  int result = NEXT(ioctl)(file, request, word);
  struct stat found;
  if (result == 0 && fstat(file, &found) == 0) record_copied(file, 0, found.st_size);
  unlock();
  return result;
}

// Nobody sees what is written to memory.
static void refuse_memory(int file, int protection, int flags) {
  struct stat found;
  if (file < 0 || !(protection & PROT_WRITE) || !(flags & MAP_SHARED) || !is_traced(file, &found)) return;
  lock();
  record_names(UNSEEN, found.st_ino, "mmap", NULL);
  unlock();
}
void *mmap(void *where, size_t length, int protection, int flags, int file, off_t at) {
  refuse_memory(file, protection, flags);
  return NEXT(mmap)(where, length, protection, flags, file, at);
}
void *mmap64(void *where, size_t length, int protection, int flags, int file, off64_t at) {
  refuse_memory(file, protection, flags);
  return NEXT(mmap64)(where, length, protection, flags, file, at);
}

// ---- syncs

static int synced(int (*call)(int), int file) {
  struct stat found;
  if (!is_traced(file, &found)) return call(file);
  lock();
  // The process id tells the syncs of several processes apart.
  uint64_t number = ((uint64_t)getpid() << 32) + (last_sync += 1);
  record_size(SYNC_BEGIN, found.st_ino, number);
  // Between the write and the sync: the next process finds what nobody has made safe.
  const char *order = getenv("THROUGHLINE_KILL_AT_SYNC");
  if (order != NULL && access(order, F_OK) == 0) kill(getpid(), SIGKILL);
  unlock();
  int result = call(file);
  lock();
  if (result == 0) record_size(SYNC_END, found.st_ino, number);
  unlock();
  return result;
}
int fsync(int file) { return synced(NEXT(fsync), file); }
int fdatasync(int file) { return synced(NEXT(fdatasync), file); }
