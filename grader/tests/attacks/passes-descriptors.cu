// attack: 1-bulk-copy-1d
// tries: passes descriptors by the hundred to the grader and to the device, so that they run out of them
// expect: exit 1
// expect: says meddles with the grader's connection
#include "lab9.h"
#include <cstring>
#include <sys/socket.h>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *, size_t, cudaStream_t) {
  enum { AT_ONCE = 16 };
  int all[AT_ONCE];
  for (int &one : all)
    one = 1;
  for (int i = 0; i < 200; i++) {
    char room[CMSG_SPACE(sizeof all)] = {}, bytes[64] = {};
    iovec part = {bytes, sizeof bytes};
    msghdr message = {};
    message.msg_iov = &part, message.msg_iovlen = 1;
    message.msg_control = room, message.msg_controllen = sizeof room;
    cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET, header->cmsg_type = SCM_RIGHTS, header->cmsg_len = CMSG_LEN(sizeof all);
    memcpy(CMSG_DATA(header), all, sizeof all);
    sendmsg(3 + i % 2, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  return cudaSuccess;
}
