wick flame -o $TMP/x.html stacks.folded && grep -c 'script-src .sha256-' $TMP/x.html && tail -n 2 $TMP/x.html
