# Figure "links": traffic over time on the busiest links; a row per link, a column per strategy.
#
# Before this file the terminal, the output and these are set:
#   width, height        of the figure in pixels
#   title, note          what was simulated, and what is drawn
#   across, down         size of a panel, in pixels
#   left, top, aside, gap  room before the first panel and above it, between columns and above each row, in pixels
#   x_label, y_label     labels of the axes
#   link[]               names of the rows, with the bandwidth
#   strategy[], number[] of each column, its strategy's name and its number among all
#   x_to, x_ticks, x_words  end of the x axis, its ticks and what they are called, as lists of words
#   y_to[], y_ticks[], y_words[]  the same of each row's y axis
#   bandwidth[]          of each row; NaN: it has none, or one far above all traffic
#   remark[]             of each panel, columns fastest: what is written in it
#   $traffic             a block per panel, columns fastest: an outline of time and rate, from zero back to zero

# Colours of Okabe and Ito, safe for the colour-blind; each panel holds one of them.
array colour[8] = [0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0xE69F00, 0x56B4E9, 0x000000, 0x8C7A00]
colour_of(i) = colour[int(i - 1) % |colour| + 1]
ink = '#303030'
pale = '#606060'

set style line 100 lc rgb '#D8D8D8' lw 0.75 dt 1
set tics nomirror out scale 0.6 tc rgb ink
set border 3 lc rgb pale lw 0.75
set grid xtics ytics ls 100
unset key
set style fill transparent solid 0.35 noborder
set label 1 title at screen 16.0 / width, 1 - 20.0 / height left font ',16' tc rgb 'black'
set label 2 note at screen 16.0 / width, 1 - 42.0 / height left font ',13' tc rgb pale

rows = |link|
top_of(r) = top + (r - 1) * (down + gap) + gap

set xrange [0:x_to]
set multiplot
do for [r = 1:rows] {
    set yrange [0:y_to[r]]
    do for [c = 1:|strategy|] {
        panel = (r - 1) * |strategy| + c
        set lmargin at screen (left + (c - 1) * (across + aside)) / width
        set rmargin at screen (left + (c - 1) * (across + aside) + across) / width
        set tmargin at screen 1 - top_of(r) / height
        set bmargin at screen 1 - (top_of(r) + down) / height
        if (r == 1) { set label 3 strategy[c] at graph 0.5, screen 1 - 76.0 / height center tc rgb ink }
        if (c == 1) { set label 4 link[r] at graph 0, screen 1 - (top_of(r) - 11) / height left font ',13' tc rgb ink }
        if (r == rows) { set label 5 x_label at graph 0.5, screen 18.0 / height center tc rgb ink }
        if (panel == 1) { set label 6 y_label at screen 18.0 / width, screen 1 - (top + 0.5 * (height - top - 60)) / height center rotate by 90 tc rgb ink }
        set label 7 remark[panel] at graph 0.015, graph 0.9 left font ',11' tc rgb pale front
        set xtics ()
        set ytics ()
        do for [i = 1:words(x_ticks)] { set xtics add (r == rows ? word(x_words, i) : '' word(x_ticks, i) + 0) }
        do for [i = 1:words(y_ticks[r])] { set ytics add (c == 1 ? word(y_words[r], i) : '' word(y_ticks[r], i) + 0) }
        plot $traffic index (panel - 1) using 1:2 with filledcurves closed fc rgb colour_of(number[c]), \
             $traffic index (panel - 1) using 1:2 with lines lw 0.75 lc rgb colour_of(number[c]), \
             (bandwidth[r]) with lines lw 1.2 dt 2 lc rgb ink
        unset label 1
        unset label 2
        unset label 3
        unset label 4
        unset label 5
        unset label 6
    }
}
unset multiplot
