#!/bin/sh
# Smooths a noisy sine by a moving window, and prints the mean squared error: the objective may be
# any executable. It gets `--window N --decay D --shape S` as arguments (and the same as a JSON
# object on stdin), and its last line is the number to minimise.
#
# What to expect: an error of 0.00698 near a flat window of 6 with decay 0.3, and nearly as good ones
# with a triangle of 8; the worst is 0.041. The run takes seconds.
while [ $# -gt 1 ]; do
  case "$1" in
    --window) window=$2 ;;
    --decay) decay=$2 ;;
    --shape) shape=$2 ;;
  esac
  shift 2
done
echo "window $window, decay $decay, $shape"
awk -v w="$window" -v decay="$decay" -v shape="$shape" 'BEGIN {
  random = 7  # a generator of our own: every awk has another one
  for (i = 1; i <= 400; i++) {
    random = (random * 16807) % 2147483647
    truth[i] = sin(i / 12); seen[i] = truth[i] + 0.8 * (random / 2147483647 - 0.5)
  }
  for (i = 1; i <= 400; i++) {
    sum = weights = 0
    for (j = i - w; j <= i + w; j++) if (j >= 1 && j <= 400) {
      gap = j > i ? j - i : i - j
      weight = decay ^ (gap / 10) * (shape == "triangle" ? 1 - gap / (w + 1) : 1)
      sum += weight * seen[j]; weights += weight
    }
    error += (sum / weights - truth[i]) ^ 2
  }
  printf "%.10f\n", error / 400
}'
