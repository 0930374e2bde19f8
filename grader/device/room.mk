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

# For tests alone: here a machine is too busy soon (tests/house/busy-machine-test.sh).
build/hurried/obj/%.o: grader/%.c build/setup.mk
	@mkdir -p $(@D)
	@$(call say,CC    $< (hurried))
	@$(CC) $(CFLAGS) $(CPPFLAGS) -DSANDBOX_BUSY_TIMES=2 $(DEPFLAGS) -c $< -o $@
build/hurried/bin/grader: build/obj/grader/cli/grader-main.o build/hurried/obj/device/virtual.o \
    build/hurried/obj/referee/patience.o build/lib/libreferee.a build/lib/libvhopper.a \
    | build/bin/virtual-device
	@$(call link)
	@cp build/bin/virtual-device $(@D)/

# For tests alone: here an exercise has little processor time (tests/house/allowance-test.sh).
build/thrifty/obj/%.o: grader/%.c build/setup.mk
	@mkdir -p $(@D)
	@$(call say,CC    $< (thrifty))
	@$(CC) $(CFLAGS) $(CPPFLAGS) -DTASK_DEADLINES=1 $(DEPFLAGS) -c $< -o $@
build/thrifty/bin/grader: build/obj/grader/cli/grader-main.o build/thrifty/obj/referee/task.o \
    build/lib/libreferee.a build/lib/libvhopper.a | build/bin/virtual-device
	@$(call link)
	@cp build/bin/virtual-device $(@D)/

# For tests alone: here the timed size is looked at without a GPU (tests/house/timed-size-test.sh).
build/timed/obj/%.o: grader/%.c build/setup.mk
	@mkdir -p $(@D)
	@$(call say,CC    $< (timed))
	@$(CC) $(CFLAGS) $(CPPFLAGS) -DTIMED_SIZE_WITHOUT_GPU='(96 << 20)' $(DEPFLAGS) -c $< -o $@
build/timed/bin/grader: build/obj/grader/cli/grader-main.o build/timed/obj/referee/pipeline.o \
    build/lib/libreferee.a build/lib/libvhopper.a | build/bin/virtual-device build/bin/unpack
	@$(call link)
	@cp build/bin/virtual-device build/bin/unpack $(@D)/

build/asan/bin/virtual-device: build/asan/obj/grader/device/virtual-device-main.o \
    build/asan/lib/libreferee.a build/asan/lib/libvhopper.a
	@$(call link,$(SANITIZE))
