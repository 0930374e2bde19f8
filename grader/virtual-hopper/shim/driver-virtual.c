// Virtual memory management: reserved addresses, physical memory, mappings. In: sizes, addresses, handles;
// out: CUresult numbers. One idea: a reservation is device memory from the start, and a mapping takes a part
// of it. What physical memory holds while it is mapped nowhere is kept beside. So the contents follow the
// handle, but an address that nothing is mapped to is not noticed, and no memory lies at two addresses.
#include "virtual-hopper/shim/driver.h"

#include <stdlib.h>

enum { GRANULARITY = 2 << 20 };

struct client_range { // a reservation
  struct client_range *next;
  uint64_t base, address, bytes; // base: of the device memory
};

struct client_physical { // the handle of CUDA is its address
  struct client_physical *next;
  uint64_t bytes;
  unsigned references;       // handles that the program has not released
  uint64_t address;          // where it is mapped; 0: nowhere
  uint64_t kept;             // what holds its contents while it is mapped nowhere; 0: nothing yet
  unsigned long long access; // of the mapping
  CUmemAllocationProp properties;
};

static struct client *lock(void) {
  struct client *client = client_state();
  pthread_mutex_lock(&client->handles_mutex);
  return client;
}

static CUresult unlock(int status) {
  pthread_mutex_unlock(&client_state()->handles_mutex);
  return driver_used(status);
}

static struct client_physical *find_physical(const struct client *client,
                                             CUmemGenericAllocationHandle handle) {
  struct client_physical *p = client->physical;
  while (p && (CUmemGenericAllocationHandle)(uintptr_t)p != handle)
    p = p->next;
  return p && p->references ? p : NULL;
}

// The memory that is mapped to this address; NULL: none.
static struct client_physical *mapped_at(const struct client *client, uint64_t address) {
  struct client_physical *p = client->physical;
  while (p && !(p->address && address >= p->address && address - p->address < p->bytes))
    p = p->next;
  return p;
}

static bool is_granular(uint64_t bytes) {
  return bytes && bytes % GRANULARITY == 0;
}

static bool is_known(const CUmemAllocationProp *p) {
  return p && p->type == CU_MEM_ALLOCATION_TYPE_PINNED && p->location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
         p->location.id == 0;
}

// ---- reservations -----------------------------------------------------------------------------------------

EXPORT CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *properties,
                                              CUmemAllocationGranularity_flags which) {
  (void)which; // the least one and the recommended one are the same
  if (!bytes || !properties) return CUDA_ERROR_INVALID_VALUE;
  *bytes = GRANULARITY;
  return driver_used(0);
}

// `wanted` is a hint.
EXPORT CUresult cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t alignment, CUdeviceptr wanted,
                                    unsigned long long flags) {
  (void)wanted;
  if (!address || !is_granular(bytes) || flags || (alignment & (alignment - 1)))
    return CUDA_ERROR_INVALID_VALUE;
  const uint64_t unit = alignment > GRANULARITY ? alignment : GRANULARITY;
  struct client_range *r = calloc(1, sizeof *r);
  uint64_t all;
  if (!r || __builtin_add_overflow(bytes, unit, &all)) return free(r), CUDA_ERROR_OUT_OF_MEMORY;
  const int status = client_allocate(&r->base, all, 0);
  if (status) return free(r), driver_used(status);
  r->address = (r->base + unit - 1) / unit * unit;
  r->bytes = bytes;
  struct client *client = lock();
  r->next = client->ranges;
  client->ranges = r;
  *address = r->address;
  return unlock(0);
}

EXPORT CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  struct client *client = lock();
  for (struct client_range **at = &client->ranges; *at; at = &(*at)->next) {
    struct client_range *r = *at;
    if (r->address != address || r->bytes != bytes) continue;
    for (const struct client_physical *p = client->physical; p; p = p->next)
      if (p->address >= r->address && p->address - r->address < r->bytes)
        return unlock(CUDA_ERROR_INVALID_VALUE); // something is mapped there
    *at = r->next;
    const int status = client_free(r->base, 0);
    free(r);
    return unlock(status);
  }
  return unlock(CUDA_ERROR_INVALID_VALUE);
}

// ---- physical memory --------------------------------------------------------------------------------------

EXPORT CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
                            const CUmemAllocationProp *properties, unsigned long long flags) {
  if (!handle || !properties || !is_granular(bytes) || flags) return CUDA_ERROR_INVALID_VALUE;
  if (!is_known(properties))
    return (CUresult)client_unsupported("cuMemCreate with memory that is not the device's own");
  struct client_physical *p = calloc(1, sizeof *p);
  if (!p) return CUDA_ERROR_OUT_OF_MEMORY;
  *p = (struct client_physical){.bytes = bytes, .references = 1, .properties = *properties};
  struct client *client = lock();
  p->next = client->physical;
  client->physical = p;
  *handle = (CUmemGenericAllocationHandle)(uintptr_t)p;
  return unlock(0);
}

