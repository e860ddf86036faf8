# Figure "overlap": how long a GPU's kernels take over their blocks; a column per GPU, a curve per mode.
#
# Before this file the terminal, the output and these are set:
#   width, height        of the figure in pixels
#   title, note          what was simulated, and what is drawn
#   across, down         size of a panel, in pixels
#   left, top, bottom, aside, gap  room before the first panel, above and below, between columns and above each row
#   legend               room for the legend at the right, in pixels
#   x_label, y_label     labels of the axes
#   x_from, x_to, y_from, y_to  of the axes
#   y_ticks, y_words     the y axis's ticks and what they are called, as lists of words
#   gpu[], row[]         names of the columns and of the rows; may be empty
#   strategy[]           names of the curves
#   bound_name           of the bound; empty: there is none
#   $times               a block per panel and curve, curves fastest and the bound's last: blocks along a side, value

# Colours of Okabe and Ito, safe for the colour-blind; marks and dashes tell the curves apart in grey as well.
array colour[8] = [0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0xE69F00, 0x56B4E9, 0x000000, 0x8C7A00]
array mark[8] = [7, 5, 9, 13, 11, 6, 4, 8]
array dash[4] = [1, 2, 4, 5]
colour_of(i) = colour[int(i - 1) % |colour| + 1]
mark_of(i) = mark[int(i - 1) % |mark| + 1]
dash_of(i) = dash[int(i - 1) % 4 + 1]
ink = '#303030'
pale = '#606060'

set style line 100 lc rgb '#D8D8D8' lw 0.75 dt 1
set logscale x 2
set xrange [x_from:x_to]
set yrange [y_from:y_to]
set label 1 title at screen 16.0 / width, 1 - 20.0 / height left font ',16' tc rgb 'black'
set label 2 note at screen 16.0 / width, 1 - 42.0 / height left font ',13' tc rgb pale
set key at screen 1 - (legend - 14.0) / width, 1 - top / height left top Left reverse samplen 2.6 spacing 1.25 tc rgb ink

block(r, c, s) = (((r - 1) * |gpu| + c - 1) * (|strategy| + 1)) + s - 1
x_step = x_to > 40 * x_from ? 4 : 2
top_of(r) = top + (r - 1) * (down + gap)

set multiplot

# The legend is a plot of its own: a panel may be lower than it.
set lmargin at screen 1 - legend / width
set rmargin at screen 1
set tmargin at screen 1 - top / height
set bmargin at screen 0
unset border
unset xtics
unset ytics
plot for [s = 1:|strategy|] NaN with linespoints lw 2 dt dash_of(s) pt mark_of(s) ps 0.6 lc rgb colour_of(s) title strategy[s], \
     NaN with lines lw 1.4 dt 3 lc rgb 'black' title bound_name
unset key
unset label 1
unset label 2
set xtics nomirror out scale 0.6 tc rgb ink
set ytics nomirror out scale 0.6 tc rgb ink
set border 3 lc rgb pale lw 0.75
set grid xtics ytics ls 100

do for [r = 1:|row|] {
    do for [c = 1:|gpu|] {
        set lmargin at screen (left + (c - 1) * (across + aside)) / width
        set rmargin at screen (left + (c - 1) * (across + aside) + across) / width
        set tmargin at screen 1 - top_of(r) / height
        set bmargin at screen 1 - (top_of(r) + down) / height
        if (r == 1) { set label 3 gpu[c] at graph 0.5, screen 1 - (top - 27) / height center font ',13' tc rgb ink }
        if (c == 1) { set label 4 row[r] at graph 0, screen 1 - (top_of(r) - 9) / height left font ',12' tc rgb ink }
        if (c == 1 && r == 1) { set label 6 y_label at screen 20.0 / width, screen 0.5 * (1 - top / height + bottom / height) center rotate by 90 tc rgb ink }
        if (r == |row| && c == 1) { set label 5 x_label at screen (left + 0.5 * (|gpu| * (across + aside) - aside)) / width, screen 16.0 / height center tc rgb ink }
        set xtics x_step format (r == |row| ? '%.0f' : '')
        set ytics ()
        do for [i = 1:words(y_ticks)] { set ytics add (c == 1 ? word(y_words, i) : '' word(y_ticks, i) + 0) }
        plot for [s = 1:|strategy|] $times index block(r, c, s) using 1:2 with linespoints lw 2 dt dash_of(s) pt mark_of(s) ps 0.6 \
                 lc rgb colour_of(s), \
             $times index block(r, c, |strategy| + 1) using (bound_name eq '' ? NaN : $1):2 with lines lw 1.4 dt 3 lc rgb 'black'
        unset label 3
        unset label 4
        unset label 5
        unset label 6
    }
}
unset multiplot
