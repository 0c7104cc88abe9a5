wick flame --diff -o - server-old.pb.gz server.pb.gz | sed -n '/class="boxes"/,/<script/p'
