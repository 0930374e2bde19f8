// What a program can do instead of a call that is not supported. In: the call's name. Out: a sentence. Names
// that begin alike have one line; runtime and driver share it.
#include <string.h>

#include "virtual-hopper/shim/client.h"

static const struct {
  const char *part; // of the name
  const char *instead;
} remedies[] = {
    {"Ipc", "Let one process do all the work: here memory and events belong to one."},
    {"External", "Keep the data in memory of CUDA's own: nothing else shares memory or semaphores here."},
    {"PrefetchBatch", "Call cudaMemPrefetchAsync for each part."},
    {"Discard", "Leave the call out: it is a hint."},
    {"Memcpy3DPeer", "There is one device: call cudaMemcpy3DAsync."},
    {"Multicast", "There is one device, which no multicast object can span: leave that path out."},
    {"DevResource", "This device isn't divided: use the primary context, and streams of it."},
    {"DevSmResource", "This device isn't divided: use the primary context, and streams of it."},
    {"GreenCtx", "This device isn't divided: use the primary context, and streams of it."},
    {"GraphDebugDotPrint", "Ask for the nodes and edges: cudaGraphGetNodes, cudaGraphGetEdges."},
    {"UserObject", "Free the resource yourself, when the graph has been destroyed."},
    {"EGL", "There are no graphics here: copy the data by way of the host."},
    {"GL", "There are no graphics here: copy the data by way of the host."},
    {"VDPAU", "There are no graphics here: copy the data by way of the host."},
};

const char *client_instead(const char *what) {
  for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++)
    if (strstr(what, remedies[i].part)) return remedies[i].instead;
  return "";
}
