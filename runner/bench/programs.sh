# shellcheck shell=sh
# Programs that are run without preparation, if they are installed.

run_programs() {
    for run_programs_name in $PROGRAMS; do
        case $run_programs_name in
            7-zip)
                program 7-zip '7z 7zz 7za 7zr' 'b'
                program 7-zip '7z 7zz 7za 7zr' 'b -mmt1'
                ;;
            tinymembench) program tinymembench 'tinymembench' '' ;;
            cryptsetup) run_cryptsetup ;;
            coremark) program coremark 'coremark coremark.exe' '' ;;
            stream) program stream 'stream_c stream' '' ;;
            dhrystone) program dhrystone 'runDhrystone dhrystone dhry' '' ;;
            whetstone) program whetstone 'runWhetstone whetstone' '' ;;
            linpack) program linpack 'runLinpack linpack' '' ;;
            nbench) program nbench 'nbench' '' ;;
            multibench) program multibench 'multibench' '' ;;
            coremark-pro)
                for programs_contexts in $THREADS; do
                    program coremark-pro 'coremark-pro' "-c$programs_contexts" "contexts=$programs_contexts"
                done
                ;;
            lmbench) run_lmbench ;;
            glmark2) run_glmark2 ;;
        esac
    done
}

# glmark2, on each display: the program's name says which one it draws on.
run_glmark2() {
    if [ -n "${WAYLAND_DISPLAY:-}" ]; then
        program glmark2 'glmark2-es2-wayland glmark2-wayland' '' backend=Wayland
    elif [ -n "${DISPLAY:-}" ]; then
        program glmark2 'glmark2-es2 glmark2 glmark2-es2-x11 glmark2-x11' '' backend=X11
    elif ls /dev/dri/card* >/dev/null 2>&1; then
        program glmark2 'glmark2-es2-drm glmark2-es2-gbm glmark2-drm glmark2-gbm' '' backend=DRM
    else
        skip glmark2 "there is no display: neither Wayland, X11 nor /dev/dri"
    fi
}

# cryptsetup benchmark, of key derivation only if the kernel offers no ciphers.
run_cryptsetup() {
    if command -v cryptsetup >/dev/null 2>&1 &&
        ! cryptsetup benchmark --cipher aes-cbc --key-size 128 >/dev/null 2>&1; then
        skip "ciphers of cryptsetup" "the kernel has no algif_skcipher"
        for run_cryptsetup_hash in sha1 sha256 sha512; do
            program cryptsetup cryptsetup "benchmark --pbkdf pbkdf2 --hash $run_cryptsetup_hash"
        done
    else
        program cryptsetup cryptsetup benchmark
    fi
}

# program BENCHMARK CANDIDATES ARGUMENTS [WORDS [TIMER]]: runs the first candidate that is
# installed and is the right program, once for each repetition; TIMER is a command that runs it.
program() {
    # shellcheck disable=SC2086 # the candidates are words
    find_program "$1" $2 || return 0
    program_found=$FOUND
    [ -z "$SHOW_PLAN" ] || { say "$1: $program_found${3:+ $3}"; return 0; }
    program_repetition=$REPETITIONS_FROM
    while [ "$program_repetition" -le "$REPETITIONS" ]; do
        program_head="benchmark=$1${4:+ $4} repetition=$program_repetition command=${5:+$5 }$program_found${3:+ $3}"
        # shellcheck disable=SC2086 # the arguments are words
        if is_done "$program_head" || run_point "$1.log" "$program_head" program_at_home ${5:-} "$program_found" $3; then
            summary "done" "$1" "$program_found"
        else
            program_failed "$1" "$program_found${3:+ $3}" "$?"
        fi
        program_repetition=$((program_repetition + 1))
    done
}

# program_failed BENCHMARK COMMAND STATUS
program_failed() {
    if [ "$3" -eq 126 ]; then
        summary failed "$2" "it printed nothing of $1: it is another program, or cannot be run"
    else
        summary failed "$2" "status $3, see $1.log"
    fi
}

