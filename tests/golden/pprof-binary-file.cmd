# At the prompt, what is no text goes to a file with a number.
cd $TMP
echo proto | wick pprof $OLDPWD/server.pb.gz
echo proto | wick pprof $OLDPWD/server.pb.gz
ls profile*
wick pprof -raw profile002.pb.gz | head -n 3
