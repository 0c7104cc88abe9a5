# The least number has no magnitude: its calls are lighter than any.
printf '\12\4\10\1\20\2\22\20\12\2\2\1\22\12\200\200\200\200\200\200\200'\
'\200\200\1\22\6\12\1\1\22\1\5"\6\10\1"\2\10\1"\6\10\2"\2\10\2*\4'\
'\10\1\20\3*\4\10\2\20\0042\0002\1n2\5count2\4main2\1f' \
	>$TMP/p.pb
wick pprof -peek=main $TMP/p.pb 2>&1
wick pprof -dot $TMP/p.pb 2>&1 | grep -o 'fontsize=[-0-9]*\|Dropped[^\\]*\|N.*->.*\['
