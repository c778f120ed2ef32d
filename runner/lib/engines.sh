# shellcheck shell=sh
# The engines with which this board can run an algorithm. $ENGINES_FILE has a line
# NAME KIND VALUE for each; the kinds are
#   plain     openssl as it is
#   mask      VALUE is VARIABLE=MASK, which hides CPU instructions from openssl
#   engine    VALUE is an engine's name (openssl 1.x and 3.x)
#   provider  VALUE is a provider's name (openssl 3.x)

# AES-NI and PCLMULQDQ in the first word; SHA, VAES and VPCLMULQDQ in the second.
X86_MASK='OPENSSL_ia32cap=~0x200000200000000:~0x60020000000'
ARM_MASK='OPENSSL_armcap=0'

# cpu_kind: prints x86, arm or other. cpu_has WORD…: succeeds if the CPU has one of the features.
cpu_kind() {
    case $(uname -m) in
        x86_64 | i?86) echo x86 ;;
        aarch64* | arm*) echo arm ;;
        *) echo other ;;
    esac
}

cpu_has() {
    cpu_has_list=$(sed -n 's/^\(flags\|Features\)[[:space:]]*: *//p' /proc/cpuinfo 2>/dev/null | head -n 1)
    for cpu_has_word in "$@"; do
        # shellcheck disable=SC2086 # the features are words
        has_word "$cpu_has_word" $cpu_has_list && return 0
    done
    return 1
}

# engine_loads NAME: succeeds if openssl can use it. If it cannot, openssl prints
# "Invalid engine" and goes on in software, with status 0.
engine_loads() {
    openssl engine -t "$1" 2>/dev/null | grep -q '\[ available \]' || return 1
    ! openssl speed -engine "$1" ${SPEED_SECONDS:+-seconds 1 -bytes 16} -evp aes-128-cbc 2>&1 |
        grep -Eiq 'invalid engine|no such engine|could not load|init failed'
}

provider_loads() {
    openssl list -providers -provider "$1" 2>/dev/null |
        awk -v name="$1" '$1 == name { here = 1 } here && /status: active/ { ok = 1 } END { exit !ok }'
}

# other_providers: prints the providers in openssl's folder of modules that load and
# are not its own.
other_providers() {
    other_providers_dir=$(openssl version -m 2>/dev/null | sed -n 's/^MODULESDIR: "\(.*\)"$/\1/p')
    for other_provider in "${other_providers_dir:-/nowhere}"/*.so; do
        other_provider=${other_provider##*/}
        other_provider=${other_provider%.so}
        case $other_provider in
            \* | legacy | fips | *[!A-Za-z0-9._-]*) ;;
            *) ! provider_loads "$other_provider" || printf '%s\n' "$other_provider" ;;
        esac
    done
}

# engine_offers NAME ALGORITHM: succeeds if the engine has the algorithm; otherwise
# openssl would silently use software.
engine_offers() {
    case $2 in
        sha256) engine_offers_names='SHA256|SHA2-256' ;;
        *) engine_offers_names=$2 ;;
    esac
    openssl engine -c "$1" 2>/dev/null | tr -d ' []' | tr ',' '\n' | grep -Eixq -- "$engine_offers_names"
}

provider_offers() {
    {
        openssl list -cipher-algorithms -provider "$1"
        openssl list -digest-algorithms -provider "$1"
    } 2>/dev/null | grep "@ *$1\$" | tr -d ' {}' | sed 's/@.*//' | tr ',' '\n' | grep -Eixq -- "$2"
}

# find_engines: fills $ENGINES_FILE.
find_engines() {
    : >"$ENGINES_FILE"
    find_engines_accelerator=
    for find_engines_name in $ACCELERATORS; do
        case $find_engines_name in
            providers)
                for find_engines_provider in $(other_providers); do
                    printf '%s provider %s\n' "$find_engines_provider" "$find_engines_provider" >>"$ENGINES_FILE"
                done
                ;;
            provider:*)
                find_engines_name=${find_engines_name#provider:}
                if provider_loads "$find_engines_name"; then
                    add_accelerator provider "$find_engines_name"
                else
                    skip "provider $find_engines_name" "openssl cannot load it"
                fi
                ;;
            *)
                find_engines_name=${find_engines_name#engine:}
                if ! engine_loads "$find_engines_name"; then
                    skip "engine $find_engines_name" "openssl cannot load it"
                elif [ "$find_engines_name" = afalg ] && ! kernel_accelerates; then
                    # Without an accelerator, afalg would just measure system calls.
                    printf 'afalg engine afalg\n' >>"$ENGINES_FILE"
                    warn "engine afalg" "the kernel has no accelerator for AES-CBC: its figures are named afalg, not hw"
                else
                    add_accelerator engine "$find_engines_name"
                fi
                ;;
        esac
    done
    case $(cpu_kind) in
        x86)
            if cpu_has aes sha_ni; then
                add_cpu "hw" "$X86_MASK"
            else
                printf 'sw plain -\n' >>"$ENGINES_FILE"
                skip "engine hw" "the CPU has no AES or SHA instructions"
            fi
            ;;
        arm)
            if cpu_has aes sha2; then
                add_cpu "arm-ce" "$ARM_MASK"
            else
                printf 'sw plain -\n' >>"$ENGINES_FILE"
                skip "engine arm-ce" "the CPU has no Crypto Extension"
            fi
            ;;
        *) printf 'sw plain -\n' >>"$ENGINES_FILE" ;;
    esac
}

