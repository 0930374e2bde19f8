# In: the table of docs/measurements/predictions.md (chip, kernel, predicted, measured, off).
# Out: an SVG of itself, light and dark: a point for each kernel, predicted over measured; where a prediction
# is more than 30 % off, the kernel's name. The idea: the picture comes from the published table, so the two
# agree.
function x_of(ratio) { return 70 + (ratio - LOW) / (HIGH - LOW) * SIZE }
function y_of(ratio) { return 40 + (HIGH - ratio) / (HIGH - LOW) * SIZE }
function ratio_at(y) { return HIGH - (y - 40) / SIZE * (HIGH - LOW) }
function text(x, y, anchor, what) {
  printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, what
}
function line(kind, x1, y1, x2, y2) {
  printf "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", kind, x1, y1, x2, y2
}
function mark(i,    x, y) {
  x = x_of(measured[i])
  y = y_of(predicted[i])
  if (chip[i] == "h100")
    printf "<circle class=\"h100\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"", x, y
  else
    printf "<rect class=\"h200\" x=\"%.1f\" y=\"%.1f\" width=\"7\" height=\"7\"", x - 3.5, y - 3.5
  printf "><title>%s %s: predicted %.3f, measured %.3f</title></%s>\n", toupper(chip[i]), kernel[i],
    predicted[i], measured[i], chip[i] == "h100" ? "circle" : "rect"
}
# Does the name of point i, at height y, lie on the point k?
function covers(i, y, above, k,    far, up) {
  far = (above ? -1 : 1) * (x_of(measured[k]) - x_of(measured[i]))
  up = y - 4 - y_of(predicted[k])
  return far > 4 && far < 12 + 7 * length(kernel[i]) && up < 11 && up > -11
}
BEGIN { FS = " *[|] *"; LOW = 0; HIGH = 1.1; SIZE = 520 }
/^\| H[12]00 \| [a-z0-9-]+ \| [0-9.]+ \| [0-9.]+ \| [-+]/ {
  n++
  of = tolower($2)
  chip[n] = of
  kernel[n] = $3
  predicted[n] = $4
  measured[n] = $5
  off[n] = $6 + 0
  size = off[n] < 0 ? -off[n] : off[n]
  sum[of] += size
  count[of]++
  if (size > worst[of]) {
    worst[of] = size
    name[of] = $3
  }
}
END {
  words = sprintf("Predicted over measured ratio to cudaMemcpy. H100: %d kernels, mean error %.1f %%, " \
    "most %.1f %% (%s). H200: %d kernels, mean error %.1f %%, most %.1f %% (%s).", count["h100"],
    sum["h100"] / count["h100"], worst["h100"], name["h100"], count["h200"], sum["h200"] / count["h200"],
    worst["h200"], name["h200"])
  print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 620 640\" role=\"img\" " \
    "aria-labelledby=\"scatter-title scatter-words\" font-family=\"sans-serif\" font-size=\"12\">"
  print "<title id=\"scatter-title\">How far the time model's predictions are off</title>"
  printf "<desc id=\"scatter-words\">%s</desc>\n", words
  print "<style>.paper{fill:#fff}text{fill:#111}.same{stroke:#555}.off{stroke:#999;" \
    "stroke-dasharray:5 4}.h100{fill:#1f6fb4}.h200{fill:#c8501e}"
  print "@media (prefers-color-scheme:dark){.paper{fill:#14171a}text{fill:#dfe3e7}" \
    ".same{stroke:#aaa}.off{stroke:#777}.h100{fill:#5fa8e6}.h200{fill:#f08a5a}}</style>"
  print "<rect class=\"paper\" width=\"620\" height=\"640\"/>"
  for (ratio = 0.2; ratio < HIGH; ratio += 0.1) {
    line("same", x_of(ratio), 40 + SIZE, x_of(ratio), 46 + SIZE)
    line("same", 64, y_of(ratio), 70, y_of(ratio))
    text(x_of(ratio), 40 + SIZE + 18, "middle", sprintf("%.1f", ratio))
    text(58, y_of(ratio) + 4, "end", sprintf("%.1f", ratio))
  }
  line("same", 70, 40, 70, 40 + SIZE)
  line("same", 70, 40 + SIZE, 70 + SIZE, 40 + SIZE)
  line("same", x_of(LOW), y_of(LOW), x_of(HIGH), y_of(HIGH))
  line("off", x_of(LOW), y_of(LOW * 1.12), x_of(HIGH / 1.12), y_of(HIGH))
  line("off", x_of(LOW / 0.88), y_of(LOW), x_of(HIGH), y_of(HIGH * 0.88))
  text(x_of(0.40), y_of(0.47), "end", "12 % too fast")
  text(x_of(0.50), y_of(0.38), "start", "12 % too slow")
  text(70 + SIZE / 2, 40 + SIZE + 40, "middle", "measured ratio to cudaMemcpy")
  text(70, 24, "start", "predicted ratio")
  print "<circle class=\"h100\" cx=\"420\" cy=\"20\" r=\"4\"/>"
  text(430, 24, "start", "H100")
  print "<rect class=\"h200\" x=\"490\" y=\"16.5\" width=\"7\" height=\"7\"/>"
  text(503, 24, "start", "H200")
  for (i = 1; i <= n; i++) mark(i)
  # The misses, by name; beside the point, on the side that is away from the diagonal.
  for (i = 1; i <= n; i++) {
    if (off[i] < 30 && off[i] > -30) continue
    above = off[i] > 0
    y = y_of(predicted[i]) + 4
    for (k = 1; k <= n; k++)
      if (k < i && k in taken && taken[k] - y < 12 && y - taken[k] < 12 && side[k] == above) {
        y = taken[k] + (above ? -13 : 13)
        k = 0 # past the names that it meets there
      } else if (k != i && covers(i, y, above, k)) {
        y += above ? -13 : 13
        k = 0
      }
    taken[i] = y
    side[i] = above
    x = x_of(measured[i])
    # Behind the dashed line, if the name would cross it.
    if (above && x > x_of(ratio_at(y + 4) / 1.12)) x = x_of(ratio_at(y + 4) / 1.12)
    if (!above && x < x_of(ratio_at(y - 12) / 0.88)) x = x_of(ratio_at(y - 12) / 0.88)
    # Inside the picture; no name where it would cross a line on both sides.
    wide = 8 + 7 * length(kernel[i])
    if (above && x - wide < 74) {
      if (x + wide < x_of(ratio_at(y + 4) / 1.12)) text(x + 8, y, "start", kernel[i])
    } else if (!above && x > 430)
      text(612, y + 12, "end", kernel[i])
    else
      text(x + (above ? -8 : 8), y, above ? "end" : "start", kernel[i])
  }
  print "</svg>"
}
