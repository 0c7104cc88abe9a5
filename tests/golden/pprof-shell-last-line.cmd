# A last line counts without its newline.
printf 'top1' | wick pprof server.pb.gz
