# Figure "sensitivity": what a metric becomes when one of the scenario's numbers is lower or higher, a panel per strategy.
#
# Before this file the terminal, the output and these are set:
#   width, height        of the figure in pixels
#   title, note          what was simulated, and how often
#   metric               label of the metric's axis, with its unit
#   metric_format        of its ticks
#   panel[]              titles of the panels, with the metric's value at the base
#   base[]               that value
#   low[], high[], step[]    the ends of each panel's axis, and the distance of its ticks
#   rows_of[]            number of rows of each panel; most_rows: of the one with most
#   name[]               of the rows, most_rows for each panel: the field and its value at the base
#   columns              of panels
#   across, down         of one, in pixels; label: room for the names at its left
#   top, aside, gap      room above, between columns and between rows of panels
#   $sides               two blocks per panel, lower and higher values: the middle of a half row, where its bar ends, the
#                        interval there (NaN: none), where its text begins, 1 if that is left of the bar, and the text

# Dark and light blocks are told apart in grey, and by every kind of sight.
lower = '#0072B2'
higher = '#F0C35A'
ink = '#303030'
pale = '#606060'

set style line 100 lc rgb '#D8D8D8' lw 0.75 dt 1
set tics nomirror out scale 0.6 tc rgb ink
set border 1 lc rgb pale lw 0.75
set label 1 title at screen 16.0 / width, 1 - 20.0 / height left font ',16' tc rgb 'black'
set label 2 note at screen 16.0 / width, 1 - 42.0 / height left font ',13' tc rgb pale
set yrange [most_rows + 0.62:0.38]
set grid xtics ls 100
set bars 0.35
set format x metric_format
set key horizontal at screen 16.0 / width, 1 - 62.0 / height left center Left reverse samplen 1.6 width 2 tc rgb ink
bottom_of(row) = height - top - row * (down + gap) - down
set multiplot
do for [p = 1:|panel|] {
    column = (p - 1) % columns
    row = (p - 1) / columns
    left = label + column * (label + across + aside)
    set lmargin at screen left / width
    set rmargin at screen (left + across) / width
    set tmargin at screen 1 - (top + row * (down + gap)) / height
    set bmargin at screen bottom_of(row) / height
    set label 3 panel[p] at screen (left - label + 16.0) / width, screen (bottom_of(row) + down + 14.0) / height left font ',13' tc rgb ink
    set label 4 metric at graph 0.5, screen (bottom_of(row) - 42.0) / height center tc rgb ink
    set xrange [low[p]:high[p]]
    set xtics step[p]
    set ytics (name[(p - 1) * most_rows + 1] 1) scale 0
    do for [i = 2:int(rows_of[p])] { set ytics add (name[(p - 1) * most_rows + i] i) }
    set arrow 1 from base[p], graph 0 to base[p], graph 1 nohead lc rgb 'black' lw 1 front
    plot $sides index (2 * p - 2) using (0.5 * (base[p] + $2)):1:(0.5 * abs($2 - base[p])):(0.2) with boxxyerror \
             fs solid noborder lc rgb lower title (p == 1 ? 'lower value' : ''), \
         $sides index (2 * p - 1) using (0.5 * (base[p] + $2)):1:(0.5 * abs($2 - base[p])):(0.2) with boxxyerror \
             fs solid noborder lc rgb higher title (p == 1 ? 'higher value' : ''), \
         for [s = 2 * p - 2:2 * p - 1] $sides index s using 2:1:3:4 with xerrorbars pt -1 lw 1 lc rgb 'black' notitle, \
         for [s = 2 * p - 2:2 * p - 1] $sides index s using 5:1:($6 == 1 ? strcol(7) : '') with labels right \
             offset char -0.6, 0 font ',11' tc rgb ink notitle, \
         for [s = 2 * p - 2:2 * p - 1] $sides index s using 5:1:($6 == 0 ? strcol(7) : '') with labels left \
             offset char 0.6, 0 font ',11' tc rgb ink notitle
    unset label 1
    unset label 2
}
unset multiplot
