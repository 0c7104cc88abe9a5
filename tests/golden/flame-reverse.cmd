wick flame --reverse -o - stacks.folded | sed -n '/class="boxes"/,/<script/p'