# The first accelerator is hw (on x86 that is the CPU's own instructions); any
# other keeps its own name.
add_accelerator() {
    if [ -z "$find_engines_accelerator" ] && [ "$(cpu_kind)" != x86 ]; then
        find_engines_accelerator=$2
        printf 'hw %s %s\n' "$1" "$2" >>"$ENGINES_FILE"
    else
        printf '%s %s %s\n' "$2" "$1" "$2" >>"$ENGINES_FILE"
    fi
}

add_cpu() {
    printf '%s plain -\nsw mask %s\n' "$1" "$2" >>"$ENGINES_FILE"
}

engine_names() {
    awk '{ print $1 }' "$ENGINES_FILE"
}

# load_engine NAME: sets ENGINE_KIND, ENGINE_VALUE, and the words that an openssl command
# needs for it: ENGINE_VARIABLE, ENGINE_ARGUMENTS. It starts no program, as it is called
# for each point.
load_engine() {
    while read -r load_engine_name ENGINE_KIND ENGINE_VALUE; do
        [ "$load_engine_name" != "$1" ] || break
    done <"$ENGINES_FILE"
    ENGINE_VARIABLE=
    ENGINE_ARGUMENTS=
    case $ENGINE_KIND in
        mask) ENGINE_VARIABLE=$ENGINE_VALUE ;;
        engine) ENGINE_ARGUMENTS="-engine $ENGINE_VALUE" ;;
        provider) ENGINE_ARGUMENTS="-provider $ENGINE_VALUE -provider default -propquery ?provider=$ENGINE_VALUE" ;;
    esac
}

# engine_runs ENGINE ALGORITHM: succeeds if the engine, and not software, runs this one.
engine_runs() {
    load_engine "$1"
    case $ENGINE_KIND in
        engine) engine_offers "$ENGINE_VALUE" "$2" ;;
        provider) provider_offers "$ENGINE_VALUE" "$2" ;;
        *) return 0 ;;
    esac
}

# quick_speed ENGINE ALGORITHM: prints kB/s at 16 KiB blocks, measured for one second.
quick_speed() {
    load_engine "$1"
    # shellcheck disable=SC2086 # one word for each argument
    env ${ENGINE_VARIABLE:+"$ENGINE_VARIABLE"} openssl speed -elapsed \
        ${SPEED_SECONDS:+-seconds 1 -bytes 16384} $ENGINE_ARGUMENTS -evp "$2" 2>/dev/null |
        awk 'NF { last = $NF } END { sub(/k$/, "", last); printf "%.0f\n", last }'
}

# check_mask ALGORITHM: tests that the mask hides instructions. The result is kept in
# checks.txt, so it is measured once per folder.
check_mask() {
    check_mask_full=$(awk '$2 == "plain" { print $1 }' "$ENGINES_FILE")
    load_engine sw
    if [ "$ENGINE_KIND" != mask ] || [ -z "$check_mask_full" ]; then
        return 0
    fi
    if grep -q "^mask $1: " "$OUT/checks.txt" 2>/dev/null; then
        return 0
    fi
    check_mask_fast=$(quick_speed "$check_mask_full" "$1")
    check_mask_slow=$(quick_speed sw "$1")
    if awk -v fast="$check_mask_fast" -v slow="$check_mask_slow" 'BEGIN { exit !(slow > 0 && fast > 1.1 * slow) }'; then
        check_mask_verdict="the mask has effect"
    else
        check_mask_verdict="NO EFFECT, sw runs the same code"
        warn "sw $1" "the CPU capability mask has no effect: sw and $check_mask_full are the same code"
    fi
    say "mask $1: $check_mask_full $check_mask_fast kB/s, sw $check_mask_slow kB/s: $check_mask_verdict"
    printf '%s\n' "mask $1: $check_mask_full $check_mask_fast kB/s, sw $check_mask_slow kB/s: $check_mask_verdict" >>"$OUT/checks.txt"
}
