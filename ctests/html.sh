# shellcheck shell=sh
# Shared functions of the tests of the HTML report; read after programs.sh.

# The first Python in PATH may lack Debian's packages.
# shellcheck disable=SC2034 # for the tests
need_selenium() {
    for python in python3 /usr/bin/python3; do
        ! "$python" -c 'import selenium' 2>/dev/null || return 0
    done
    skip "no selenium (Debian: python3-selenium)"
}
