# shellcheck shell=sh
# fio on files, file systems and raw devices. Only what --fio-write names is opened
# for writing.

run_storage() {
    if [ -z "$FIO_READ$FIO_WRITE" ]; then
        skip storage "name what to read or write: --fio-read, --fio-write"
        return 0
    fi
    find_program fio fio || return 0
    storage_engine='--ioengine=psync'
    ! fio --enghelp 2>/dev/null | grep -q '[[:space:]]libaio$' || storage_engine='--ioengine=libaio --iodepth=4'
    for storage_item in $FIO_READ; do
        storage_read "${storage_item%%=*}" "${storage_item#*=}"
    done
    for storage_item in $FIO_WRITE; do
        storage_write "${storage_item%%=*}" "${storage_item#*=}"
    done
}

# storage_read NAME PATH: measures a block device or a file.
storage_read() {
    if [ -d "$2" ]; then
        skip "$1" "$2 is a folder; reading takes a file or a device, or --fio-write $1=$2"
    elif [ ! -r "$2" ]; then
        skip "$1" "$2 cannot be read"
    else
        storage_jobs "$1" "$2" "$(storage_filesystem "$2")" read --readonly
    fi
}

# storage_write NAME PATH: measures a folder, in a file of its own, or a block device,
# whose content is lost.
storage_write() {
    if [ -d "$2" ]; then
        storage_file=$2/perfguide-fio.dat
        if [ -e "$storage_file" ]; then
            skip "$1" "$storage_file is there already, and is not overwritten"
            return 0
        fi
        storage_free=$(df -Pk "$2" | awk 'END { print $4 + 0 }')
        if [ "$storage_free" -lt "$((FIO_MIB * 1024 + 1024))" ]; then
            skip "$1" "$2 has $((storage_free / 1024)) MiB free; --fio-mib is $FIO_MIB"
            return 0
        fi
        [ -n "$SHOW_PLAN" ] || undo_later remove "$storage_file"
        storage_jobs "$1" "$storage_file" "$(storage_filesystem "$2")" write
        storage_jobs "$1" "$storage_file" "$(storage_filesystem "$2")" read
        undo_all
    elif [ -b "$2" ]; then
        storage_user=$(device_user "$2")
        if [ -n "$storage_user" ]; then
            skip "$1" "$2 is in use: $storage_user"
            return 0
        fi
        storage_jobs "$1" "$2" raw write
        storage_jobs "$1" "$2" raw read --readonly
    else
        skip "$1" "$2 is neither a folder nor a block device; a file that is there is not overwritten"
    fi
}

# storage_filesystem PATH: prints “raw”, or the type of the file system.
storage_filesystem() {
    if [ -b "$1" ]; then
        echo raw
        return
    fi
    storage_mount=$(df -P "$1" | awk 'END { print $NF }')
    awk -v at="$storage_mount" '$2 == at { type = $3 } END { print (type == "" ? "unknown" : type) }' /proc/mounts
}

# device_user DEVICE: prints what uses it or a part of it, if anything.
device_user() {
    device_user_name=$(readlink -f "$1") || { echo "it cannot be resolved"; return; }
    device_user_name=${device_user_name##*/}
    for device_user_path in "$SYS/class/block/$device_user_name" "$SYS/class/block/$device_user_name"/*/; do
        device_user_path=${device_user_path%/}
        device_user_part=${device_user_path##*/}
        [ "$device_user_part" = "$device_user_name" ] || [ -e "$device_user_path/partition" ] || continue
        device_user_number=$(cat "$device_user_path/dev" 2>/dev/null)
        if grep -q " $device_user_number " /proc/self/mountinfo 2>/dev/null; then
            echo "$device_user_part is mounted"
        elif grep -q "/${device_user_part}[[:space:]]" /proc/mounts /proc/swaps 2>/dev/null; then
            echo "$device_user_part is mounted or swap"
        elif [ -n "$(ls "$device_user_path/holders" 2>/dev/null)" ]; then
            echo "$device_user_part belongs to $(ls "$device_user_path/holders")"
        fi
    done | head -n 1
}

# storage_jobs NAME FILE FILESYSTEM DIRECTION [OPTION]: runs all block sizes and repetitions.
storage_jobs() {
    storage_mib=$FIO_MIB
    # Files that are only read are not extended.
    [ -z "${5:-}" ] || [ -b "$2" ] || storage_mib=$(($(wc -c <"$2") / 1048576))
    if [ "$storage_mib" -lt 1 ]; then
        skip "$1" "$2 is shorter than 1 MiB"
        return 0
    fi
    storage_repetition=$REPETITIONS_FROM
    while [ "$storage_repetition" -le "$REPETITIONS" ]; do
        for storage_size in $FIO_SIZES; do
            # shellcheck disable=SC2086 # the engine is two words
            set -- "$1" "$2" "$3" "$4" "${5:-}" fio --name="$1" --filename="$2" --rw="$4" --bs="$storage_size" \
                --size="${storage_mib}m" $storage_engine --direct="$FIO_DIRECT" --runtime="$FIO_SECONDS" \
                --time_based --output-format=json ${5:+"$5"}
            [ -z "$SHOW_PLAN" ] || { say "$1: $4 $2 by $storage_size, $FIO_SECONDS s"; set -- "$1" "$2" "$3" "$4" "$5"; continue; }
            storage_point "$@"
            set -- "$1" "$2" "$3" "$4" "$5"
        done
        storage_repetition=$((storage_repetition + 1))
    done
}

# storage_point NAME FILE FILESYSTEM DIRECTION OPTION COMMAND…
storage_point() {
    storage_what="$1 $3 $4 $storage_size"
    storage_log=$1.$3.$4.log
    storage_head="benchmark=$1 filesystem=$3 access=$4 repetition=$storage_repetition"
    shift 5
    storage_head="$storage_head command=$*"
    is_done "$storage_head" || run_point "$storage_log" "$storage_head" "$@" || {
        summary failed "$storage_what" "status $?, see $storage_log"
        return 0
    }
    summary "done" "$storage_what"
}
