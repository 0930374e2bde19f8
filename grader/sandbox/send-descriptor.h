// A message over a Unix socket that may carry a descriptor. The kernel counts the descriptors on their way of
// all processes of a user, and refuses more (ETOOMANYREFS): others' can be in the way for a moment, so the
// sender waits, and its caller says for how long.
#ifndef SANDBOX_SEND_DESCRIPTOR_H
#define SANDBOX_SEND_DESCRIPTOR_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

enum { SEND_DESCRIPTOR_TRIES = 20000 }; // a millisecond each

// descriptor -1: none. Returns false, with errno, unless all bytes were sent at once; ETOOMANYREFS: that may
// be others' doing.
static inline bool send_with_descriptor(int socket, void *bytes, size_t size, int descriptor,
                                        int most_tries) {
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int))];
  } control = {.space = {0}};
  struct iovec part = {bytes, size};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (descriptor >= 0) {
    message.msg_control = &control;
    message.msg_controllen = sizeof control;
    control.header = (struct cmsghdr){
        .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof descriptor)};
    memcpy(CMSG_DATA(&control.header), &descriptor, sizeof descriptor);
  }
  ssize_t sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  for (int tries = 0; sent < 0 && errno == ETOOMANYREFS && tries < most_tries; tries++) {
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  }
  return sent == (ssize_t)size;
}

#endif
