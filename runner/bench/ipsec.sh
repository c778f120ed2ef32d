# shellcheck shell=sh
# IPsec between this board and the peer: ESP in transport mode by the kernel (xfrm), with keys
# set by hand on both sides. Once with the accelerator's driver, once without.

IPSEC_SPI_OUT=0x70657266
IPSEC_SPI_IN=0x70657267

run_ipsec() {
    case $PEER in
        '') skip ipsec "name the other side: --peer HOST or netns"; return 0 ;;
        local) skip ipsec "the loopback carries no IPsec"; return 0 ;;
        netns) ;;
        *)
            if [ -z "$PEER_SHELL" ]; then
                skip ipsec "the keys have to be set on $PEER, too: --peer-shell COMMAND"
                return 0
            fi
            ;;
    esac
    [ -z "$SHOW_PLAN" ] || { say "ipsec: $IPSEC_ALGORITHMS with $PEER, $NET_SECONDS s for TCP and each packet size"; return 0; }
    if [ "$(id -u)" -ne 0 ]; then
        skip ipsec "needs root"
        return 0
    fi
    if ! ip xfrm state count >/dev/null 2>&1; then
        skip ipsec "the kernel has no xfrm, or ip is BusyBox's: iproute2 is needed"
        return 0
    fi
    find_program iperf3 iperf3 || return 0
    network_begin ipsec || return 0
    if network_answers iperf3 && ipsec_addresses; then
        undo_later ipsec "$IPSEC_OWN $IPSEC_HOST"
        ipsec_algorithms
        if kernel_accelerates; then
            ipsec_module=$(kernel_driver | awk '{ print $2 }')
            undo_later modprobe "$ipsec_module"
            if [ "$ipsec_module" = kernel ] || ! rmmod "$ipsec_module" 2>/dev/null; then
                skip "ipsec without accelerator" "its driver ($ipsec_module) cannot be removed"
            else
                ipsec_algorithms
            fi
        fi
    fi
    stop_started
    undo_all
}

# ipsec_addresses: sets IPSEC_OWN and IPSEC_HOST to numeric addresses.
ipsec_addresses() {
    IPSEC_HOST=$NETWORK_HOST
    case $NETWORK_HOST in
        *[!0-9.:]*) IPSEC_HOST=$(getent hosts "$NETWORK_HOST" | awk '{ print $1; exit }') ;;
    esac
    IPSEC_OWN=$(ip -o route get "${IPSEC_HOST:-none}" 2>/dev/null | sed -n 's/.* src \([^ ]*\).*/\1/p')
    [ -z "$IPSEC_OWN" ] || return 0
    skip ipsec "there is no address of $NETWORK_HOST, or no way to it"
    return 1
}

ipsec_algorithms() {
    for ipsec_algorithm in $IPSEC_ALGORITHMS; do
        if ! ipsec_transform "$ipsec_algorithm"; then
            skip "ipsec $ipsec_algorithm" "the runner does not know it"
            continue
        fi
        if [ "$ipsec_algorithm" != none ] && ! ipsec_secure 2>"$STATE/ipsec"; then
            ipsec_open "$IPSEC_OWN" "$IPSEC_HOST" 2>/dev/null
            skip "ipsec $ipsec_algorithm" "$(grep . "$STATE/ipsec" | head -n 1)"
            continue
        fi
        ipsec_points
        ipsec_open "$IPSEC_OWN" "$IPSEC_HOST" 2>/dev/null
    done
}

