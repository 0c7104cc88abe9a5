# Entries of the same name, where there are few, are in the order of the file.
printf '\12\4\10\1\20\2\22\6\12\1\1\22\1\3\22\6\12\1\2\22\1\3\22\7\12\2\3'\
'\2\22\1\4"\6\10\1"\2\10\1"\6\10\2"\2\10\2"\6\10\3"\2\10\3*\10\10\1'\
'\20\3 \4(\1*\10\10\2\20\5 \4(\2*\10\10\3\20\6 \7(\0012\0002\1n2\5c'\
'ount2\1a2\3x.c2\1b2\1c2\3y.c' \
	>$TMP/p.pb
wick pprof -top -files $TMP/p.pb 2>&1
