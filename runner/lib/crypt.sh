# shellcheck shell=sh
# A 16 MB RAM disk as a LUKS device (aes-cbc-null, 128-bit key) formatted with ext2.

# Tests substitute their own folder for the device mapper's.
MAPPER=${PERFGUIDE_MAPPER:-/dev/mapper}
# They also substitute their own list for the kernel's.
CRYPTO=${PERFGUIDE_CRYPTO:-/proc/crypto}
CRYPT_NAME=perfguide-crypt
CRYPT_DEVICE=$MAPPER/$CRYPT_NAME
CRYPT_KIB=16384
COPY_KIB=14336
CRYPT_OPEN=

# crypt_lacks: prints what is missing for the device, if anything.
crypt_lacks() {
    [ "$(id -u)" -eq 0 ] || { echo "needs root"; return; }
    for crypt_lacks_program in cryptsetup mke2fs mount umount; do
        command -v "$crypt_lacks_program" >/dev/null 2>&1 ||
            { echo "$crypt_lacks_program is not installed"; return; }
    done
    if [ ! -e "$MAPPER/control" ]; then
        modprobe dm-crypt 2>/dev/null
        [ -e "$MAPPER/control" ] || echo "the kernel has no device mapper"
    fi
}

# choose_workloads: sets POSSIBLE_WORKLOADS to those of WORKLOADS that this board can
# run. Opens the device.
choose_workloads() {
    POSSIBLE_WORKLOADS=
    for choose_workload in $WORKLOADS; do
        if [ "$choose_workload" = dm-crypt ]; then
            choose_reason=$(crypt_lacks)
            if [ -n "$choose_reason" ]; then
                skip "workload dm-crypt" "$choose_reason"
                continue
            elif [ -z "$SHOW_PLAN" ] && ! crypt_open; then
                skip "workload dm-crypt" "the device could not be made, see dm-crypt.setup.txt"
                continue
            fi
        fi
        POSSIBLE_WORKLOADS="$POSSIBLE_WORKLOADS $choose_workload"
    done
}

# crypt_ram: makes a RAM disk and prints its device.
crypt_ram() {
    if [ ! -b /dev/ram0 ]; then
        undo_later rmmod brd
        modprobe brd rd_nr=1 "rd_size=$CRYPT_KIB" 2>/dev/null
    fi
    if [ -b /dev/ram0 ] && ram_is_free; then
        echo /dev/ram0
        return
    fi
    # Without brd, a file in memory does as well.
    crypt_ram_file=/dev/shm/perfguide-crypt.img
    undo_later remove "$crypt_ram_file"
    dd if=/dev/zero of="$crypt_ram_file" bs=1024 count="$CRYPT_KIB" 2>/dev/null ||
        { echo "$crypt_ram_file cannot be written" >&2; return 1; }
    crypt_ram_device=$(losetup -f) || return 1
    undo_later loop "$crypt_ram_device"
    losetup "$crypt_ram_device" "$crypt_ram_file" || return 1
    echo "$crypt_ram_device"
}

# ram_is_free: succeeds if the RAM disk is large enough and not in use.
ram_is_free() {
    [ "$(cat /sys/block/ram0/size 2>/dev/null || echo 0)" -ge "$((CRYPT_KIB * 2))" ] || return 1
    ! grep -q '^/dev/ram0[[:space:]]' /proc/mounts /proc/swaps 2>/dev/null || return 1
    [ -z "$(ls /sys/block/ram0/holders 2>/dev/null)" ]
}

# crypt_open: sets CRYPT_RAM, CRYPT_DIR, CRYPT_FREE (KiB). The output of the programs
# is in dm-crypt.setup.txt.
crypt_open() {
    CRYPT_DIR=$STATE/mnt
    CRYPT_SOURCE=$STATE/source
    CRYPT_KEY=$STATE/key
    [ ! -d /dev/shm ] || CRYPT_SOURCE=/dev/shm/perfguide-source
    if crypt_make >>"$OUT/dm-crypt.setup.txt" 2>&1; then
        CRYPT_OPEN=yes
        return 0
    fi
    undo_all
    return 1
}

