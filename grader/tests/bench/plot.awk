# In: lines of exercise, tile bytes, stages, ratio; sorted by exercise, stages, bytes. Out: an SVG with a
# panel for each exercise: the ratio over the tile's bytes, one line for each number of stages. The idea: no
# plotting program is needed for four small panels.
function x_of(bytes) { return left + (log(bytes / 1024) / log(2)) / 6 * wide }      # 1 KiB to 64 KiB
function y_of(ratio) { return top + (1.05 - (ratio < 0.8 ? 0.8 : ratio)) / 0.25 * high } # 0.80 to 1.05
function text(x, y, anchor, what) {
  printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, what
}
function legend(colour, y, what) {
  printf "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"2\"/>\n",
    left + 8, left + 24, y - 4, y - 4, colour
  text(left + 30, y, "start", what)
}
function end_line() {
  if (points == "") return
  printf "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n",
    points, colour[lines % 4]
  # The lines rise from left to right, so the upper left corner is free for the legend.
  if (stages > 1) legend(colour[lines % 4], top + 10 + 14 * lines, stages " stages")
  lines++
  points = ""
}
function begin_panel(number, ratio, bytes) {
  left = 60 + (number - 1) % 2 * 420
  top = 50 + int((number - 1) / 2) * 280
  text(left, top - 14, "start", title[number])
  for (ratio = 0.80; ratio < 1.051; ratio += 0.05) {
    printf "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n",
      left, left + wide, y_of(ratio), y_of(ratio), (ratio > 0.999 && ratio < 1.001 ? "#888" : "#ddd")
    text(left - 6, y_of(ratio) + 4, "end", sprintf("%.2f", ratio))
  }
  for (bytes = 1024; bytes <= 65536; bytes *= 2) text(x_of(bytes), top + high + 16, "middle", bytes / 1024)
  text(left + wide / 2, top + high + 32, "middle", "KiB in a tile")
  lines = 0
}
BEGIN {
  wide = 300; high = 190
  split("#1f6fb4 #c8501e #2c8a3e #7a4aa8", names, " ")
  for (i = 1; i <= 4; i++) colour[i - 1] = names[i]
  title[1] = "1-bulk-copy-1d"; title[2] = "2-tiles-2d"
  title[3] = "3-phase-reuse"; title[4] = "4-store-commit-groups"
  print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 860 600\" font-family=\"sans-serif\" font-size=\"11\">"
  print "<title>Bandwidth of the solutions of lab9 over tile size</title>"
  print "<style>rect{fill:#fff}text{fill:#111}"
  print "@media (prefers-color-scheme:dark){rect{fill:#14171a}text{fill:#dfe3e7}}</style>"
  print "<rect width=\"860\" height=\"600\"/>"
  text(60, 18, "start", "Bandwidth over the best of cudaMemcpy, cub and a plain kernel " \
    "(what is below 0.80 is drawn there)")
}
$1 != exercise || $3 != stages { end_line() }
$1 != exercise { begin_panel($1); exercise = $1 }
{
  stages = $3
  x = x_of($2); y = y_of($4)
  points = points sprintf("%.1f,%.1f ", x, y)
  printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", x, y, colour[lines % 4]
}
END { end_line(); print "</svg>" }
