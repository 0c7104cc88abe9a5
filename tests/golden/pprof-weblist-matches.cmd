# Its argument may match a function's file, or be an address in it.
for argument in 'server\.cc' 0x401300 '^Cache::Hash$'; do
	wick pprof -weblist=$argument -output=$TMP/page server.pb.gz
	grep -o '<h2>[^<]*' $TMP/page
done
