// attack: 1-bulk-copy-1d
// tries: has the device load a hundred megabytes of PTX
// honest: yes
// expect: exit 1
// expect: says asks too much of the device
#include <cstring>
#include <string>
static void load(const std::string &ptx) {
  void *call = nullptr, *module = nullptr;
  cudaDriverEntryPointQueryResult found;
  cudaGetDriverEntryPointByVersion("cuModuleLoadData", &call, 12000, cudaEnableDefault, &found);
  if (call) reinterpret_cast<int (*)(void **, const void *)>(call)(&module, ptx.c_str());
}
static const std::string head = ".version 8.0\n.target sm_90\n.address_size 64\n";
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  static int launches;
  if (!launches++) load(head + ".visible .entry bomb() {" + std::string(100000000, '\n') + "ret; }");
  return honest_launch(data, count, stream);
}
