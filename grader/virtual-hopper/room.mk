# What the two runtimes differ in, and what the driver's replacement takes from the device's rooms.
build/lib/libcudart.so.13: build/pic/$(SHIM)/runtime-13/properties.o build/pic/$(SHIM)/runtime-13/batch.o
build/lib/libcudart.so.12: build/pic/$(SHIM)/runtime-12/properties.o build/pic/$(SHIM)/runtime-12/batch.o
build/lib/libcuda.so.1: build/pic/grader/virtual-hopper/base/tensor-map.o
build/lib/libcudart.so.12: build/pic/$(SHIM)/runtime-12/compatibility.o build/pic/$(SHIM)/runtime-12/graph.o

# A program that is linked with the driver itself: by name it is the same library on a GPU.
build/tests/programs/driver-api build/tests/programs/driver-copies \
  build/tests/programs/batched-copies: | build/lib/libcuda.so.1
