# Blocks of 0 bytes: a label that a file could not have, and the shell has not.
printf '%s\n' 'heap profile: 3: 300 [3: 300] @ heapprofile' \
	'  3: 300 [3: 300] @ 0x10 0x20' '  0: 0 [0: 0] @ 0x10 0x30' \
	>$TMP/old.heap
wick pprof -symbolize=none -traces $TMP/old.heap
wick pprof -symbolize=none $TMP/old.heap <<end
traces
tags
raw
end
