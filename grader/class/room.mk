# build/bin/unpack: the process that looks into a stranger's archive. It stands beside the grader that starts
# it.

GRADER_PARTS += build/bin/unpack
build/bin/unpack: build/obj/grader/class/unpack-main.o build/lib/libreferee.a build/lib/libvhopper.a
	@$(call link)
# For tests alone: what an "archive" asks for is done there (tests/planted).
build/planted/bin/unpack: build/planted/obj/class/unpack-main.o \
    build/planted/obj/tests/planted/planted-unpacker.o build/planted/obj/tests/planted/break-out.o \
    build/lib/libreferee.a build/lib/libvhopper.a
	@$(call link)

UNPACKING_TESTS := unpack-test unpacker-test class-test class-limits-test
$(UNPACKING_TESTS:%=build/tests/unit/%) $(UNPACKING_TESTS:%=build/asan/tests/unit/%): \
    | build/bin/unpack build/planted/bin/unpack