# ipsec_transform NAME: sets IPSEC_TRANSFORM, the words of `ip xfrm state add`, and
# IPSEC_AEAD, the kernel's name for it. Names are strongSwan's: aes128-sha256, aes256gcm16.
ipsec_transform() {
    IPSEC_TRANSFORM='' IPSEC_AEAD=''
    case $1 in
        none) return 0 ;;
        aes128gcm16) ipsec_aead 'rfc4106(gcm(aes))' 20; return ;;
        aes192gcm16) ipsec_aead 'rfc4106(gcm(aes))' 28; return ;;
        aes256gcm16) ipsec_aead 'rfc4106(gcm(aes))' 36; return ;;
        chacha20poly1305) ipsec_aead 'rfc7539esp(chacha20,poly1305)' 36; return ;;
    esac
    case $1 in
        aes128-*) ipsec_cipher='cbc(aes)' ipsec_bytes=16 ;;
        aes192-*) ipsec_cipher='cbc(aes)' ipsec_bytes=24 ;;
        aes256-*) ipsec_cipher='cbc(aes)' ipsec_bytes=32 ;;
        3des-*) ipsec_cipher='cbc(des3_ede)' ipsec_bytes=24 ;;
        *) return 1 ;;
    esac
    case $1 in
        *-md5) ipsec_hash=md5 ipsec_hash_bytes=16 ipsec_cut=96 ;;
        *-sha1) ipsec_hash=sha1 ipsec_hash_bytes=20 ipsec_cut=96 ;;
        *-sha256) ipsec_hash=sha256 ipsec_hash_bytes=32 ipsec_cut=128 ;;
        *-sha384) ipsec_hash=sha384 ipsec_hash_bytes=48 ipsec_cut=192 ;;
        *-sha512) ipsec_hash=sha512 ipsec_hash_bytes=64 ipsec_cut=256 ;;
        *) return 1 ;;
    esac
    IPSEC_AEAD="authenc(hmac($ipsec_hash),$ipsec_cipher)"
    IPSEC_TRANSFORM="enc '$ipsec_cipher' $(ipsec_key "$ipsec_bytes")"
    IPSEC_TRANSFORM="$IPSEC_TRANSFORM auth-trunc 'hmac($ipsec_hash)' $(ipsec_key "$ipsec_hash_bytes") $ipsec_cut"
}

# ipsec_aead NAME BYTES: sets a transform whose key and salt are one word.
ipsec_aead() {
    IPSEC_AEAD=$1
    IPSEC_TRANSFORM="aead '$1' $(ipsec_key "$2") 128"
}

ipsec_key() {
    printf '0x%s' "$(od -An -v -N"$1" -tx1 /dev/urandom | tr -d ' \n')"
}

# ipsec_secure: sets keys and policies on both sides. They apply to iperf3's port only, so that
# a login over the same link goes on; packets without ESP are dropped there.
ipsec_secure() {
    {
        echo 'set -e'
        printf 'ip xfrm state add src %s dst %s proto esp spi %s reqid 19 mode transport %s\n' \
            "$IPSEC_OWN" "$IPSEC_HOST" "$IPSEC_SPI_OUT" "$IPSEC_TRANSFORM" \
            "$IPSEC_HOST" "$IPSEC_OWN" "$IPSEC_SPI_IN" "$IPSEC_TRANSFORM"
    } >"$STATE/ipsec.keys"
    chmod 600 "$STATE/ipsec.keys"
    {
        cat "$STATE/ipsec.keys"
        ipsec_policies out in
    } | sh -s || return 1
    {
        cat "$STATE/ipsec.keys"
        ipsec_policies in out
    } | ipsec_there
}

# ipsec_policies DIRECTION DIRECTION: sets the policies for sending and for receiving.
ipsec_policies() {
    for ipsec_protocol in 6 17; do
        printf 'ip xfrm policy add src %s dst %s proto %s dport %s dir %s tmpl src %s dst %s proto esp reqid 19 mode transport\n' \
            "$IPSEC_OWN" "$IPSEC_HOST" "$ipsec_protocol" "$NETWORK_IPERF_PORT" "$1" "$IPSEC_OWN" "$IPSEC_HOST"
        printf 'ip xfrm policy add src %s dst %s proto %s sport %s dir %s tmpl src %s dst %s proto esp reqid 19 mode transport\n' \
            "$IPSEC_HOST" "$IPSEC_OWN" "$ipsec_protocol" "$NETWORK_IPERF_PORT" "$2" "$IPSEC_HOST" "$IPSEC_OWN"
    done
}