# program_at_home PROGRAM ARGUMENT…: runs it in its own folder, where nbench needs
# its NNET.DAT; Linpack asks for the size of its matrix.
program_at_home() {
    program_home=$(command -v "$1")
    program_home=${program_home%/*}
    case $program_home in
        /*) [ ! -f "$program_home/NNET.DAT" ] || cd "$program_home" || return 1 ;;
    esac
    case $1 in
        *[lL]inpack) printf '200\nq\n' | "$@" ;;
        *) "$@" ;;
    esac
}

# LMBench's programs, one by one. Their names are common words, so all are taken
# from bw_mem's folder.
run_lmbench() {
    run_lmbench_path=$PATH
    for run_lmbench_dir in /usr/lib/lmbench/bin /usr/lib/lmbench/bin/* /opt/lmbench/bin/*; do
        [ ! -x "$run_lmbench_dir/bw_mem" ] || PATH=$run_lmbench_dir:$PATH
    done
    if command -v bw_mem >/dev/null 2>&1; then
        for run_lmbench_operation in rd wr rdwr cp frd fwr fcp bzero bcopy; do
            for run_lmbench_size in 1m 2m 4m 8m 16m; do
                program lmbench bw_mem "$run_lmbench_size $run_lmbench_operation"
            done
        done
        program lmbench lat_mem_rd '8 128'
        for run_lmbench_call in null read write; do
            program lmbench lat_syscall "$run_lmbench_call"
        done
        for run_lmbench_call in install catch; do
            program lmbench lat_sig "$run_lmbench_call"
        done
        for run_lmbench_call in procedure fork exec; do
            program lmbench lat_proc "$run_lmbench_call"
        done
        for run_lmbench_size in 128k 256k; do
            program lmbench lat_ctx "-s $run_lmbench_size 2 4"
        done
        for run_lmbench_call in bw_pipe lat_pipe bw_unix lat_unix lat_sem lat_ops; do
            program lmbench "$run_lmbench_call" ''
        done
        program lmbench lat_select '-n 200 tcp'
        lmbench_files
        for run_lmbench_call in lat_tcp lat_udp lat_connect; do
            lmbench_served "$run_lmbench_call"
        done
    else
        skip lmbench "the program bw_mem is not installed"
    fi
    PATH=$run_lmbench_path
}

# lmbench_files: runs those that need a file or a folder. These are in memory, as the
# disk would be measured otherwise.
lmbench_files() {
    lmbench_dir=/dev/shm/perfguide-lmbench
    [ -d /dev/shm ] || lmbench_dir=$STATE/lmbench
    if [ -z "$SHOW_PLAN" ]; then
        undo_later remove "$lmbench_dir"
        mkdir -p "$lmbench_dir/files" || return 0
        dd if=/dev/zero of="$lmbench_dir/file" bs=65536 count=32 2>/dev/null
    fi
    program lmbench bw_file_rd "1m io_only $lmbench_dir/file"
    program lmbench bw_file_rd "1m open2close $lmbench_dir/file"
    program lmbench bw_mmap_rd "1m mmap_only $lmbench_dir/file"
    program lmbench bw_mmap_rd "1m open2close $lmbench_dir/file"
    program lmbench lat_mmap "1m $lmbench_dir/file"
    program lmbench lat_pagefault "$lmbench_dir/file"
    for lmbench_call in stat fstat open; do
        program lmbench lat_syscall "$lmbench_call $lmbench_dir/file"
    done
    program lmbench lat_sig "prot $lmbench_dir/file"
    program lmbench lat_fs "$lmbench_dir/files"
    [ -n "$SHOW_PLAN" ] || undo_all
}

# lmbench_served PROGRAM: runs it with its own server, which ends with it.
lmbench_served() {
    if ! command -v "$1" >/dev/null 2>&1; then
        skip lmbench "the program $1 is not installed"
        return 0
    fi
    if [ -z "$SHOW_PLAN" ]; then
        undo_later lmbench-server "$(command -v "$1")"
        "$1" -s >/dev/null 2>&1 </dev/null
        sleep 1
    fi
    program lmbench "$1" localhost
    [ -n "$SHOW_PLAN" ] || undo_all
}
