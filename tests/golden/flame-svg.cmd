wick flame -o - server.pb.gz | sed -n '/class="boxes"/,/<script/p'
