# build/bin/virtual-device: the process in which the virtual Hopper runs while the referee judges. The grader
# that starts it looks for it in its own folder.

GRADER_PARTS += build/bin/virtual-device
build/bin/virtual-device: build/obj/grader/device/virtual-device-main.o \
    build/lib/libreferee.a build/lib/libvhopper.a
	@$(call link)
# For tests alone: in this build a message from the runner takes the device's process over (tests/planted).
build/planted/obj/%.o: grader/%.c build/setup.mk
	@mkdir -p $(@D)
	@$(call say,CC    $< (planted))
	@$(CC) $(CFLAGS) $(CPPFLAGS) -DVHOPPER_PLANTED_BUG $(DEPFLAGS) -c $< -o $@
build/planted/bin/virtual-device: build/obj/grader/device/virtual-device-main.o \
    build/planted/obj/virtual-hopper/server/operations.o \
    build/planted/obj/tests/planted/planted-bug.o build/planted/obj/tests/planted/break-out.o \
    build/lib/libreferee.a build/lib/libvhopper.a
	@$(call link)
build/planted/bin/grader: build/bin/grader build/planted/bin/virtual-device build/planted/bin/unpack
	@cp build/bin/grader $@

build/asan/bin/virtual-device: build/asan/obj/grader/device/virtual-device-main.o \
    build/asan/lib/libreferee.a build/asan/lib/libvhopper.a
	@$(call link,$(SANITIZE))
