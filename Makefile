# make demo      build it and watch it work, with no network
# make test      everything that is checked, on a clean checkout
# make install   PREFIX=/usr/local
.POSIX:
SHELL = /bin/sh
PREFIX = /usr/local
DESTDIR =
SWIFT = swift
# What contrib/release/link has made.
RELEASE = -c release $$(cat .build/link/options)
BIN = .build/release
DEMO = demo-library
SWIFT_PLUGINS = demo
# Those of one program, coursefetch-providers.
PROVIDERS = direct secure-link feed index webdav s3 rclone moodle kolibri bigbluebutton opencast peertube internet-archive kaltura openedx panopto canvas baijiayun ilias akamai bunny cloudflare-stream cloudfront mux
PYTHON_PLUGINS = yt-dlp
# What providers in Swift are written with.
KIT = Ground/TextFormats Provider/ProviderKit Ground/NetworkAddresses Provider/ProviderHTTP Ground/XMLSource \
    Ground/CLibCurl Ground/CLibExpat
# Where the program looks for them: it knows PREFIX from its own path.
PLUGINS = $(PREFIX)/lib/coursefetch/plugins
# systemd looks there for units of users, with PREFIX=$HOME/.local, too; and what they start.
UNITS = $(PREFIX)/share/systemd/user
PROGRAM = $(PREFIX)/bin/coursefetch
EXAMPLES = $(PREFIX)/share/doc/coursefetch/examples

.PHONY: all build page demo build-tests test-browser test test-end-to-end test-outside lint bench soak soak-values soak-programs
.PHONY: soak-packages fuzz sanitize built install install-files uninstall deb tarball clean link needs needs-test manual completions

all: build completions manual

build: link
	$(SWIFT) build $(RELEASE) --product coursefetch
	for program in coursefetch-providers $(SWIFT_PLUGINS); do $(SWIFT) build $(RELEASE) --product $$program || exit 1; done

# A program of its own, since only its build resolves the packages of a web server.
page: link
	COURSEFETCH_PAGE=1 $(SWIFT) build $(RELEASE) --product coursefetch-serve

demo: build
	@echo
	@echo "coursefetch sync catalogs/demo.yaml --library $(DEMO)"
	@$(BIN)/coursefetch sync catalogs/demo.yaml --library $(DEMO) --state $(DEMO)/.state

# Suites that take a human's patience as their measure, links of three seconds, or a provider that starts in one: other tests
# at the same time would try them.
TIMED := 'EndToEndTests[.](Control|Logout|Order|SecureLink|Watch)Tests'
# Each of these tests runs whole programs and servers: a hundred at once would only try the machine.
FOUR := --experimental-maximum-parallelization-width 4
# All at once, those with a process or a timer of their own would wait for each other longer than any user does.
SIXTEEN := --experimental-maximum-parallelization-width 16

# With the page.
test build-tests test-end-to-end test-outside soak-programs: export COURSEFETCH_PAGE = 1

test: needs needs-test lint build-tests
	$(SWIFT) test --skip-build $(SIXTEEN) --skip 'EndToEndTests|ProviderConformanceTests'
	$(MAKE) -j 2 test-end-to-end test-outside
	$(SWIFT) test --skip-build $(FOUR) --filter $(TIMED)

# With a compiler of its own, contrib/swiftc-for-tests; SwiftPM looks for the toolchain's libraries beside it, in ../lib.
# Warnings are errors in our own targets; the explicit import check makes an undeclared import one too.
build-tests: needs
	@mkdir -p .build/compiler/bin
	@cmp -s contrib/swiftc-for-tests .build/compiler/bin/swiftc || cp contrib/swiftc-for-tests .build/compiler/bin/swiftc
	@ln -sfn "$$($(SWIFT)c -print-target-info | sed -n 's|.*"runtimeResourcePath" *: *"\(.*\)/swift".*|\1|p')" .build/compiler/lib
	SWIFTC='$(SWIFT)c' SWIFT_EXEC="$$(pwd)/.build/compiler/bin/swiftc" \
	    $(SWIFT) build --build-tests --explicit-target-dependency-import-check error

# Each of these two waits for more than a third of its time, so they run at the same time; three cases from outside at a
# time, since some of them have limits of time.
test-end-to-end:
	$(SWIFT) test --skip-build $(FOUR) --filter 'EndToEndTests|ProviderConformanceTests' --skip $(TIMED)

test-outside:
	Tests/Outside/run --program .build/debug/coursefetch -j 3

