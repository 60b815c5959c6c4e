# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Tests in shell that report in TAP: source this file, call tap_test or tap_skip for each test, and
# end with tap_finish. What a test prints is shown only when it fails.

tap_count=0
tap_failed=0
echo "TAP version 13"

# tap_test NAME COMMAND...: passes when the command does, within TAP_TIMEOUT seconds if that is set.
tap_test() {
    local name=$1 log
    shift
    log=$(mktemp)
    tap_count=$((tap_count + 1))
    if [ -n "${TAP_TIMEOUT:-}" ] && [ "$(type -t "$1")" = file ]; then
        set -- timeout -k 5 "$TAP_TIMEOUT" "$@"
    fi
    if "$@" >"$log" 2>&1 </dev/null; then
        echo "ok $tap_count - $name"
    else
        tap_failed=$((tap_failed + 1))
        echo "not ok $tap_count - $name"
        sed 's/^/# /' "$log"
    fi
    rm -f "$log"
}

tap_skip() {
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $1 # SKIP $2"
}

tap_finish() {
    echo "1..$tap_count"
    [ "$tap_failed" -eq 0 ]
    exit
}
