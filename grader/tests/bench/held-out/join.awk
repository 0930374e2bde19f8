# In: two files of lines "KERNEL RATIO": predicted, then measured. Out: a line for each kernel of both, and a
# summary: mean and largest error, how many are beyond 12 %, the rank correlation (Spearman's), and how often
# the model is right about whether a kernel reaches 0.93, of those that are not within 2 % of it.
# ranks[i] of values[1..n]; equal ones share the mean rank
function rank(values, ranks,    i, k, below, same) {
  for (i = 1; i <= n; i++) {
    below = same = 0
    for (k = 1; k <= n; k++)
      if (values[k] < values[i]) below++
      else if (values[k] == values[i]) same++
    ranks[i] = below + (same + 1) / 2
  }
}
function correlation(    i, mean, xy, xx, yy) {
  rank(predicted, predicted_rank)
  rank(measured, measured_rank)
  mean = (n + 1) / 2
  for (i = 1; i <= n; i++) {
    xy += (predicted_rank[i] - mean) * (measured_rank[i] - mean)
    xx += (predicted_rank[i] - mean) ^ 2
    yy += (measured_rank[i] - mean) ^ 2
  }
  return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0
}
/^#/ { next }
FNR == NR { was[$1] = $2; next }
$1 in was {
  n++
  predicted[n] = was[$1]
  measured[n] = $2
  off = 100 * (was[$1] / $2 - 1)
  printf "| %s | %.3f | %.3f | %+.1f %% |\n", $1, was[$1], $2, off
  size = off < 0 ? -off : off
  sum += size
  over += size > 12
  if (size > worst) worst = size
  if ($2 > 0.93 * 1.02 || $2 < 0.93 * 0.98) {
    clear++
    right += (was[$1] >= 0.93) == ($2 >= 0.93)
  }
}
END {
  if (!n) exit 1
  printf "%d kernels, mean error %.1f %%, worst %.1f %%, %d beyond 12 %%, rank correlation %.2f, " \
    "target told right %d of %d\n", n, sum / n, worst, over, correlation(), right, clear
}
