# shellcheck shell=sh
# What the board says of itself at this moment.

# clock_mhz: the first core's clock now, or nothing.
clock_mhz() {
    if [ -r /sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq ]; then
        awk '{ printf "%d\n", $1 / 1000; exit }' /sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq
    else
        awk -F: '/^(cpu MHz|clock)[[:space:]]*:/ { printf "%d\n", $2; exit }' /proc/cpuinfo
    fi 2>/dev/null
}

# temperature_c: the hottest zone in degrees Celsius, or nothing.
temperature_c() {
    cat /sys/class/thermal/thermal_zone*/temp 2>/dev/null |
        awk 'NR == 1 || $1 > hottest { hottest = $1 } END { if (NR) printf "%.1f\n", hottest / 1000 }'
}
