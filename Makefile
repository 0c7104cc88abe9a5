# The front door: names for what people do.  meson.build holds the build.

prefix = /usr/local
RUNS   = 20000

# A new folder brings a new meson.build, which ninja alone would not see.
parts := $(wildcard meson.build meson_options.txt */meson.build */*/meson.build)

.PHONY: all check check-sanitize check-threads demo bench fuzz golden install \
	format format-check tidy clean setup

all: build/build.ninja
	@ninja -C build

setup:
	@scripts/setup

build/build.ninja: $(parts) | setup
	@scripts/configure --again build

build-sanitize/build.ninja: $(parts) | setup
	@scripts/configure --again build-sanitize -Dwerror=true \
		-Db_sanitize=address,undefined

build-threads/build.ninja: $(parts) | setup
	@scripts/configure --again build-threads -Dwerror=true -Db_sanitize=thread

build-fuzz/build.ninja: $(parts) | setup
	@CC=clang scripts/configure --again build-fuzz -Dfuzz=true -Db_lundef=false \
		-Db_sanitize=address,undefined

# Warnings are errors here, not in "make": a newer compiler may have new ones.
check: build/build.ninja build-sanitize/build.ninja build-threads/build.ninja
	@scripts/configure build -Dwerror=true
	@scripts/check build build-sanitize build-threads

check-sanitize: build-sanitize/build.ninja
	@scripts/check build-sanitize

check-threads: build-threads/build.ninja
	@scripts/check build-threads

demo: all
	@scripts/demo build/wick

bench: all
	@meson test -C build --benchmark --no-rebuild --verbose

# Runs each target RUNS times, starting from its corpus.
fuzz: build-fuzz/build.ninja
	@ninja -C build-fuzz
	@scripts/fuzz build-fuzz $(RUNS)

# Rewrites the expected output of the golden tests; read the diff.
golden: all
	@tests/golden/run.py --update build/wick

install: all
	@scripts/configure build -Dprefix=$(prefix)
	@DESTDIR=$(DESTDIR) meson install -C build

format:
	@scripts/check-format.py --fix .

format-check:
	@scripts/check-format.py .

tidy: all
	@scripts/tidy build

clean:
	rm -rf build build-sanitize build-threads build-fuzz
