# Figures "budget" and "waste": shares of chip time by strategy, stacked; a panel per point.
#
# Before this file the terminal, the output and these are set:
#   width, height        of the figure in pixels
#   title, note          what was simulated, and how often
#   part[], shown[]      names of all parts (categories, causes), of which the last is the sum of those that no
#                        bar shows; 1 for those that some bar shows
#   axis                 what the shares are
#   whole, longest       1 where bars are parts of 100 %; the longest bar in percent
#   panel[]              names of panels; may have a single empty one
#   columns, rows        of panels
#   bars                 most bars of a panel
#   names, legend        room for the strategies' names and for the legend, in pixels
#   strategy[]           names of all strategies
#   $segments            a block per panel; a line per segment: row, part, from, to (in percent), strategy

# A colour per part (Okabe and Ito's, and greys), and the pattern drawn over it in white (0: none), so that
# neighbours differ in grey print too, also where those between them take no time: useful, straggler,
# communication, quorum and data wait, checkpoint save, detection, restore, restart, initialisation,
# reconfiguration, repair wait, redone, down, idle spare, away, warm-up. Any further ones take these again under
# another pattern; the sum of those that are not shown is pale.
array colour[17] = [0x0072B2, 0x56B4E9, 0x009E73, 0xF0E442, 0xCC79A7, 0xB0B0B0, 0x404040, 0xD55E00, 0xD55E00, \
                    0x0072B2, 0xE69F00, 0x56B4E9, 0xCC79A7, 0x404040, 0xB0B0B0, 0x808080, 0xD0D0D0]
array pattern[17] = [0, 4, 5, 0, 0, 4, 5, 4, 0, 4, 0, 5, 4, 0, 0, 5, 4]
array text[17] = [0xFFFFFF, 0, 0, 0, 0, 0, 0xFFFFFF, 0, 0xFFFFFF, 0, 0, 0, 0, 0xFFFFFF, 0, 0, 0]
styled = |colour|
colour_of(i) = i == |part| ? 0xEAEAEA : colour[(i - 1) % styled + 1]
pattern_of(i) = i == |part| ? 0 : i > styled ? 6 : pattern[i]
text_of(i) = i == |part| ? 0 : text[(i - 1) % styled + 1]
ink = '#303030'
pale = '#606060'

set style line 100 lc rgb '#D8D8D8' lw 0.75 dt 1
set tics nomirror out scale 0.6 tc rgb ink
set border 0
set label 1 title at screen 16.0 / width, 1 - 20.0 / height left font ',16' tc rgb 'black'
set label 2 note at screen 16.0 / width, 1 - 42.0 / height left font ',13' tc rgb pale
unset key
set xrange [0:(whole ? 100 : 1.05 * longest)]
set yrange [bars + 0.5:0.5]
if (whole) { set xtics 0, 20, 100 } else { set xtics autofreq }
set ytics scale 0
set grid xtics ls 100

top = 66.0; bottom = 68.0; head = 28.0
across = (width - legend) / columns - names - 24

narrowest = 33.0 * (whole ? 100 : 1.05 * longest) / across # percent that have room for their number

# The legend: a box and a name for each part that is shown, from the top.
line = 0
do for [i = 1:|part|] {
    if (shown[i]) {
        y = top + 8 + 22 * line
        x = width - legend + 16.0
        set object (100 + i) rectangle from screen x / width, 1 - (y + 7) / height \
            to screen (x + 22) / width, 1 - (y - 7) / height fs solid noborder fc rgb colour_of(i)
        if (pattern_of(i)) {
            set object (200 + i) rectangle from screen x / width, 1 - (y + 7) / height \
                to screen (x + 22) / width, 1 - (y - 7) / height fs transparent pattern pattern_of(i) noborder fc rgb 'white'
        }
        set label (100 + i) part[i] at screen (x + 30) / width, 1 - y / height left tc rgb ink
        line = line + 1
    }
}

only(i, c, value) = c == i ? value : NaN
number(from, to) = to - from >= narrowest ? sprintf(whole || longest >= 2 ? '%.1f' : '%.2f', to - from) : ''

set multiplot
do for [p = 1:|panel|] {
    column = (p - 1) / rows
    row = (p - 1) % rows
    cell = (height - top - bottom) / rows
    set lmargin at screen (names + column * (across + names + 24)) / width
    set rmargin at screen (names + column * (across + names + 24) + across) / width
    set tmargin at screen 1 - (top + row * cell + (|panel| > 1 ? head : 0)) / height
    set bmargin at screen 1 - (top + (row + 1) * cell) / height
    if (|panel| > 1) { set label 3 panel[p] at graph 0, 1 left offset char 0, 0.7 font ',13' tc rgb ink }
    lowest = row == rows - 1 || p == |panel|
    set format x (lowest ? '%g' : '')
    if (lowest) {
        set label 4 axis at graph 0.5, screen 1 - (top + (row + 1) * cell + 50) / height center tc rgb ink
    }
    plot for [i = 1:|part|] $segments index (p - 1) \
             using (only(i, $2, 0.5 * ($3 + $4))):1:(0.5 * ($4 - $3)):(0.36):ytic(strategy[int($5)]) \
             with boxxyerror fs solid border lc rgb 'white' fc rgb colour_of(i), \
         for [i = 1:|part|] $segments index (p - 1) \
             using (pattern_of(i) ? only(i, $2, 0.5 * ($3 + $4)) : NaN):1:(0.5 * ($4 - $3)):(0.36) \
             with boxxyerror fs transparent pattern pattern_of(i) noborder fc rgb 'white', \
         for [i = 1:|part|] $segments index (p - 1) \
             using (only(i, $2, 0.5 * ($3 + $4))):1:(number($3, $4)) with labels font ',12.5' tc rgb text_of(i)
    do for [i = 1:|part|] { unset object (100 + i); unset object (200 + i); unset label (100 + i) }
    unset label 1
    unset label 2
    unset label 4
}
unset multiplot
