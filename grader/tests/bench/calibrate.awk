# In: readings (`NAME VALUE UNIT`), then a chip file. Out: the chip file with what was read. A constant
# without a reading keeps its value and its source, and so does one that is FITTED: it was chosen by kernels,
# beside which a reading of the same thing alone would spoil every prediction. A comment says what was read.
function keep(constant, value) {
  if (value > 0) found[constant] = value
}
# Cycles to nanoseconds of the chip that was read.
function nanoseconds(cycles) { return mhz > 0 ? cycles * 1000 / mhz : 0 }
function number(value) { return value >= 100 ? sprintf("%.0f", value) : sprintf("%.3g", value) }
FNR == NR {
  value = $(NF - 1)
  name = $0
  sub(/ +[0-9.]+ [^ ]+$/, "", name)
  reading[name] = value
  next
}
FNR == 1 {
  mhz = reading["clock"]
  keep("clock_mhz", mhz)
  keep("processors", reading["processors"])
  keep("memory_gbs", peak = reading["memory"])
  keep("l2_mib", reading["l2 cache"])
  keep("l2_ns", nanoseconds(reading["chase l2"]))
  keep("l1_ns", nanoseconds(reading["chase l1"]))
  keep("dram_ns", nanoseconds(reading["chase dram"]))
  keep("store_read_ns", nanoseconds(reading["bulk store read 16"]))
  keep("barrier_cycles", reading["syncthreads 128"] - 8) # its four warps
  keep("fence_cycles", reading["proxy fence 128"])
  keep("wake_cycles", reading["mbarrier one way"])
  keep("block_start_ns", reading["empty block of 128 on a processor"])
  keep("atomic_ns", reading["one counter, 1 x 1000"])           # us of 1000 in a row
  keep("atomic_same_ns", reading["one counter, 1056 warps x 400"] / 1056 / 0.4)
  if (peak > 0) {
    keep("memcpy_share", reading["memcpy-0-0-0-0-0-0"] / peak)
    keep("write_share", reading["memset-0-0-0-0-0-0"] / peak)
    keep("read_share", reading["ring-read-49152-2-256-1-0-0"] / peak)
  }
}
/^CONSTANT\(/ && !/\)$/ { getline more; $0 = $0 more } # a source on a line of its own
match($0, /^FITTED\([a-z0-9_]+, /) {
  constant = substr($0, 8, RLENGTH - 9)
  if (constant in found)
    printf "// make calibrate read %s for the next one, which was fitted and stays:\n",
      number(found[constant])
}
match($0, /^CONSTANT\([a-z0-9_]+, /) {
  constant = substr($0, 10, RLENGTH - 11)
  if (constant in found) {
    rest = substr($0, RLENGTH + 1)
    split(rest, part, ", ")
    unit = part[2]
    printf "CONSTANT(%s, %s, %s, \"read by make calibrate\")\n", constant, number(found[constant]), unit
    next
  }
}
{ print }
