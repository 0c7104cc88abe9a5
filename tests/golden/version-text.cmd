wick --version | sed 's/[0-9.]*$/N/'; wick version | sed 's/[0-9.]*$/N/'
