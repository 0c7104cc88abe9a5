# A place without address and line is a function, whatever its column.
printf '\12\4\10\1\20\2\22\7\12\2\2\1\22\1\7\22\7\12\2\3\1\22\1\5"\6\10\1"'\
'\2\10\1"\10\10\2"\4\10\2\30\3"\10\10\3"\4\10\2\30\5*\4\10\1\20\3*'\
'\6\10\2\20\4 \0052\0002\1n2\5count2\4main2\1f2\3a.c' \
	>$TMP/p.pb
wick pprof -callgrind $TMP/p.pb