crypt_make() {
    CRYPT_RAM=$(crypt_ram) || return 1
    undo_later remove "$CRYPT_KEY"
    # The speed that dd prints would be mistaken for a figure.
    (umask 077 && dd if=/dev/urandom of="$CRYPT_KEY" bs=32 count=1 2>/dev/null) ||
        { echo "the key cannot be written to $CRYPT_KEY"; return 1; }
    # LUKS1, because a LUKS2 header would fill the disk.
    cryptsetup -q luksFormat --type luks1 --cipher aes-cbc-null --key-size 128 \
        --iter-time 100 "$CRYPT_RAM" "$CRYPT_KEY" || return 1
    undo_later luks-close "$CRYPT_NAME"
    cryptsetup luksOpen --key-file "$CRYPT_KEY" "$CRYPT_RAM" "$CRYPT_NAME" || return 1
    mke2fs -q -F -m 0 "$CRYPT_DEVICE" || return 1
    mkdir -p "$CRYPT_DIR" || return 1
    undo_later umount "$CRYPT_DIR"
    mount -t ext2 "$CRYPT_DEVICE" "$CRYPT_DIR" || return 1
    CRYPT_FREE=$(df -Pk "$CRYPT_DIR" | awk 'END { print $4 + 0 }')
    undo_later remove "$CRYPT_SOURCE"
    [ "$CRYPT_FREE" -gt 256 ]
}

crypt_close() {
    [ -n "$CRYPT_OPEN" ] || return 0
    stop_started
    undo_all
    CRYPT_OPEN=
}

# copy_kib COPIERS: prints the size of each one's file: 14 MB, or its share of the space.
copy_kib() {
    copy_kib_share=$(((${CRYPT_FREE:-$CRYPT_KIB} - 128) / $1))
    [ "$copy_kib_share" -le "$COPY_KIB" ] || copy_kib_share=$COPY_KIB
    printf '%s\n' "$copy_kib_share"
}

# crypt_source COPIERS: makes the file they copy.
crypt_source() {
    dd if=/dev/urandom of="$CRYPT_SOURCE" bs=1024 count="$(copy_kib "$1")" 2>/dev/null
}

# crypt_words THREADS: prints the header's words about the copies.
crypt_words() {
    printf '%s\n' "copiers=$(copiers_for "$1") copy_kib=$(copy_kib "$(copiers_for "$1")") cipher=aes-cbc-null ramdisk=${CRYPT_RAM:--}"
}

# kernel_driver: prints NAME MODULE of the driver that the kernel uses for AES-CBC.
kernel_driver() {
    awk '
        function keep() {
            if (name == "cbc(aes)" && internal != "yes" && priority + 0 >= best) {
                best = priority + 0; text = driver " " module
            }
        }
        $1 == "name" { name = $3; driver = module = priority = internal = "" }
        $1 == "driver" { driver = $3 }
        $1 == "module" { module = $3 }
        $1 == "priority" { priority = $3 }
        $1 == "internal" { internal = $3 }
        NF == 0 { keep(); name = "" }
        END { keep(); print text }' "$CRYPTO" 2>/dev/null
}

# driver_engine DRIVER: prints the engine of a driver: hw is an accelerator, or the
# AES instructions of x86; arm-ce those of Arm; sw is all other CPU code.
driver_engine() {
    case $1 in
        *aesni* | *vaes*) echo hw ;;
        *sun8i*) echo hw ;;
        *-ce) echo arm-ce ;;
        '' | *\(* | *generic* | *neon* | *-lib* | *ppc* | *s390* | *p8_*) echo sw ;;
        *) echo hw ;;
    esac
}

# kernel_accelerates: succeeds if the driver is an accelerator and not CPU code.
kernel_accelerates() {
    kernel_accelerates_driver=$(kernel_driver)
    case $kernel_accelerates_driver in
        *aesni* | *vaes*) return 1 ;;
    esac
    [ "$(driver_engine "${kernel_accelerates_driver%% *}")" = hw ]
}
