#!/bin/sh
# Sends bundles, their signatures and logs to the inbox of a site. See source/lab.rst.

usage() {
    cat <<'END'
Usage: upload.sh [OPTION…] FOLDER TARGET

Sends all files of FOLDER to TARGET, bundles (*.json) after all others, since the
inbox takes a bundle together with what is there by then. What has arrived is kept in
FOLDER/.uploaded and not sent again; a file that changed since is.

TARGET is one of
  rsync:HOST:FOLDER   by rsync; a file that was cut goes on where it ended
  scp:HOST:FOLDER     by scp
  https://HOST/PATH/  by HTTP PUT with curl, also http://

  -s KEY      signs bundles without a signature that fits, with ssh-keygen and this key
  -e COMMAND  the remote shell of rsync, such as "ssh -p 2222"   [ssh]
  -p PORT     of scp                                             [22]
  -c FILE     curl reads this configuration, such as a password
  -t N        tries for each file                                [5]
  -w N        seconds before the second try; doubled each time   [10]
  -h          this text

Each file has another name until all of it is there: TARGET never has half of one
under its name (with PUT that is the server's task). Its folder must be there. After a
file that did not arrive in all its tries, the others are not tried.
Exit status: 0 all is there, 1 some files are not, 2 wrong usage.
END
}

wrong() {
    printf 'upload.sh: %s\n' "$*" >&2
    exit 2
}

KEY='' SHELL_OF_RSYNC=ssh PORT=22 CONFIG='' TRIES=5 WAIT=10
while getopts s:e:p:c:t:w:h option; do
    case $option in
        s) KEY=$OPTARG ;;
        e) SHELL_OF_RSYNC=$OPTARG ;;
        p) PORT=$OPTARG ;;
        c) CONFIG=$OPTARG ;;
        t) TRIES=$OPTARG ;;
        w) WAIT=$OPTARG ;;
        h) usage; exit 0 ;;
        *) wrong "upload.sh -h lists the options" ;;
    esac
done
shift "$((OPTIND - 1))"
[ "$#" -eq 2 ] || wrong "give a folder and a target; upload.sh -h explains them"
for number in "$TRIES" "$WAIT" "$PORT"; do
    case $number in '' | *[!0-9]*) wrong "-t, -w and -p take whole numbers, not '$number'" ;; esac
done
FOLDER=$1
TARGET=$2
[ -d "$FOLDER" ] || wrong "there is no folder $FOLDER"
case $TARGET in
    rsync:?*:?* | scp:?*:?*)
        HOST=${TARGET#*:}
        WHERE=${HOST#*:}
        HOST=${HOST%%:*}
        # A remote shell will split both into words.
        case $HOST in -* | *[!A-Za-z0-9@._-]*) wrong "'$HOST' is no name of a host" ;; esac
        case $WHERE in *[!A-Za-z0-9@._/-]* | -*) wrong "'$WHERE' has other characters than letters, digits and @._/-" ;; esac
        ;;
    http://?*/ | https://?*/) ;;
    *) wrong "'$TARGET' is neither rsync:HOST:FOLDER, scp:HOST:FOLDER nor an address that ends in /" ;;
esac
UPLOADED=$FOLDER/.uploaded
touch "$UPLOADED" || wrong "cannot write to $FOLDER"

# send PATH: sends it once.
send() {
    send_name=${1##*/}
    case $TARGET in
        rsync:*)
            rsync -t --checksum --partial-dir=.perfguide-partial -e "$SHELL_OF_RSYNC" -- "$1" "$HOST:$WHERE/"
            ;;
        scp:*)
            # shellcheck disable=SC2029 # the names are of safe characters
            scp -q -P "$PORT" -o BatchMode=yes -- "$1" "$HOST:$WHERE/.$send_name.part" </dev/null &&
                ssh -p "$PORT" -o BatchMode=yes "$HOST" "mv '$WHERE/.$send_name.part' '$WHERE/$send_name'" </dev/null
            ;;
        http*)
            # With "Expect", curl waits a second for old servers before it sends the body.
            curl -fsS -H Expect: ${CONFIG:+-K "$CONFIG"} --connect-timeout 20 -T "$1" "$TARGET$send_name" >/dev/null
            ;;
    esac
}

# arrive PATH: sends it with retries. Status 1: it must not be sent by its name; 2: it did not
# arrive.
arrive() {
    case ${1##*/} in
        *[!A-Za-z0-9._-]*) printf 'upload.sh: %s: rename it, only letters, digits and ._- are sent\n' "$1" >&2; return 1 ;;
    esac
    arrive_line="$(cksum <"$1") ${1##*/} $TARGET"
    ! grep -Fxq -- "$arrive_line" "$UPLOADED" || return 0
    arrive_try=1
    arrive_wait=$WAIT
    while ! send "$1"; do
        if [ "$arrive_try" -ge "$TRIES" ]; then
            printf 'upload.sh: %s did not arrive in %s tries\n' "$1" "$TRIES" >&2
            return 2
        fi
        sleep "$arrive_wait"
        arrive_try=$((arrive_try + 1))
        arrive_wait=$((arrive_wait * 2))
    done
    printf '%s\n' "$arrive_line" >>"$UPLOADED"
    printf 'sent: %s\n' "${1##*/}"
}

# deliver PATH: sends it and records failures. Exits if the target accepts nothing.
deliver() {
    arrive "$1" || {
        deliver_status=$?
        STATUS=1
        [ "$deliver_status" -eq 1 ] || {
            printf 'upload.sh: the other files were not sent; fix the fault above and run the same command again\n' >&2
            exit 1
        }
    }
}

STATUS=0
if [ -n "$KEY" ]; then
    for file in "$FOLDER"/*.json; do
        [ -f "$file" ] || continue
        # The signature of an earlier bundle with the same name would be refused.
        if [ -f "$file.sig" ] && ssh-keygen -q -Y check-novalidate -n perfguide -s "$file.sig" <"$file" >/dev/null 2>&1; then
            continue
        fi
        rm -f "$file.sig"
        ssh-keygen -q -Y sign -n perfguide -f "$KEY" "$file" </dev/null || { STATUS=1; rm -f "$file.sig"; }
    done
fi
for file in "$FOLDER"/*; do
    case $file in *.json) continue ;; esac
    [ ! -f "$file" ] || deliver "$file"
done
for file in "$FOLDER"/*.json; do
    [ -f "$file" ] || continue
    if [ -n "$KEY" ] && [ ! -f "$file.sig" ]; then
        printf 'upload.sh: %s: without its signature it is not sent\n' "$file" >&2
    elif [ "$STATUS" -eq 0 ]; then
        deliver "$file"
    else
        printf 'upload.sh: %s waits for what belongs to it\n' "$file" >&2
    fi
done
exit "$STATUS"
