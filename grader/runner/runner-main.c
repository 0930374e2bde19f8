// The program around a student's object. In: requests on the control socket. Out: launches, and an answer to
// each request. The idea: as little code as possible, since the student's code can reach all of it; the
// verdict is made elsewhere.
#include "monotonic.h"
#include "runner/protocol.h"
#include "runner/runner.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static const double AWAKE_SECONDS = 0.5; // far longer than the referee takes between two timed requests

// Polls for a message instead of sleeping, since waking up would be part of the timed span; sleeps after
// AWAKE_SECONDS.
static ssize_t receive_awake(struct msghdr *message) {
  double until = monotonic_seconds() + AWAKE_SECONDS;
  ssize_t got = -1;
  do {
    got = recvmsg(RUNNER_CONTROL, message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  } while (got < 0 && (errno == EAGAIN || errno == EINTR) && monotonic_seconds() < until);
  return got >= 0 || errno != EAGAIN ? got : recvmsg(RUNNER_CONTROL, message, MSG_CMSG_CLOEXEC);
}

// Returns 1 with a request (and a descriptor, or -1), 0 if the referee has closed the socket, -1 if the
// message is no request.
static int receive(struct runner_request *request, int *descriptor, bool awake) {
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int))];
  } control;
  struct iovec part = {request, sizeof *request};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  ssize_t got = awake ? receive_awake(&message) : -1;
  while (got < 0 && (got = recvmsg(RUNNER_CONTROL, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
  }
  *descriptor = -1;
  struct cmsghdr *header = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
  if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
    memcpy(descriptor, CMSG_DATA(header), sizeof *descriptor);
  if (got == 0) return 0;
  if (got == (ssize_t)sizeof *request && request->version == RUNNER_VERSION) return 1;
  fprintf(stderr, "runner: %zd bytes are no request (%s)\n", got, got < 0 ? strerror(errno) : "no error");
  return -1;
}

static bool answer_timed(enum runner_stage stage, cudaError_t error, const char *text, double seconds,
                         size_t persisting) {
  struct runner_reply reply = {.version = RUNNER_VERSION,
                               .stage = stage,
                               .error = (int32_t)error,
                               .device_seconds = seconds,
                               .persisting_bytes = persisting};
  if (error != cudaSuccess) {
    snprintf(reply.text, sizeof reply.text, "%s: %s", cudaGetErrorName(error), cudaGetErrorString(error));
  } else if (text) {
    snprintf(reply.text, sizeof reply.text, "%s", text);
  }
  if (send(RUNNER_CONTROL, &reply, sizeof reply, MSG_NOSIGNAL) == (ssize_t)sizeof reply) return true;
  fprintf(stderr, "runner: an answer could not be sent (%s)\n", strerror(errno));
  return false;
}

static bool answer(enum runner_stage stage, cudaError_t error, const char *text) {
  return answer_timed(stage, error, text, 0, 0);
}

static cudaError_t launch_all(const struct runner_request *request, char *base, cudaStream_t stream) {
  void *buffers[DEVICE_MAX_BUFFERS];
  cudaError_t error = cudaSuccess;
  for (uint32_t i = 0; i < request->launches && error == cudaSuccess; i++) {
    for (int k = 0; k < DEVICE_MAX_BUFFERS; k++)
      buffers[k] = (void *)((uintptr_t)base + request->buffers[k] + i * request->strides[k]);
    error = adapter_launch(buffers, request->scalars, stream);
    // A launcher may not have asked for launch errors. Later, the error would look like another call's.
    if (error == cudaSuccess) error = cudaPeekAtLastError();
  }
  return error;
}

// Recorded before and after the launches: the caller's buffers are handed over and taken back in `stream`.
// So the virtual Hopper sees whether the submission works there. Fails after a reset of the device, say.
static void record_mark(cudaEvent_t mark, cudaStream_t stream) {
  if (cudaEventRecord(mark, stream) != cudaSuccess) (void)cudaGetLastError();
}

static bool run(const struct runner_request *request, char *base, cudaStream_t stream, cudaEvent_t mark) {
  cudaEvent_t events[2] = {NULL, NULL};
  bool timed = request->flags & RUNNER_TIMED;
  cudaError_t error = cudaSuccess;
  for (int i = 0; timed && i < 2 && error == cudaSuccess; i++)
    error = cudaEventCreate(&events[i]);
  if (timed && error == cudaSuccess) error = cudaEventRecord(events[0], stream);
  if (!timed) record_mark(mark, stream);
  if (error == cudaSuccess) error = launch_all(request, base, stream);
  if (error != cudaSuccess) return answer(RUNNER_LAUNCHED, error, NULL);
  if (!timed) record_mark(mark, stream);
  if (timed) cudaEventRecord(events[1], stream);
  // Waits for all streams, so that kernels in a stream of the launcher's own end, too, and their errors are
  // seen.
  error = cudaDeviceSynchronize();
  fflush(NULL);
  float milliseconds = 0;
  if (timed && error == cudaSuccess) error = cudaEventElapsedTime(&milliseconds, events[0], events[1]);
  size_t persisting = 0;
  if (timed) cudaDeviceGetLimit(&persisting, cudaLimitPersistingL2CacheSize);
  bool answered = answer_timed(RUNNER_SYNCHRONISED, error, NULL, milliseconds * 1e-3, persisting);
  for (int i = 0; timed && i < 2; i++)
    cudaEventDestroy(events[i]);
  return answered;
}

int main(void) {
  char text[RUNNER_TEXT] = "", *base = NULL;
  cudaStream_t stream;
  cudaEvent_t mark;
  cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  if (error == cudaSuccess) error = cudaEventCreateWithFlags(&mark, cudaEventDisableTiming);
  if (error != cudaSuccess) return answer(RUNNER_SET_UP_FAILED, error, NULL) ? 0 : 1;
  bool connected = answer(RUNNER_READY, cudaSuccess, NULL);
  struct runner_request request;
  bool awake = false;
  int received = 0;
  for (int descriptor; connected && (received = receive(&request, &descriptor, awake)) == 1;) {
    awake = request.flags & RUNNER_TIMED;
    if (request.operation == RUNNER_RUN) {
      connected = run(&request, base, stream, mark);
    } else if (request.operation == RUNNER_ATTACH) {
      base = runner_map(descriptor, request.attached_bytes, text, sizeof text);
      connected = answer(base ? RUNNER_READY : RUNNER_SET_UP_FAILED, cudaSuccess, text);
    }
    if (descriptor >= 0) close(descriptor);
  }
  return connected && received == 0 ? 0 : 1; // the referee closes the socket after its last request
}
