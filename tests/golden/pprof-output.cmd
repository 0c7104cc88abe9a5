wick pprof -top -compact_labels -output=$TMP/report server.pb.gz
cat $TMP/report
# Nothing else is left there, and a report that fails leaves the old one.
wick pprof -peek=nothing -output=$TMP/report server.pb.gz
cmp $TMP/report - <<end
$(wick pprof -top -compact_labels server.pb.gz)
end
ls $TMP
