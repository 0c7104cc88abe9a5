# A profile that says nothing about itself: the prompt has an empty line for it.
printf '\012\000\022\004\010\001\020\005\042\004\010\001\030\020\062\000' \
	>$TMP/nameless.pb
printf 'top\n' | wick pprof $TMP/nameless.pb
