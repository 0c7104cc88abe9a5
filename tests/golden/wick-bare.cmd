# A bare "wick" is a mistake, so the help goes to standard error.
wick 2>$TMP/stderr
status=$?
wick --help | cmp - $TMP/stderr
exit $status