# ipsec_there: runs the script on standard input on the other side.
ipsec_there() {
    # shellcheck disable=SC2086 # words of a command
    ${NETWORK_IN:-$PEER_SHELL} sh -s
}

# ipsec_open OWN HOST: removes keys and policies on both sides. Those of a network
# namespace are removed with it.
ipsec_open() {
    rm -f "$STATE/ipsec.keys"
    ipsec_remove "$1" "$2" out in | sh -s
    [ -z "${NETWORK_IN:-$PEER_SHELL}" ] || ipsec_remove "$1" "$2" in out | ipsec_there
}

# ipsec_remove OWN HOST DIRECTION DIRECTION: prints the commands that remove them.
ipsec_remove() {
    for ipsec_protocol in 6 17; do
        printf 'ip xfrm policy delete src %s dst %s proto %s dport %s dir %s\n' "$1" "$2" "$ipsec_protocol" "$NETWORK_IPERF_PORT" "$3"
        printf 'ip xfrm policy delete src %s dst %s proto %s sport %s dir %s\n' "$2" "$1" "$ipsec_protocol" "$NETWORK_IPERF_PORT" "$4"
    done
    printf 'ip xfrm state delete src %s dst %s proto esp spi %s\n' "$1" "$2" "$IPSEC_SPI_OUT" "$2" "$1" "$IPSEC_SPI_IN"
}

# ipsec_driver: prints the kernel's driver, of several the one with the highest priority.
ipsec_driver() {
    awk -v wanted="$IPSEC_AEAD" '
        $1 == "name" { name = $3 }
        $1 == "driver" { driver = $3 }
        $1 == "priority" && name == wanted && (text == "" || $3 + 0 > best) { best = $3 + 0; text = driver }
        END { print text }' "$CRYPTO" 2>/dev/null
}

# ipsec_engine DRIVER: prints the engine of a driver. For a compound driver the cipher counts.
ipsec_engine() {
    ipsec_engine_name=$1
    case $ipsec_engine_name in authenc\(*,*\)) ipsec_engine_name=${ipsec_engine_name#*,} ipsec_engine_name=${ipsec_engine_name%\)} ;; esac
    case $ipsec_engine_name in rfc4106\(*\)) ipsec_engine_name=${ipsec_engine_name#rfc4106\(} ipsec_engine_name=${ipsec_engine_name%\)} ;; esac
    case $ipsec_engine_name in gcm_base\(*,*\)) ipsec_engine_name=${ipsec_engine_name#gcm_base\(} ipsec_engine_name=${ipsec_engine_name%,*} ;; esac
    driver_engine "$ipsec_engine_name"
}

# ipsec_points: measures TCP, then datagrams by the length of the packet before ESP.
ipsec_points() {
    if [ "$ipsec_algorithm" = none ]; then
        ipsec_words=' algorithm=none stack=none engine=none'
    else
        ipsec_found=$(ipsec_driver)
        ipsec_words=" algorithm=$ipsec_algorithm stack=xfrm engine=$(ipsec_engine "$ipsec_found") driver=${ipsec_found:--} mode=transport"
    fi
    network_mode=$ipsec_words
    set -- iperf3 -c "$NETWORK_HOST" -p "$NETWORK_IPERF_PORT" -t "$NET_SECONDS" -J
    network_point ipsec ipsec.log "$@"
    for ipsec_size in $IPSEC_SIZES; do
        network_mode="$ipsec_words packet_size=$ipsec_size datagram=$((ipsec_size - 28))"
        network_point ipsec ipsec.log "$@" -u -b 0 -l "$((ipsec_size - 28))"
    done
}