# The page in Chromium, which wants the machine for itself.
test-browser: needs-test build-tests
	COURSEFETCH_BROWSER=1 Tests/Outside/run --program .build/debug/coursefetch -j 1 -v -k page_browser -k page_player

lint:
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Plugins Tests

bench: build needs-test
	Tests/Benchmarks/run

# Long runs, not part of `make test`. The release build, since nearly all of their time is the program's. What only
# computes runs beside what starts programs. Every sixth of all nights and faults takes an hour on two cores, and other
# ones each time; EVERY=1 takes several.
EVERY = 6
soak: build needs-test build-tests
	$(SWIFT) build $(RELEASE) --product nights
	$(MAKE) -j 2 soak-values soak-programs
	$(MAKE) soak-packages

soak-values:
	$(BIN)/nights $$((143000 / $(EVERY)))
	$(BIN)/nights library $$((3000 / $(EVERY)))
	$(MAKE) fuzz SECONDS=$$((1 + 59 / $(EVERY)))

# Eight cases at a time: each waits more than it computes.
soak-programs:
	COURSEFETCH_SOAK=1 $(SWIFT) test --skip-build $(FOUR) --filter Soak
	Tests/Outside/run --program $(BIN)/coursefetch --soak $(EVERY) -j 8 -v -k nights -k shard_nights -k power_loss -k faults -k adding.Faults \
	    -k killed -k slurm -k idle.Nights

# The packages, installed and run in systems of their own; only root can.
soak-packages: deb tarball
	@contrib/needs test-packages
	Tests/Packages/run

# Each reader of bytes from outside with libFuzzer for so many seconds: make fuzz SECONDS=600 HARNESSES='yaml answer'
SECONDS = 60
HARNESSES =
fuzz: needs
	Tests/Fuzz/run $(SECONDS) $(HARNESSES)

# The transfer, host and stream suites under ThreadSanitizer and AddressSanitizer.
sanitize: needs needs-test
	Tests/Sanitizers/run thread
	Tests/Sanitizers/run address

link: needs
	@SWIFT='$(SWIFT)' contrib/release/link

needs:
	@contrib/needs build

needs-test:
	@contrib/needs test

completions: build
	mkdir -p .build/completions
	$(BIN)/coursefetch --generate-completion-script bash | sed '1{/^#!/d;}' > .build/completions/coursefetch
	$(BIN)/coursefetch --generate-completion-script zsh > .build/completions/_coursefetch
	$(BIN)/coursefetch --generate-completion-script fish > .build/completions/coursefetch.fish

manual: build
	$(BIN)/coursefetch manual > .build/coursefetch.1

# Under sudo nothing is built: root often has no swift on its PATH, and .build stays its owner's.
built:
	@if [ -z "$${SUDO_USER-}" ]; then $(MAKE) all page; \
	elif [ ! -s .build/coursefetch.1 ]; then echo 'first: make; then: sudo make install' >&2; exit 1; fi

install: built
	$(MAKE) install-files