// Ends memory that has no handle and no mapping.
static int end_physical(struct client *client, struct client_physical *p) {
  if (p->references || p->address) return 0;
  struct client_physical **at = &client->physical;
  while (*at != p)
    at = &(*at)->next;
  *at = p->next;
  const int status = p->kept ? client_free(p->kept, 0) : 0;
  free(p);
  return status;
}

EXPORT CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  struct client *client = lock();
  struct client_physical *p = find_physical(client, handle);
  if (!p) return unlock(CUDA_ERROR_INVALID_VALUE);
  p->references--;
  return unlock(end_physical(client, p));
}

EXPORT CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address) {
  struct client *client = lock();
  struct client_physical *p = mapped_at(client, (uint64_t)(uintptr_t)address);
  if (!handle || !p) return unlock(CUDA_ERROR_INVALID_VALUE);
  p->references++;
  *handle = (CUmemGenericAllocationHandle)(uintptr_t)p;
  return unlock(0);
}

EXPORT CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *properties,
                                                       CUmemGenericAllocationHandle handle) {
  const struct client_physical *p = find_physical(lock(), handle);
  if (!properties || !p) return unlock(CUDA_ERROR_INVALID_VALUE);
  *properties = p->properties;
  return unlock(0);
}

// ---- mappings ---------------------------------------------------------------------------------------------

static bool is_reserved(const struct client *client, uint64_t address, uint64_t bytes) {
  for (const struct client_range *r = client->ranges; r; r = r->next)
    if (address >= r->address && bytes <= r->bytes && address - r->address <= r->bytes - bytes) return true;
  return false;
}

static bool is_free(const struct client *client, uint64_t address, uint64_t bytes) {
  for (const struct client_physical *p = client->physical; p; p = p->next)
    if (p->address && address < p->address + p->bytes && p->address < address + bytes) return false;
  return true;
}

EXPORT CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                         CUmemGenericAllocationHandle handle, unsigned long long flags) {
  struct client *client = lock();
  struct client_physical *p = find_physical(client, handle);
  if (!p || offset || flags || bytes != p->bytes || address % GRANULARITY ||
      !is_reserved(client, address, bytes) || !is_free(client, address, bytes))
    return unlock(CUDA_ERROR_INVALID_VALUE);
  if (p->address) return unlock(client_unsupported("cuMemMap of memory that is mapped already"));
  int status = p->kept ? client_copy(address, bytes, p->kept, bytes, bytes, 1, 0) : 0;
  if (!status && p->kept) status = client_free(p->kept, 0);
  if (status) return unlock(status);
  p->kept = 0;
  p->address = address;
  p->access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  return unlock(0);
}

// The contents stay with the handle, if there is one.
static int unmap(struct client *client, struct client_physical *p) {
  int status = p->references ? client_allocate(&p->kept, p->bytes, 0) : 0;
  if (!status && p->references) status = client_copy(p->kept, p->bytes, p->address, p->bytes, p->bytes, 1, 0);
  p->address = 0;
  return status ? status : end_physical(client, p);
}

EXPORT CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
  struct client *client = lock();
  if (!is_granular(bytes)) return unlock(CUDA_ERROR_INVALID_VALUE);
  for (uint64_t at = address; at < address + bytes;) { // whole mappings, one behind the other
    const struct client_physical *p = mapped_at(client, at);
    if (!p || p->address != at || p->bytes > address + bytes - at) return unlock(CUDA_ERROR_INVALID_VALUE);
    at += p->bytes;
  }
  int status = 0;
  for (uint64_t at = address; at < address + bytes && !status;) {
    struct client_physical *p = mapped_at(client, at);
    at += p->bytes;
    status = unmap(client, p);
  }
  return unlock(status);
}

EXPORT CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *access,
                               size_t count) {
  struct client *client = lock();
  if (!access || !count || !is_granular(bytes)) return unlock(CUDA_ERROR_INVALID_VALUE);
  for (uint64_t at = address; at < address + bytes; at += GRANULARITY)
    if (!mapped_at(client, at)) return unlock(CUDA_ERROR_INVALID_VALUE);
  for (size_t i = 0; i < count; i++) {
    if (access[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || access[i].location.id)
      return unlock(CUDA_ERROR_INVALID_DEVICE);
    for (uint64_t at = address; at < address + bytes; at += GRANULARITY)
      mapped_at(client, at)->access = access[i].flags;
  }
  return unlock(0);
}

EXPORT CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location,
                               CUdeviceptr address) {
  const struct client_physical *p = mapped_at(lock(), address);
  if (!flags || !location || !p) return unlock(CUDA_ERROR_INVALID_VALUE);
  *flags = p->access;
  return unlock(0);
}
