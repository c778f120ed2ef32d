# shellcheck shell=sh
# The share of the CPU that a job gets, and the share that the kernel's weights predict.

# awk: expected(LEVEL) is the predicted share, in thousandths, of a job at this nice level beside a loop at
# nice 0. After the lines of time -v, share is that of the job. It is computed from the times, because
# time -v rounds the share to per cents, which gives 0 at nice 19.
# shellcheck disable=SC2016 # awk expands it
SHARE_AWK='
    function expected(level, weights) {
        split("88761 71755 56483 46273 36291 29154 23254 18705 14949 11916 9548 7620 6100 4904 3906 3121 2501 1991 1586 1277 1024 820 655 526 423 335 272 215 172 137 110 87 70 56 45 36 29 23 18 15", weights, " ")
        return 1000 * weights[level + 21] / (weights[level + 21] + 1024)
    }
    function seconds(text, parts, number, part, sum) {
        sub(/.*: /, "", text); gsub(/[hm] /, ":", text); sub(/s$/, "", text)
        number = split(text, parts, ":")
        for (part = 1; part <= number; part++) sum = sum * 60 + parts[part]
        return sum + 0
    }
    /User time \(seconds\): / { used = $NF }
    /System time \(seconds\): / { used += $NF }
    /Elapsed \(wall clock\) time / { elapsed = seconds($0); share = elapsed > 0 ? 1000 * used / elapsed : 0; used = 0 }'

# expected_share LEVEL: prints thousandths.
expected_share() {
    awk "$SHARE_AWK"' BEGIN { printf "%.0f\n", expected('"$1"'); exit }' </dev/null
}

# percent THOUSANDTHS: prints the share for people.
percent() {
    printf '%s\n' "$(($1 / 10)).$(($1 % 10)) %"
}

# predicted_share HEAD: prints the predicted share of the point with this head, in thousandths of a
# core, or nothing: accelerators work while their job sleeps, copies take the core on purpose, and
# openssl does not report the CPU time of each of several jobs.
predicted_share() {
    case $1 in
        *' -engine '* | *' -provider '*) ;;
        benchmark=openssl*' threads=1 workload=alone '*' background=busy-loop '*)
            predicted_share_level=${1#* nice=}
            expected_share "${predicted_share_level%% *}"
            ;;
        benchmark=openssl*' threads=1 workload=alone '*' background=none '*) echo 1000 ;;
    esac
}

# far_share HEAD FILE: prints the share in FILE and the predicted one, in %, if they are far apart: other
# work took the core, or the loop did not. Short runs are not judged, because the times of time -v have
# two decimals, and a new job may get its first slices at once.
far_share() {
    far_share_predicted=$(predicted_share "$1")
    [ -z "$far_share_predicted" ] || awk -v predicted="$far_share_predicted" "$SHARE_AWK"'
        END {
            if (elapsed >= 0.9 && (share < 0.8 * predicted - 20 / elapsed || share > 1.25 * predicted + 100 / elapsed))
                printf "%.1f %.1f\n", share / 10, predicted / 10
        }' "$2"
}
