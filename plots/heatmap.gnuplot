# Figure "heatmap": a metric over two axes of a sweep, a panel per strategy.
#
# Before this file the terminal, the output and these are set:
#   width, height        of the figure in pixels
#   title, note          what was simulated, and how often
#   metric               label of the colour bar, with the metric's unit
#   metric_format        of its ticks
#   low, high            values at its ends
#   texts                1: there is room for the values in the cells
#   x_label, y_label     labels of the axes, which reach from 0 to 1
#   x_labels[], y_labels[], x_places[], y_places[]    of their values, and where they lie
#   panel[]              names of the panels; a single one is empty
#   columns, rows        of panels; across, down: of one, in pixels
#   left, top, aside, gap, legend    room around and between them, in pixels
#   $cells               a block per panel: left, right, bottom and top end of a cell, value, value as a text
#   $blanks              the same of cells without a value

# The colour map cividis: its lightness grows evenly, for every kind of sight and in grey.
set palette defined (0 '#00224E', 0.125 '#123570', 0.25 '#3B496C', 0.375 '#575D6D', 0.5 '#707173', \
                     0.625 '#8A8678', 0.75 '#A59C74', 0.875 '#C3B369', 1 '#FEE838')
share(v) = (v - low) / (high - low)
ink = '#303030'
pale = '#606060'

set tics nomirror out scale 0.4 tc rgb ink
set border 3 lc rgb pale lw 0.75
set label 1 title at screen 16.0 / width, 1 - 20.0 / height left font ',16' tc rgb 'black'
set label 2 note at screen 16.0 / width, 1 - 42.0 / height left font ',13' tc rgb pale
set xrange [0:1]
set yrange [0:1]
set cbrange [low:high]
set cbtics format metric_format scale 0.4
set colorbox vertical user origin screen (width - legend + 16.0) / width, screen 1 - (top + down) / height \
    size screen 16.0 / width, screen down / height
bottom_of(row) = height - top - row * (down + gap) - down
unset key
set multiplot
do for [p = 1:|panel|] {
    column = (p - 1) % columns
    row = (p - 1) / columns
    set lmargin at screen (left + column * (across + aside)) / width
    set rmargin at screen (left + column * (across + aside) + across) / width
    set tmargin at screen 1 - (top + row * (down + gap)) / height
    set bmargin at screen bottom_of(row) / height
    if (|panel| > 1) { set label 3 panel[p] at graph 0.5, 1 center offset char 0, 0.6 font ',13' tc rgb ink }
    if (p == 1) { set label 5 metric at screen 1 - 14.0 / width, screen 1 - (top + down / 2.0) / height center rotate by 90 tc rgb ink }
    if (column == 0) { set label 6 y_label at screen 20.0 / width, graph 0.5 center rotate by 90 tc rgb ink }
    set xtics (x_labels[1] x_places[1])
    set ytics ((column == 0 ? y_labels[1] : '') y_places[1])
    do for [i = 2:|x_labels|] { set xtics add (x_labels[i] x_places[i]) }
    do for [i = 2:|y_labels|] { set ytics add ((column == 0 ? y_labels[i] : '') y_places[i]) }
    if (p + columns > |panel|) { set label 4 x_label at graph 0.5, screen (bottom_of(row) - 50) / height center tc rgb ink }
    plot $blanks index (p - 1) using (0.5 * ($1 + $2)):(0.5 * ($3 + $4)):1:2:3:4 with boxxyerror \
             fs pattern 4 border lc rgb '#9A9A9A' lc rgb '#9A9A9A' lw 0.5, \
         $cells index (p - 1) using (0.5 * ($1 + $2)):(0.5 * ($3 + $4)):1:2:3:4:5 with boxxyerror \
             fs solid noborder lc palette z, \
         $cells index (p - 1) using (0.5 * ($1 + $2)):(0.5 * ($3 + $4)):(texts && share($5) < 0.5 ? strcol(6) : '') \
             with labels center tc rgb 'white', \
         $cells index (p - 1) using (0.5 * ($1 + $2)):(0.5 * ($3 + $4)):(texts && share($5) >= 0.5 ? strcol(6) : '') \
             with labels center tc rgb 'black'
    unset label 1
    unset label 2
    unset label 4
    unset label 5
    unset label 6
    unset colorbox
}
unset multiplot
