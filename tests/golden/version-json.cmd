wick version --json | sed 's/"[0-9.]*"/"N"/; s/:"x86_64"\|:"aarch64"/:"M"/'
