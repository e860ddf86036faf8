# Figure "timeline": what learners and the syncer do over time; of a GPU, what its streaming multiprocessors do. A panel
# per strategy.
#
# Before this file the terminal, the output and these are set:
#   of_gpu               1: of a GPU, 0: of learners
#   width, height        of the figure in pixels
#   title, note          what was simulated, and what is drawn
#   across               width of a panel, in pixels
#   left, top, bottom, gap  room beside the panels, above and below, and above each panel, in pixels
#   x_label, y_label     labels of the axes
#   x_to, x_ticks, x_words  end of the x axis, its ticks and what they are called, as lists of words
#   panel[]              what is written above each panel
# Of learners:
#   down                 height of a lane, in pixels
#   lanes[], above[]     lanes of each panel, and the height of all before it, in pixels
#   lane_names[]         what the lanes are called, as lists of words; _: nothing
#   $spans               four blocks per panel: outlines of the spans in time and place of all lanes, of those that wait,
#                        that save, restart or reconfigure, and that are down. The first lane is from 0 to -1, the next to -2
#   $marks               a block per panel: time, place and kind of fault: 0 failures, 1 preemptions and maintenance,
#                        2 hangs and corruption, 3 slow chips and stalls, 4 faults of links
#   $merges              a block per panel: lines from the lower to the upper end of a lane
# Of a GPU:
#   down, right          height of a panel, and room at the right, in pixels
#   sms                  most multiprocessors at a time
#   $sms                 a block per panel: time, multiprocessors that compute, those and the ones that communicate
#   $kernels             a block per panel, whose first line holds no numbers: from, to, 0 for a product and 1 for a
#                        collective, number

# Colours of Okabe and Ito, safe for the colour-blind.
computing = '#0072B2'
communicating = '#E69F00'
ink = '#303030'
pale = '#606060'

set label 1 title at screen 16.0 / width, 1 - 20.0 / height left font ',16' tc rgb 'black'
set label 2 note at screen 16.0 / width, 1 - 42.0 / height left font ',13' tc rgb pale
set style line 100 lc rgb '#D8D8D8' lw 0.75 dt 1
set tics nomirror out scale 0.6 tc rgb ink
set border 3 lc rgb pale lw 0.75

if (!of_gpu) {
    set style fill solid 1 noborder
    set border 1
    set tics scale 0.6
    set xrange [0:x_to]
    unset key
    top_of(p) = top + above[p] + p * gap
    array states[4] = ['in steps', 'waiting', 'saving, restarting', 'down']
    array tints[4] = [0xCFE0EC, 0xE69F00, 0x0072B2, 0x202020]
    array signs[5] = ['failure', 'preemption', 'hang, corruption', 'slow, stalled', 'fault of a link']
    array shapes[5] = [11, 13, 2, 1, 4]
    mark = '#B02A00'
    unset ytics
    # The legend is drawn by hand: a panel is lower than it is.
    row(i) = 1 - (top + gap + 18.0 * i) / height
    do for [i = 1:4] {
        set object i rectangle from screen 1 - 166.0 / width, row(i - 1) - 5.0 / height to screen 1 - 146.0 / width, row(i - 1) + 5.0 / height fc rgb tints[i] fs solid 1 noborder
        set label 50 + i states[i] at screen 1 - 138.0 / width, row(i - 1) left font ',13' tc rgb ink
    }
    do for [i = 1:5] {
        set label 60 + i '' at screen 1 - 156.0 / width, row(i + 3) point pt shapes[i] ps 0.7 lc rgb mark
        set label 70 + i signs[i] at screen 1 - 138.0 / width, row(i + 3) left font ',13' tc rgb ink
    }
    set arrow 1 from screen 1 - 156.0 / width, row(9) - 6.0 / height to screen 1 - 156.0 / width, row(9) + 6.0 / height nohead lw 0.8 lc rgb ink
    set label 80 'merge' at screen 1 - 138.0 / width, row(9) left font ',13' tc rgb ink
    set multiplot
    do for [p = 1:|panel|] {
        set lmargin at screen left / width
        set rmargin at screen (left + across) / width
        set tmargin at screen 1 - top_of(p) / height
        set bmargin at screen 1 - (top_of(p) + (lanes[p] + 1) * down) / height
        set yrange [-lanes[p]:1]
        set label 3 panel[p] at graph 0, screen 1 - (top_of(p) - 4) / height left font ',13' tc rgb ink
        if (p == |panel|) { set label 5 x_label at graph 0.5, screen 16.0 / height center tc rgb ink }
        if (p == 1) { set label 6 y_label at screen 18.0 / width, screen 0.5 * (1 - top / height + bottom / height) center rotate by 90 tc rgb ink }
        set xtics ()
        do for [i = 1:words(x_ticks)] { set xtics add (p == |panel| ? word(x_words, i) : '' word(x_ticks, i) + 0) }
        do for [i = 1:lanes[p]] {
            if (word(lane_names[p], i) ne '_') { set label 100 + i word(lane_names[p], i) at screen (left - 6) / width, first -i + 0.5 right font ',11' tc rgb ink }
        }
        block = 4 * (p - 1)
        plot $spans index block using 1:2 with filledcurves closed fc rgb tints[1], \
             $spans index (block + 1) using 1:2 with filledcurves closed fc rgb tints[2], \
             $spans index (block + 2) using 1:2 with filledcurves closed fc rgb tints[3], \
             $spans index (block + 3) using 1:2 with filledcurves closed fc rgb tints[4], \
             $merges index (p - 1) using 1:2 with lines lw 0.6 lc rgb ink, \
             for [k = 0:4] $marks index (p - 1) using 1:($3 == k ? $2 : NaN) with points pt shapes[k + 1] ps 0.45 lc rgb mark
        do for [i = 1:lanes[p]] { unset label 100 + i }
        if (p == 1) {
            do for [i = 1:4] { unset object i; unset label 50 + i }
            do for [i = 1:5] { unset label 60 + i; unset label 70 + i }
            unset arrow 1
            unset label 80
        }
        unset label 1
        unset label 2
        unset label 5
        unset label 6
    }
    unset multiplot
} else {
    set grid ytics ls 100
    set style fill solid 0.75 noborder
    set xrange [0:x_to]
    set yrange [0:1.34 * sms]
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
}
