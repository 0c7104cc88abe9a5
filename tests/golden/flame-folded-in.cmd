wick flame --palette=kind --icicle --width=640 -o - stacks.folded | sed -n '/class="boxes"/,/<script/p'
