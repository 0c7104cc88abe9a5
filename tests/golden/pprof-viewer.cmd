# The viewer gets a file of its own, which goes when it ends.
printf '#!/bin/sh\nhead -c 13 "$1"; echo; basename "$1"\n' >$TMP/viewer
chmod +x $TMP/viewer
BROWSER=$TMP/viewer PPROF_TMPDIR=$TMP wick pprof -web server.pb.gz
ls $TMP
