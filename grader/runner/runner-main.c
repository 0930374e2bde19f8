// The program around a student's object. In: requests on the control socket. Out: launches, and one answer each.
// The idea: as little as can be, since all of it is in the student's reach; the verdict is made elsewhere.
#include "runner/protocol.h"
#include "runner/runner.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

// Returns 1 with a request (and a descriptor, or -1), 0 when the referee has gone.
static int receive(struct runner_request *request, int *descriptor) {
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int))];
  } control;
  struct iovec part = {request, sizeof *request};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  ssize_t got;
  while ((got = recvmsg(RUNNER_CONTROL, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
  }
  *descriptor = -1;
  struct cmsghdr *header = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
  if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
    memcpy(descriptor, CMSG_DATA(header), sizeof *descriptor);
  return got == (ssize_t)sizeof *request && request->version == RUNNER_VERSION;
}

static bool answer(enum runner_stage stage, cudaError_t error, const char *text) {
  struct runner_reply reply = {.version = RUNNER_VERSION, .stage = stage, .error = (int32_t)error};
  if (error != cudaSuccess) {
    snprintf(reply.text, sizeof reply.text, "%s: %s", cudaGetErrorName(error), cudaGetErrorString(error));
  } else if (text) {
    snprintf(reply.text, sizeof reply.text, "%s", text);
  }
  return send(RUNNER_CONTROL, &reply, sizeof reply, MSG_NOSIGNAL) == (ssize_t)sizeof reply;
}

static bool run(const struct runner_request *request, char *base, cudaStream_t stream) {
  void *buffers[RUNNER_MAX_BUFFERS];
  for (int i = 0; i < RUNNER_MAX_BUFFERS; i++)
    buffers[i] = (void *)((uintptr_t)base + request->buffers[i]);
  cudaError_t error = cudaSuccess;
  for (uint32_t i = 0; i < request->launches && error == cudaSuccess; i++) {
    error = adapter_launch(buffers, request->scalars, stream);
    // A launcher that forgot to ask: the error would otherwise turn up later and look like someone else's.
    if (error == cudaSuccess) error = cudaPeekAtLastError();
  }
  if (error != cudaSuccess) return answer(RUNNER_LAUNCHED, error, NULL);
  // All streams: a launcher that used another one is caught here, and its kernel's errors too.
  error = cudaDeviceSynchronize();
  fflush(NULL);
  return answer(RUNNER_SYNCHRONISED, error, NULL);
}

int main(void) {
  char text[RUNNER_TEXT] = "", *base = NULL;
  cudaStream_t stream;
  cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  if (error != cudaSuccess) return answer(RUNNER_SET_UP_FAILED, error, NULL) ? 0 : 1;
  bool connected = answer(RUNNER_READY, cudaSuccess, NULL);
  struct runner_request request;
  for (int descriptor; connected && receive(&request, &descriptor) == 1;) {
    if (request.operation == RUNNER_RUN) {
      connected = run(&request, base, stream);
    } else if (request.operation == RUNNER_ATTACH) {
      base = runner_map(descriptor, request.attached_bytes, text, sizeof text);
      connected = answer(base ? RUNNER_READY : RUNNER_SET_UP_FAILED, cudaSuccess, text);
    }
    if (descriptor >= 0) close(descriptor);
  }
  return 0;
}
