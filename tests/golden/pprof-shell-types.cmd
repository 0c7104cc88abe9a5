# A type that is called by a number is the one of that number, and a line that
# may mean two types means the last.
printf '\12\4\10\1\20\2\12\4\10\3\20\2\12\4\10\4\20\2\12\4\10\5\20\2\22\11'\
'\12\1\1\22\4\7#\25\16"\6\10\1"\2\10\1*\4\10\1\20\0062\0002\1a2\5co'\
'unt2\1b2\00112\6mean_a2\4main' \
	>$TMP/p.pb
wick pprof $TMP/p.pb 2>&1 <<end
1
top
mean_1
top
total_1
mean_a
top
end
