# In: constants (chip, name, value), then times (chip, kernel, measured ratio, origin, us, steady us). Out: a
# line for each kernel, and for each chip the mean and the largest error, the rank correlation (Spearman's),
# and how often the model is right about whether a kernel reaches the target of 0.93.
function long_ratio(chip, kernel, us, steady,    times, both, mine, copy) {
  times = 2048 / mib
  both = 2 * mib * 1048576 * times / 1000
  mine = kernel ~ /(^|-)read|lab9-3|floor-3/ ? both / 2 : both
  copy = constant[chip, "launch_us"] + both / constant[chip, "memory_gbs"] / constant[chip, "memcpy_share"]
  return mine / (us + (times - 1) * steady) / (both / copy)
}
# ranks[chip, i] of values[chip, 1..count]; equal ones share the mean rank
function rank(chip, values, ranks,    i, k, below, same) {
  for (i = 1; i <= count[chip]; i++) {
    below = same = 0
    for (k = 1; k <= count[chip]; k++)
      if (values[chip, k] < values[chip, i]) below++
      else if (values[chip, k] == values[chip, i]) same++
    ranks[chip, i] = below + (same + 1) / 2
  }
}
function correlation(chip,    i, mean, xy, xx, yy, x, y) {
  rank(chip, predicted, predicted_rank)
  rank(chip, measured, measured_rank)
  mean = (count[chip] + 1) / 2
  for (i = 1; i <= count[chip]; i++) {
    x = predicted_rank[chip, i] - mean
    y = measured_rank[chip, i] - mean
    xy += x * y
    xx += x * x
    yy += y * y
  }
  return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0
}
NF == 3 { constant[$1, $2] = $3; next }
{
  ratio = sprintf("%.3f", long_ratio($1, $2, $5, $6)) + 0 # as it is printed
  off = 100 * (ratio / $3 - 1)
  printf "%-5s %-30s %6.3f %6.3f %+6.1f %% %s %s\n", $1, $2, ratio, $3, off, $4, $7
  if ($7 == "*") next # it calibrated the model
  i = ++count[$1]
  predicted[$1, i] = ratio
  measured[$1, i] = $3
  size = off < 0 ? -off : off
  sum[$1] += size
  if (size > worst[$1]) worst[$1] = size
  over[$1] += size > 12
  if ($3 > 0.93 * 1.02 || $3 < 0.93 * 0.98) {
    clear[$1]++
    right[$1] += (ratio >= 0.93) == ($3 >= 0.93)
  }
}
END {
  for (chip in count)
    printf "%s: %d kernels, mean error %.1f %%, worst %.1f %%, %d above 12 %%, rank correlation %.2f, " \
      "target told right %d of %d\n", chip, count[chip], sum[chip] / count[chip], worst[chip], over[chip],
      correlation(chip), right[chip], clear[chip]
}
