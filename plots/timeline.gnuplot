# Figure "timeline": streaming multiprocessors of a GPU that compute and that communicate, over time; a panel per mode.
#
# Before this file the terminal, the output and these are set:
#   width, height        of the figure in pixels
#   title, note          what was simulated, and what is drawn
#   across, down         size of a panel, in pixels
#   left, right, top, bottom, gap  room beside the panels, above and below, and above each panel, in pixels
#   x_label, y_label     labels of the axes
#   x_to, x_ticks, x_words  end of the x axis, its ticks and what they are called, as lists of words
#   sms                  most multiprocessors at a time
#   panel[]              what is written above each panel
#   $sms                 a block per panel: time, multiprocessors that compute, those and the ones that communicate
#   $kernels             a block per panel, whose first line holds no numbers: from, to, 0 for a product and 1 for a
#                        collective, number

# Colours of Okabe and Ito, safe for the colour-blind.
computing = '#0072B2'
communicating = '#E69F00'
ink = '#303030'
pale = '#606060'

set style line 100 lc rgb '#D8D8D8' lw 0.75 dt 1
set tics nomirror out scale 0.6 tc rgb ink
set border 3 lc rgb pale lw 0.75
set grid ytics ls 100
set style fill solid 0.75 noborder
set xrange [0:x_to]
set yrange [0:1.34 * sms]
set label 1 title at screen 16.0 / width, 1 - 20.0 / height left font ',16' tc rgb 'black'
set label 2 note at screen 16.0 / width, 1 - 42.0 / height left font ',13' tc rgb pale
set key at screen 1 - (right - 10.0) / width, 1 - (top + gap) / height left top Left reverse samplen 1.4 spacing 1.25 tc rgb ink

top_of(p) = top + (p - 1) * (down + gap) + gap
name_of(p, name) = p == 1 ? name : ''
lane(kind) = sms * (1.09 + 0.14 * kind)

step = sms <= 20 ? 5 : sms <= 60 ? 20 : 40
set ytics step
set multiplot
do for [p = 1:|panel|] {
    set lmargin at screen left / width
    set rmargin at screen (left + across) / width
    set tmargin at screen 1 - top_of(p) / height
    set bmargin at screen 1 - (top_of(p) + down) / height
    set label 3 panel[p] at graph 0, screen 1 - (top_of(p) - 10) / height left font ',13' tc rgb ink
    if (p == 1) { set label 6 y_label at screen 20.0 / width, screen 0.5 * (1 - top / height + bottom / height) center rotate by 90 tc rgb ink }
    if (p == |panel|) { set label 5 x_label at graph 0.5, screen 16.0 / height center tc rgb ink }
    set xtics ()
    do for [i = 1:words(x_ticks)] { set xtics add (p == |panel| ? word(x_words, i) : '' word(x_ticks, i) + 0) }
    plot $sms index (p - 1) using 1:3 with filledcurves y1=0 fc rgb communicating title name_of(p, 'collective'), \
         $sms index (p - 1) using 1:2 with filledcurves y1=0 fc rgb computing title name_of(p, 'product'), \
         $kernels index (p - 1) using (0.5 * ($1 + $2)):($3 == 0 ? lane(0) : NaN):(0.5 * ($2 - $1)):(0.05 * sms) with boxxyerror fc rgb computing notitle, \
         $kernels index (p - 1) using (0.5 * ($1 + $2)):($3 == 1 ? lane(1) : NaN):(0.5 * ($2 - $1)):(0.05 * sms) with boxxyerror fc rgb communicating notitle
    unset label 1
    unset label 2
    unset label 5
    unset label 6
}
unset multiplot