install-files:
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/man/man1" \
	    "$(DESTDIR)$(PREFIX)/share/bash-completion/completions" "$(DESTDIR)$(PREFIX)/share/zsh/site-functions" \
	    "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d"
	install -m 755 $(BIN)/coursefetch "$(DESTDIR)$(PREFIX)/bin/coursefetch"
	strip "$(DESTDIR)$(PREFIX)/bin/coursefetch"
	install -m 644 .build/coursefetch.1 "$(DESTDIR)$(PREFIX)/share/man/man1/"
	install -m 644 .build/completions/coursefetch "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/"
	install -m 644 .build/completions/_coursefetch "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/"
	install -m 644 .build/completions/coursefetch.fish "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/"
	install -d "$(DESTDIR)$(PREFIX)/share/coursefetch/schemas"
	install -m 755 contrib/credential-pass contrib/credential-secret-tool "$(DESTDIR)$(PREFIX)/share/coursefetch/"
	install -m 644 docs/schemas/*.json "$(DESTDIR)$(PREFIX)/share/coursefetch/schemas/"
	rm -rf "$(DESTDIR)$(PREFIX)/share/coursefetch/kit"
	install -d "$(DESTDIR)$(PREFIX)/share/coursefetch/kit/Sources/Ground" \
	    "$(DESTDIR)$(PREFIX)/share/coursefetch/kit/Sources/Provider"
	install -m 644 contrib/kit/Package.swift "$(DESTDIR)$(PREFIX)/share/coursefetch/kit/"
	for room in $(KIT); do cp -R Sources/$$room "$(DESTDIR)$(PREFIX)/share/coursefetch/kit/Sources/$${room%/*}/" || exit 1; done
	chmod -R u=rwX,go=rX "$(DESTDIR)$(PREFIX)/share/coursefetch/kit"
	install -d "$(DESTDIR)$(PREFIX)/share/coursefetch/python"
	install -m 644 contrib/python/coursefetch_provider.py contrib/python/pyproject.toml \
	    "$(DESTDIR)$(PREFIX)/share/coursefetch/python/"
	for plugin in $(SWIFT_PLUGINS) $(PROVIDERS) $(PYTHON_PLUGINS); do \
	    install -d "$(DESTDIR)$(PLUGINS)/$$plugin" && \
	    install -m 644 Plugins/$$plugin/plugin.yaml "$(DESTDIR)$(PLUGINS)/$$plugin/" || exit 1; \
	done
	for plugin in $(SWIFT_PLUGINS); do \
	    target="$(DESTDIR)$(PLUGINS)/$$plugin/$$plugin"; \
	    install -m 755 $(BIN)/$$plugin "$$target" && strip "$$target" || exit 1; \
	done
	install -m 755 $(BIN)/coursefetch-providers "$(DESTDIR)$(PREFIX)/lib/coursefetch/"
	install -m 755 $(BIN)/coursefetch-serve "$(DESTDIR)$(PREFIX)/lib/coursefetch/"
	strip "$(DESTDIR)$(PREFIX)/lib/coursefetch/coursefetch-providers" "$(DESTDIR)$(PREFIX)/lib/coursefetch/coursefetch-serve"
	for plugin in $(PYTHON_PLUGINS); do \
	    install -m 644 Plugins/$$plugin/*.py Plugins/$$plugin/README.md contrib/python/coursefetch_provider.py \
	        "$(DESTDIR)$(PLUGINS)/$$plugin/" || exit 1; \
	done
	install -d "$(DESTDIR)$(PLUGINS)/demo/media"
	install -m 644 Plugins/demo/media/* "$(DESTDIR)$(PLUGINS)/demo/media/"
	install -d "$(DESTDIR)$(UNITS)" "$(DESTDIR)$(EXAMPLES)"
	for unit in contrib/systemd/*; do \
	    target="$(DESTDIR)$(UNITS)/$${unit##*/}"; \
	    sed 's|%h/[.]local/bin/coursefetch|$(PROGRAM)|' $$unit > "$$target" && chmod 644 "$$target" || exit 1; \
	done
	sed 's|$$HOME/[.]local/bin/coursefetch|$(PROGRAM)|' contrib/crontab > "$(DESTDIR)$(EXAMPLES)/crontab"
	chmod 644 "$(DESTDIR)$(EXAMPLES)/crontab"
	install -m 755 contrib/check-json "$(DESTDIR)$(EXAMPLES)/"
	install -m 644 contrib/packages/copyright "$(DESTDIR)$(PREFIX)/share/doc/coursefetch/"

uninstall:
	rm -f "$(DESTDIR)$(PREFIX)/bin/coursefetch" "$(DESTDIR)$(PREFIX)/share/man/man1/coursefetch.1" \
	    "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/coursefetch" \
	    "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_coursefetch" \
	    "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/coursefetch.fish"
	for plugin in $(SWIFT_PLUGINS) $(PROVIDERS) $(PYTHON_PLUGINS); do \
	    rm -rf "$(DESTDIR)$(PLUGINS)/$$plugin"; \
	done
	rm -f "$(DESTDIR)$(UNITS)/coursefetch.service" "$(DESTDIR)$(UNITS)/coursefetch.timer" \
	    "$(DESTDIR)$(UNITS)/coursefetch-session.service"
	rm -rf "$(DESTDIR)$(PREFIX)/share/coursefetch" "$(DESTDIR)$(PREFIX)/share/doc/coursefetch"
	rm -f "$(DESTDIR)$(PREFIX)/lib/coursefetch/coursefetch-providers" "$(DESTDIR)$(PREFIX)/lib/coursefetch/coursefetch-serve"
	-rmdir "$(DESTDIR)$(PLUGINS)" "$(DESTDIR)$(PREFIX)/lib/coursefetch"

# Into dist/.
deb: all page
	@contrib/needs packages
	contrib/packages/deb

tarball: all page
	@contrib/needs packages
	contrib/packages/tarball

clean:
	$(SWIFT) package clean
	rm -rf $(DEMO) dist
