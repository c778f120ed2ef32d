# shellcheck shell=sh
# The environment of the measurement: environment.json, with the bundle's keys.

write_environment() {
    environment_model=$({ tr -d '\000' </proc/device-tree/model; } 2>/dev/null)
    environment_cpu=$(sed -n 's/^\(model name\|Processor\|cpu model\)[[:space:]]*: *//p' /proc/cpuinfo 2>/dev/null | head -n 1)
    environment_memory=$(awk '/^MemTotal:/ { printf "%d MiB\n", $2 / 1024 }' /proc/meminfo 2>/dev/null)
    {
        json_member created "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
        {
            json_member name "${RUNNER:-$(uname -n)}"
            json_member program perfguide-runner
            json_member version "$RUNNER_VERSION"
        } | json_object runner
        {
            json_member version "${SDK:-$(os_release VERSION_ID)}"
            json_member os "${SDK_OS:-$(kernel_flavour)}"
            json_member kernel "$(uname -r)"
        } | json_object sdk
        {
            json_member name "${BOARD:-${environment_model:-${environment_cpu:-$(uname -m)}}}"
            json_member soc "${SOC:-$(soc_name)}"
            json_member description "$DESCRIPTION"
            json_number cpu_mhz "${CPU_MHZ:-$(full_clock_mhz)}"
            json_member memory "${MEMORY:-$environment_memory}"
        } | json_object board
        {
            json_member openssl "$OPENSSL_VERSION"
            json_member openssl_cpuinfo "$(openssl version -a 2>/dev/null | sed -n 's/^CPUINFO: //p')"
            json_member openssl_engines "$([ ! -f "$ENGINES_FILE" ] || awk '{ printf "%s%s (%s)", (NR == 1 ? "" : ", "), $1, ($3 == "-" ? $2 : $2 " " $3) }' "$ENGINES_FILE")"
            json_member time "$TIMER"
            json_member os_release "$(os_release PRETTY_NAME)"
            json_member kernel_version "$(uname -v)"
            json_member machine "$(uname -m)"
            json_member cpu "$environment_cpu"
            json_number cpus "$(printf '%s\n' "$CORES" | wc -w | tr -d ' ')"
            json_member device_tree_model "$environment_model"
            json_number clock_mhz_now "$(clock_mhz)"
            json_member governor "$(cat /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor 2>/dev/null)"
            json_number memory_kib "$(awk '/^MemTotal:/ { print $2 }' /proc/meminfo 2>/dev/null)"
            json_number temperature_c "$(temperature_c)"
            json_member autogroup_enabled "$(cat /proc/sys/kernel/sched_autogroup_enabled 2>/dev/null)"
            json_member autogroup "$(cat /proc/self/autogroup 2>/dev/null)"
        } | json_object tools
    } | json_object
}

# os_release KEY: prints its value without quotes.
os_release() {
    if [ "$1" = VERSION_ID ] && grep -qs '^ID=debian' /etc/os-release && [ -r /etc/debian_version ]; then
        # Debian's VERSION_ID lacks the point release.
        head -n 1 /etc/debian_version
        return
    fi
    sed -n "s/^$1=//p" /etc/os-release 2>/dev/null | head -n 1 | sed 's/^"\(.*\)"$/\1/; s/^'\''\(.*\)'\''$/\1/'
}

kernel_flavour() {
    case "$(uname -v) $(cat /sys/kernel/realtime 2>/dev/null)" in
        *PREEMPT_RT* | *' 1') echo rt-linux ;;
        *) echo linux ;;
    esac
}

# soc_name: prints the chip in the last compatible string (AM625 in ti,am625), or the machine.
soc_name() {
    if [ -r /proc/device-tree/compatible ]; then
        tr '\000' '\n' </proc/device-tree/compatible | sed -n '$s/^[^,]*,//p' | tr '[:lower:]' '[:upper:]'
    else
        uname -m
    fi
}

# full_clock_mhz: prints the highest clock that the CPU may run at.
full_clock_mhz() {
    if [ -r /sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq ]; then
        awk '{ printf "%d\n", $1 / 1000; exit }' /sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq
    else
        clock_mhz
    fi
}
