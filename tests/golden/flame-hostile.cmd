printf '<img src=x onerror=alert(1)>;]]>;\377;\342\200\256x;\033[31m 7\n' |
	wick flame --icicle -o - - | sed -n '/class="boxes"/,/<script/p'
