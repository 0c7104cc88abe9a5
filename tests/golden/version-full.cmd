wick version >/dev/full
