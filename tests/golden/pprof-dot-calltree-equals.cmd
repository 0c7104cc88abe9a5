# Nodes that are equal once the tree is trimmed are where Go leaves them.
wick pprof -dot -call_tree -nodecount=16 -nodefraction=0.03 - <<end | grep "^N"
c;c;b;b;b 58
c;c;b;a;c 18
a;b;a;a;b 83
a;c;b;c 27
a;b;c;c;a 41
b;b;b 92
b;a;b;c 46
c;c;b 19
a;c;b;c;c 31
c;c;a;b;c;a;b 51
b;c;b 51
a;a;a;c 67
end
