# On each path there is another function, whatever line it starts in.
printf '\12\4\10\1\20\2\22\7\12\2\1\1\22\1\2"\20\10\1\30\1"\4\10\1\20\2"\4'\
'\10\2\20\1*\10\10\1\20\3 \4(\2*\10\10\2\20\3 \4(\0032\0002\1n2\5co'\
'unt2\1f2\3x.c' \
	>$TMP/p.pb
wick pprof -callgrind -call_tree $TMP/p.pb 2>&1 | grep cfn
