# Of names that are too long, what tells them apart is left.
printf '%s\n' 'main;github.com/someone/a-package/v2.(*Walker).Step 4' \
	'main;server::cache::shard::Shard::Find<std::string> 3' \
	'main;com.example.server.requests.RequestQueue.take 2' \
	'main;a_function_of_c_with_a_name_that_has_no_parts 1' >$TMP/long.folded
wick report $TMP/long.folded
wick report tree $TMP/long.folded
