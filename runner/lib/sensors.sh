# shellcheck shell=sh
# The board's sensors: right now, and while a program runs.

# Tests substitute their own folder for the kernel's.
SYS=${PERFGUIDE_SYS:-/sys}

# clock_mhz: prints the first core's clock now, or nothing.
clock_mhz() {
    if [ -r "$SYS/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq" ]; then
        awk '{ printf "%d\n", $1 / 1000; exit }' "$SYS/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq"
    else
        awk -F: '/^(cpu MHz|clock)[[:space:]]*:/ { printf "%d\n", $2; exit }' /proc/cpuinfo
    fi 2>/dev/null
}

# temperature_c: prints the temperature of the hottest zone in degrees Celsius, or nothing.
temperature_c() {
    cat "$SYS"/class/thermal/thermal_zone*/temp 2>/dev/null |
        awk 'NR == 1 || $1 > hottest { hottest = $1 } END { if (NR) printf "%.1f\n", hottest / 1000 }'
}

# sample: prints the fastest core's clock in kHz, the hottest zone in thousandths of a
# degree, and whether a core is throttled; "-" is unknown. It starts no program, as
# the measured one needs the CPU.
sample() {
    sample_clock=-
    for sample_file in "$SYS"/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_cur_freq; do
        if read_number "$sample_file" && { [ "$sample_clock" = - ] || [ "$READ" -gt "$sample_clock" ]; }; then
            sample_clock=$READ
        fi
    done
    [ "$sample_clock" != - ] || sample_cpuinfo
    sample_heat=-
    for sample_file in "$SYS"/class/thermal/thermal_zone*/temp; do
        if read_number "$sample_file" && { [ "$sample_heat" = - ] || [ "$READ" -gt "$sample_heat" ]; }; then
            sample_heat=$READ
        fi
    done
    sample_held=-
    for sample_file in "$SYS"/class/thermal/cooling_device*/type; do
        { read -r sample_type <"$sample_file"; } 2>/dev/null || continue
        case $sample_type in
            *cpufreq* | Processor)
                read_number "${sample_file%/type}/cur_state" || continue
                if [ "$READ" -gt 0 ]; then sample_held=yes; elif [ "$sample_held" = - ]; then sample_held=no; fi
                ;;
        esac
    done
    printf '%s %s %s\n' "$sample_clock" "$sample_heat" "$sample_held"
}

# sample_cpuinfo: reads the clock without cpufreq, as in most virtual machines.
sample_cpuinfo() {
    while read -r sample_first sample_second _ sample_value; do
        if [ "$sample_first $sample_second" = "cpu MHz" ]; then
            sample_value=${sample_value%%.*}000
            if [ "$sample_clock" = - ] || [ "$sample_value" -gt "$sample_clock" ]; then
                sample_clock=$sample_value
            fi
        fi
    done </proc/cpuinfo
} 2>/dev/null

# read_number FILE: sets READ. Status 1: the file has no number.
read_number() {
    { read -r READ <"$1"; } 2>/dev/null || return 1
    case $READ in
        '' | - | *[!0-9-]* | ?*-*) return 1 ;;
    esac
}

# throttle_events: prints the kernel's count of throttled cores, or "-".
throttle_events() {
    throttle_sum=-
    for throttle_file in "$SYS"/devices/system/cpu/cpu[0-9]*/thermal_throttle/*_throttle_count; do
        ! read_number "$throttle_file" || throttle_sum=$((${throttle_sum#-} + READ))
    done
    printf '%s\n' "$throttle_sum"
}

# governors: prints those of all cores, each once, joined by +.
governors() {
    cat "$SYS"/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor 2>/dev/null | sort -u |
        awk '{ printf "%s%s", (NR == 1 ? "" : "+"), $1 } END { if (NR) print "" }'
}

# cpu_ticks: prints the busy and the total time of the CPUs since boot, from /proc/stat.
cpu_ticks() {
    { read -r _ ticks_user ticks_nice ticks_system ticks_idle ticks_wait ticks_irq ticks_soft ticks_steal _ </proc/stat; } 2>/dev/null ||
        return 1
    ticks_busy=$((ticks_user + ticks_nice + ticks_system + ticks_irq + ticks_soft + ${ticks_steal:-0}))
    printf '%s %s\n' "$ticks_busy" "$((ticks_busy + ticks_idle + ticks_wait))"
}

# watch_begin: starts sampling, before a program starts.
watch_begin() {
    watch_ticks=$(cpu_ticks)
    watch_throttled=$(throttle_events)
    watch_governors=$(governors)
    sample >"$STATE/samples"
    watch_loop >>"$STATE/samples" 2>/dev/null </dev/null &
    watch_pid=$!
}

# It ends when the runner does, even if the runner is killed.
watch_loop() {
    while sleep "$SAMPLE_SECONDS" && kill -0 "$$"; do
        sample
    done
}

# watch_end: ends sampling, and prints the samples as key=value words.
watch_end() {
    watch_now=$(cpu_ticks)
    kill -STOP "$watch_pid" 2>/dev/null
    kill_below "$watch_pid"
    kill -KILL "$watch_pid" 2>/dev/null
    wait "$watch_pid" 2>/dev/null
    sample >>"$STATE/samples"
    watch_both=$watch_governors
    [ "$(governors)" = "$watch_governors" ] || watch_both="$watch_governors..$(governors)"
    awk -v before="$watch_ticks" -v after="$watch_now" -v governor="$watch_both" \
        -v events="$watch_throttled" -v events_now="$(throttle_events)" '
        function span(low, high) { return low == high ? low : low ".." high }
        NF == 3 {
            samples++
            clock = int($1 / 1000)
            if ($1 != "-") {
                if (!clocks++ || clock < slowest) slowest = clock
                if (clock > fastest) fastest = clock
            }
            heat = $2 / 1000
            if ($2 != "-") {
                if (!heats || heat < coldest) coldest = heat
                if (!heats++ || heat > hottest) hottest = heat
            }
            if ($3 != "-" && held != "yes") held = $3
        }
        END {
            if (events != "-" && events_now != "-") {
                if (events_now + 0 > events + 0) held = "yes"
                else if (held == "") held = "no"
            }
            text = "samples=" samples
            if (clocks) text = text " clock_mhz=" span(slowest, fastest)
            if (heats) text = text " temperature_c=" span(sprintf("%.1f", coldest), sprintf("%.1f", hottest))
            if (governor != "") text = text " governor=" governor
            if (held != "") text = text " throttled=" held
            split(before, old, " "); split(after, now, " ")
            if (now[2] > old[2]) text = text sprintf(" cpu_load=%.1f", 100 * (now[1] - old[1]) / (now[2] - old[2]))
            print text
        }' "$STATE/samples"
    rm -f "$STATE/samples"
}
