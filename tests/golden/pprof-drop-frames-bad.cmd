# Its own expression for dull frames is wrong: all are shown, which report says
# and pprof does not.
printf '\012\004\010\001\020\004\022\006\012\001\001\022\001\007"\006\010'\
'\001"\002\010\001*\004\010\001\020\0022\0002\001n2\004main2\002f(2'\
'\005count8\003' \
	>$TMP/dull.pb
wick pprof -top $TMP/dull.pb
wick report top $TMP/dull.pb | tail -1
