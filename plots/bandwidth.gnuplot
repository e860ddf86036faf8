# Figure "bandwidth": compute utilisation, or another metric, over a bandwidth; a curve per strategy.
#
# Before this file the terminal, the output and these are set:
#   width, height        of the figure in pixels
#   title, note          what was simulated, and how often
#   panel[]              names of panels; may have a single empty one
#   columns              of panels
#   across, down         size of a panel, in pixels
#   left, top, aside, gap  room before the first panel and above it, between columns and between rows, in pixels
#   legend               room for the legend at the right, in pixels
#   x_label, y_label     labels of the axes, whose ranges, scales and ticks are set already
#   strategy[]           names of the curves; an empty one has no curve
#   published_name       of published figures; empty: there are none
#   $curves              a block per panel and curve, curves fastest: bandwidth, mean, low and high end of the interval
#   $published           a block per panel, whose first line holds no numbers: strategy, bandwidth, value

# Colours of Okabe and Ito, safe for the colour-blind; marks and dashes tell the curves apart in grey as well.
array colour[8] = [0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0xE69F00, 0x56B4E9, 0x000000, 0x8C7A00]
array mark[8] = [7, 5, 9, 13, 11, 6, 4, 8]
array hollow[8] = [6, 4, 8, 12, 10, 6, 4, 8]
array dash[4] = [1, 2, 4, 5]
colour_of(i) = colour[(i - 1) % |colour| + 1]
mark_of(i) = mark[(i - 1) % |mark| + 1]
hollow_of(i) = hollow[(i - 1) % |hollow| + 1]
dash_of(i) = dash[(int((i - 1) / 8) + (i > 4 ? 1 : 0)) % 4 + 1]
ink = '#303030'
pale = '#606060'

set style line 100 lc rgb '#D8D8D8' lw 0.75 dt 1
set tics nomirror out scale 0.6 tc rgb ink
set border 3 lc rgb pale lw 0.75
set grid xtics ytics ls 100
set bars 0.5
set label 1 title at screen 16.0 / width, 1 - 20.0 / height left font ',16' tc rgb 'black'
set label 2 note at screen 16.0 / width, 1 - 42.0 / height left font ',13' tc rgb pale
set key at screen 1 - (legend - 14.0) / width, 1 - top / height left top Left reverse samplen 2.6 spacing 1.25 tc rgb ink

block(p, c) = (p - 1) * |strategy| + c - 1
name_of(p, name) = p == 1 ? name : ''
only(s, c, value) = s == c ? value : NaN
bottom_of(row) = height - top - row * (down + gap) - down

set multiplot
do for [p = 1:|panel|] {
    column = (p - 1) % columns
    row = (p - 1) / columns
    set lmargin at screen (left + column * (across + aside)) / width
    set rmargin at screen (left + column * (across + aside) + across) / width
    set tmargin at screen 1 - (top + row * (down + gap)) / height
    set bmargin at screen bottom_of(row) / height
    if (|panel| > 1) { set label 3 panel[p] at graph 0.5, 1 center offset char 0, 0.6 font ',13' tc rgb ink }
    if (column == 0) { set label 6 y_label at screen 20.0 / width, graph 0.5 center rotate by 90 tc rgb ink }
    if (p + columns > |panel|) { set label 4 x_label at graph 0.5, screen (bottom_of(row) - 50) / height center tc rgb ink }
    plot for [c = 1:|strategy|] $curves index block(p, c) using ($3 == $3 ? $1 : NaN):2:3:4 with yerrorbars pt -1 lw 1.2 dt 1 \
             lc rgb colour_of(c) notitle, \
         for [c = 1:|strategy|] $curves index block(p, c) using 1:2 with linespoints lw 2 dt dash_of(c) pt mark_of(c) ps 0.7 \
             lc rgb colour_of(c) title (strategy[c] eq '' ? '' : name_of(p, strategy[c])), \
         $published index (p - 1) using 2:3 with points pt 7 ps 1.5 lc rgb 'white' notitle, \
         for [c = 1:|strategy|] $published index (p - 1) using (only($1, c, $2)):3 with points pt hollow_of(c) ps 1.5 lw 1.8 \
             lc rgb colour_of(c) notitle, \
         NaN with points pt 6 ps 1.5 lw 1.8 lc rgb ink title name_of(p, published_name)
    unset label 1
    unset label 2
    unset label 4
    unset label 6
}
unset multiplot
