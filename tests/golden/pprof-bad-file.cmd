# A file that is no profile is named, in one line.
echo hello >$TMP/hello
wick pprof -top $TMP/hello
