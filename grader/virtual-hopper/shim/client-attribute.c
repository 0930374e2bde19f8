// Attributes of launches. In: the runtime's, or the driver's, which are the same. Out: a launch, the
// events that it records, CUDA errors.
#include "virtual-hopper/shim/client-attribute.h"

#include "virtual-hopper/shim/client-graph.h"

static int record(void *event, void *stream) {
  const int status = client_capture_refuses(stream, "an event of a launch");
  return status ? status : client_event_record(event, stream, false);
}

// Hints, and attributes that order streams, need no work here: every grid ends before the next grid begins.
int client_launch_attribute(struct protocol_launch *launch, const cudaLaunchAttribute *attribute,
                            void *stream) {
  switch (attribute->id) {
  case cudaLaunchAttributeClusterDimension:
    launch->cluster[0] = attribute->val.clusterDim.x;
    launch->cluster[1] = attribute->val.clusterDim.y;
    launch->cluster[2] = attribute->val.clusterDim.z;
    return 0;
  case cudaLaunchAttributeCooperative: launch->cooperative = attribute->val.cooperative != 0; return 0;
  case cudaLaunchAttributeProgrammaticEvent: return record(attribute->val.programmaticEvent.event, stream);
  case cudaLaunchAttributeLaunchCompletionEvent:
    return record(attribute->val.launchCompletionEvent.event, stream);
  case cudaLaunchAttributeProgrammaticStreamSerialization:
    launch->programmatic = attribute->val.programmaticStreamSerializationAllowed != 0;
    return 0;
  case cudaLaunchAttributeIgnore:
  case cudaLaunchAttributeAccessPolicyWindow:
  case cudaLaunchAttributeSynchronizationPolicy:
  case cudaLaunchAttributeClusterSchedulingPolicyPreference:
  case cudaLaunchAttributePriority:
  case cudaLaunchAttributeMemSyncDomainMap:
  case cudaLaunchAttributeMemSyncDomain:
  case cudaLaunchAttributePreferredClusterDimension:
  case cudaLaunchAttributePreferredSharedMemoryCarveout:
  case cudaLaunchAttributeNvlinkUtilCentricScheduling: return 0;
  default: return client_unsupported("launch attribute %d", (int)attribute->id);
  }
}

void client_launch_event(const cudaLaunchAttribute *attribute, void *stream) {
  cudaEvent_t event = NULL;
  if (attribute->id == cudaLaunchAttributeProgrammaticEvent) event = attribute->val.programmaticEvent.event;
  if (attribute->id == cudaLaunchAttributeLaunchCompletionEvent)
    event = attribute->val.launchCompletionEvent.event;
  if (event) client_order(PROTOCOL_ORDER_RECORD, client_in(stream), (uint64_t)(uintptr_t)event, 0);
}
