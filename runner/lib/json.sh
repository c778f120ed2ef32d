# shellcheck shell=sh
# Writing JSON.

# json_string: prints its input as one JSON string, ASCII only. Bytes that are not
# UTF-8 become U+FFFD; NULs (device tree) and trailing newlines (files) are removed.
json_string() {
    od -An -v -tu1 | awk '
        function put(code) {
            if (code == 34 || code == 92) out = out "\\" sprintf("%c", code)
            else if (code >= 32 && code < 127) out = out sprintf("%c", code)
            else if (code < 65536) out = out sprintf("\\u%04x", code)
            else {
                code -= 65536
                out = out sprintf("\\u%04x\\u%04x", 55296 + int(code / 1024), 56320 + code % 1024)
            }
        }
        { for (i = 1; i <= NF; i++) if ($i != 0) byte[++count] = $i + 0 }
        END {
            while (count && byte[count] == 10) count--
            for (i = 1; i <= count; i++) {
                b = byte[i]
                if (b < 128) { put(b); continue }
                if (b >= 194 && b < 224) { more = 1; code = b - 192; least = 128 }
                else if (b >= 224 && b < 240) { more = 2; code = b - 224; least = 2048 }
                else if (b >= 240 && b < 245) { more = 3; code = b - 240; least = 65536 }
                else { put(65533); continue }
                for (j = 1; j <= more && byte[i + j] >= 128 && byte[i + j] < 192; j++)
                    code = code * 64 + byte[i + j] - 128
                if (j <= more || code < least || code > 1114111 || (code >= 55296 && code < 57344)) put(65533)
                else { put(code); i += more }
            }
            print "\"" out "\""
        }'
}

# json_member NAME VALUE: prints `"NAME": "VALUE"`, or nothing if VALUE is empty.
json_member() {
    [ -n "$2" ] || return 0
    printf '%s: %s\n' "$(printf '%s' "$1" | json_string)" "$(printf '%s' "$2" | json_string)"
}

# json_number NAME VALUE: prints the same for a number, and nothing for other values.
json_number() {
    case $2 in
        '' | *[!0-9.-]* | .* | *.) return 0 ;;
    esac
    printf '%s: %s\n' "$(printf '%s' "$1" | json_string)" "$2"
}

# json_object [NAME]: prints an object of members, which are lines of its input.
json_object() {
    [ "$#" -eq 0 ] || printf '%s: ' "$(printf '%s' "$1" | json_string)"
    awk '
        { line[NR] = $0 }
        END {
            printf "{"
            for (i = 1; i <= NR; i++) printf "%s%s", (i == 1 ? "" : ", "), line[i]
            print "}"
        }'
}
