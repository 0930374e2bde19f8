// attack: 1-bulk-copy-1d
// tries: nothing: an honest submission whose work is a graph with a call of the host, and which polls
// honest: yes
// expect: exit 0
// expect: says The exercise passes
// expect: silent about sandbox
static int seen;
static void look(void *) {
  seen++;
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  cudaStream_t s;
  cudaGraph_t g;
  cudaGraphExec_t x;
  cudaEvent_t a;
  cudaError_t e = cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  if (e) return e;
  cudaEventCreate(&a);
  cudaEventRecord(a, stream);
  cudaStreamWaitEvent(s, a, 0);
  e = cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  if (e) return e;
  e = honest_launch(data, count, s);
  if (e) return e;
  e = cudaLaunchHostFunc(s, look, 0);
  if (e) return e;
  e = cudaStreamEndCapture(s, &g);
  if (e) return e;
  e = cudaGraphInstantiate(&x, g, 0);
  if (e) return e;
  e = cudaGraphLaunch(x, s);
  if (e) return e;
  while ((e = cudaStreamQuery(s)) == cudaErrorNotReady) {
  }
  if (e) return e;
  cudaGraphExecDestroy(x);
  cudaGraphDestroy(g);
  cudaEventDestroy(a);
  return cudaStreamDestroy(s);
}
