# Figure "goodput": a metric over an axis, a curve per strategy; without an axis a bar per strategy.
#
# Before this file the terminal, the output and these are set:
#   width, height        of the figure in pixels
#   title, note          what was simulated, and how often
#   metric               label of the metric's axis, with its unit
#   metric_format        of its ticks
#   metric_limit         its upper end; NaN: as high as needed
#   metric_from          its lower end for curves
#   highest              largest value that is drawn
#   bars                 number of bars; 0: curves
# for bars
#   $bars                a line per bar: row, mean, low, high, the greater of mean and high (low and high are NaN of
#                        one replication)
#   strategy[], beside[] of each row, its name and the text beside its bar
# for curves
#   panel[], curve[]     names; the array panel may have a single empty one
#   columns, rows        of panels
#   legend               room for the legend at the right, in pixels
#   curve_style          linespoints; points if x's values are words in no order, which no line should join
#   x_label              label of the x axis, whose range, scale and ticks are set already
#   x_from, x_to         that range; x_logarithmic: 1 if the scale is
#   $curves              a block per panel and curve, curves fastest: x, mean, low, high

# Colours of Okabe and Ito, safe for the colour-blind; marks and dashes tell the curves apart in grey as well.
array colour[8] = [0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0xE69F00, 0x56B4E9, 0x000000, 0x8C7A00]
array mark[8] = [7, 5, 9, 13, 11, 6, 4, 8]
array dash[4] = [1, 2, 4, 5]
colour_of(i) = colour[(i - 1) % |colour| + 1]
mark_of(i) = mark[(i - 1) % |mark| + 1]
dash_of(i) = dash[(int((i - 1) / 8) + (i > 4 ? 1 : 0)) % 4 + 1]
dashes = curve_style eq 'linespoints' ? 'dt dash_of(c)' : ''
min(a, b) = a < b ? a : b
max(a, b) = a > b ? a : b
ink = '#303030'
pale = '#606060'

set style line 100 lc rgb '#D8D8D8' lw 0.75 dt 1
set tics nomirror out scale 0.6 tc rgb ink
set border lc rgb pale lw 0.75
set label 1 title at screen 16.0 / width, 1 - 20.0 / height left font ',16' tc rgb 'black'
set label 2 note at screen 16.0 / width, 1 - 42.0 / height left font ',13' tc rgb pale

if (bars) {
    unset key
    set border 2
    set yrange [bars + 0.6:0.4]
    set ytics scale 0
    set label 4 metric at graph 0.5, screen 16.0 / height center tc rgb ink
    set grid xtics ls 100
    set tmargin at screen 1 - 62.0 / height
    set rmargin at screen 1 - 30.0 / width
    set bmargin at screen 66.0 / height
    if (metric_limit == metric_limit) {
        set xtics 0, metric_limit / 5.0, metric_limit format '%g'
        set xrange [0:max(metric_limit, highest) * 1.16]
    } else {
        set xrange [0:highest > 0 ? highest * 1.2 : 1]
        set xtics format metric_format
    }
    set bars 0.6
    plot $bars using (0.5 * $2):1:(0.5 * $2):(0.32):ytic(strategy[int($1)]) with boxxyerror fs solid noborder lc rgb colour_of(1), \
         $bars using 2:1:3:4 with xerrorbars pt -1 lw 1.5 lc rgb 'black', \
         $bars using 5:1:(beside[int($1)]) with labels left offset char 0.8, 0 tc rgb ink
} else {
    left = 78.0; top = |panel| > 1 ? 88.0 : 66.0; bottom = 68.0; gap = 64.0; aside = 34.0
    across = (width - left - legend - aside * (columns - 1)) / columns
    down = (height - top - bottom - gap * (rows - 1)) / rows
    if (metric_limit == metric_limit) { set yrange [metric_from:metric_limit] } else { set yrange [metric_from:*] }
    set format y metric_format
    set border 3
    set grid xtics ytics ls 100
    set bars 0.5
    set key at screen 1 - (legend - 14.0) / width, 1 - top / height left top Left reverse samplen 2.6 spacing 1.25 tc rgb ink
    # Curves meet at the same values of x: each is moved aside by a few pixels, so that no interval hides another.
    aside_of(c) = (c - 0.5 * (|curve| + 1)) * (curve_style eq 'linespoints' ? min(5.0, 24.0 / |curve|) / across : 0.1 / (x_to - x_from))
    moved(x, c) = x_logarithmic ? x * (x_to / x_from) ** aside_of(c) : x + (x_to - x_from) * aside_of(c)
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
        if (column == 0) { set label 6 metric at screen 20.0 / width, graph 0.5 center rotate by 90 tc rgb ink }
        set format y (column == 0 ? metric_format : '')
        if (p + columns > |panel|) { set label 4 x_label at graph 0.5, screen (bottom_of(row) - 50) / height center tc rgb ink }
        plot for [c = 1:|curve|] $curves index ((p - 1) * |curve| + c - 1) using (moved($1, c)):2:3:4 with yerrorbars \
                 pt -1 lw 1.2 dt 1 lc rgb colour_of(c) notitle, \
             for [c = 1:|curve|] $curves index ((p - 1) * |curve| + c - 1) using (moved($1, c)):2 with @curve_style \
                 lw 2 @dashes pt mark_of(c) ps 0.8 lc rgb colour_of(c) title (p == 1 ? curve[c] : '')
        unset label 1
        unset label 2
        unset label 4
        unset label 6
    }
    unset multiplot
}
