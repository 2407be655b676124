# shellcheck shell=sh
# What the tests of the HTML report share; read after programs.sh.

# The Python that has Debian's packages may not be the first one.
# shellcheck disable=SC2034 # for the tests
need_selenium() {
    for python in python3 /usr/bin/python3; do
        ! "$python" -c 'import selenium' 2>/dev/null || return 0
    done
    skip "no selenium (Debian: python3-selenium)"
}
