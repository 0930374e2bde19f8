// A CUDA driver without a GPU: as many devices as FAKE_GPUS names, "NAME:MAJOR;NAME:MAJOR;..", for what asks
// a driver which GPUs there are. Built by gpus-test.sh.
#include <cuda.h>
#include <stdlib.h>
#include <string.h>

// The text of the device of this number, "NAME:MAJOR;..", or NULL.
static const char *entry(int number) {
  const char *text = getenv("FAKE_GPUS");
  while (text && *text && number-- > 0) {
    text = strchr(text, ';');
    if (text) text++;
  }
  return text && *text ? text : NULL;
}

CUresult cuInit(unsigned flags) {
  (void)flags;
  return getenv("FAKE_BROKEN") ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count) {
  for (*count = 0; entry(*count);)
    ++*count;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int number) {
  *device = number;
  return entry(number) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device) {
  const char *text = entry(device);
  size_t length = strcspn(text, ":");
  if (length >= (size_t)size) length = (size_t)size - 1;
  memcpy(name, text, length);
  name[length] = '\0';
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  *value =
      attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? atoi(strchr(entry(device), ':') + 1) : 0;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
  memset(uuid, device + 1, sizeof *uuid);
  return CUDA_SUCCESS;
}

// Replaces every other call (gpus-test.sh says which). A program that only lists GPUs makes none of them.
CUresult fake_call(void) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
