# Figure "quality": the final loss over goodput; a mark per strategy, a panel per point.
#
# Before this file the terminal, the output and these are set:
#   width, height        of the figure in pixels
#   title, note          what was simulated, and how often
#   panel[]              names of panels; may have a single empty one
#   columns, rows        of panels
#   across, down         size of a panel, in pixels
#   left, top, aside, gap  room before the first panel and above it, between columns and between rows, in pixels
#   x_label, y_label     labels of the axes, whose ranges, scales and ticks are set already
#   strategy[]           names of all strategies
#   reference_name       what the failure-free run is called
#   reference_loss[]     its final loss in each panel; NaN: there is none
#   $marks               a block per panel; a line per mark: strategy, goodput, loss, low and high end of goodput's
#                        interval and of loss's, where its name is put (x, y) and whether the name begins (1), has its
#                        middle (0) or ends (-1) there, and whether a line should join them

# Colours of Okabe and Ito, safe for the colour-blind; marks tell the strategies apart in grey as well.
array colour[8] = [0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0xE69F00, 0x56B4E9, 0x000000, 0x8C7A00]
array mark[8] = [7, 5, 9, 13, 11, 6, 4, 8]
colour_of(i) = colour[(i - 1) % |colour| + 1]
mark_of(i) = mark[(i - 1) % |mark| + 1]
darker(c) = (int(0.65 * (c >> 16)) << 16) + (int(0.65 * (c >> 8 & 255)) << 8) + int(0.65 * (c & 255))
name_colour(i) = darker(colour_of(i)) # names are read best in a colour that stands out from white
ink = '#303030'
pale = '#606060'
grey = 0x9A9A9A

set style line 100 lc rgb '#D8D8D8' lw 0.75 dt 1
set tics nomirror out scale 0.6 tc rgb ink
set border 3 lc rgb pale lw 0.75
set grid xtics ytics ls 100
set bars 0.5
unset key
set label 1 title at screen 16.0 / width, 1 - 20.0 / height left font ',16' tc rgb 'black'
set label 2 note at screen 16.0 / width, 1 - 42.0 / height left font ',13' tc rgb pale

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
    if (reference_loss[p] == reference_loss[p]) {
        set label 5 reference_name at graph 0, first reference_loss[p] left offset char 0.4, 0.6 font ',13' tc rgb pale
    }
    plot (reference_loss[p]) with lines lw 1.5 dt 2 lc rgb grey, \
         $marks index (p - 1) using ($11 == 1 ? $2 : NaN):3:($8 - $2):($9 - $3) with vectors nohead lw 0.75 lc rgb pale, \
         for [s = 1:|strategy|] $marks index (p - 1) using (only(s, $1, $2)):3:4:5:6:7 with xyerrorbars \
             pt -1 lw 1.2 lc rgb colour_of(s), \
         for [s = 1:|strategy|] $marks index (p - 1) using (only(s, $1, $2)):3 with points pt mark_of(s) ps 1.1 \
             lc rgb colour_of(s), \
         $marks index (p - 1) using (only(1, $10, $8)):9:(strategy[int($1)]):(name_colour(int($1))) with labels left tc rgb variable, \
         $marks index (p - 1) using (only(0, $10, $8)):9:(strategy[int($1)]):(name_colour(int($1))) with labels center tc rgb variable, \
         $marks index (p - 1) using (only(-1, $10, $8)):9:(strategy[int($1)]):(name_colour(int($1))) with labels right tc rgb variable
    unset label 1
    unset label 2
    unset label 4
    unset label 6
    unset label 5
}
unset multiplot
