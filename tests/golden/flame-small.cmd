wick flame --min-width=60 --title=T --subtitle=S --notes='<N>' -o - stacks.folded | sed -n '/class="boxes"/,/<script/p'
