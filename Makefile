# make demo      build it and watch it work, with no network
# make test      everything that is checked, on a clean checkout
# make install   PREFIX=/usr/local
.POSIX:
SHELL = /bin/sh
PREFIX = /usr/local
DESTDIR =
SWIFT = swift
# lld: the default linker warns of mktemp in Foundation's own code when it links statically.
RELEASE = -c release --static-swift-stdlib -Xswiftc -use-ld=lld
BIN = .build/release
DEMO = demo-library
SWIFT_PLUGINS = demo secure-link
SCRIPT_PLUGINS = direct

.PHONY: all build demo test lint bench soak install uninstall clean needs needs-test manual completions

all: build

build: needs
	$(SWIFT) build $(RELEASE) --product coursefetch
	for plugin in $(SWIFT_PLUGINS); do $(SWIFT) build $(RELEASE) --product $$plugin || exit 1; done

demo: build
	@echo
	@echo "coursefetch sync catalogs/demo.yaml --library $(DEMO)"
	@$(BIN)/coursefetch sync catalogs/demo.yaml --library $(DEMO) --state $(DEMO)/.state

# Warnings are errors in our own targets; the explicit import check makes an undeclared import one too.
test: needs needs-test lint
	$(SWIFT) build --build-tests --explicit-target-dependency-import-check error
	$(SWIFT) test --skip-build

lint:
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Plugins Tests

bench: build needs-test
	Tests/Benchmarks/run

# Long runs, not part of `make test`.
soak: needs needs-test
	COURSEFETCH_SOAK=1 $(SWIFT) test --filter Soak

needs:
	@contrib/needs build

needs-test:
	@contrib/needs test

completions: build
	mkdir -p .build/completions
	$(BIN)/coursefetch --generate-completion-script bash > .build/completions/coursefetch
	$(BIN)/coursefetch --generate-completion-script zsh > .build/completions/_coursefetch
	$(BIN)/coursefetch --generate-completion-script fish > .build/completions/coursefetch.fish

manual: build
	$(BIN)/coursefetch manual > .build/coursefetch.1

install: build completions manual
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/man/man1" \
	    "$(DESTDIR)$(PREFIX)/share/bash-completion/completions" "$(DESTDIR)$(PREFIX)/share/zsh/site-functions" \
	    "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d"
	install -m 755 $(BIN)/coursefetch "$(DESTDIR)$(PREFIX)/bin/coursefetch"
	strip "$(DESTDIR)$(PREFIX)/bin/coursefetch"
	install -m 644 .build/coursefetch.1 "$(DESTDIR)$(PREFIX)/share/man/man1/"
	install -m 644 .build/completions/coursefetch "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/"
	install -m 644 .build/completions/_coursefetch "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/"
	install -m 644 .build/completions/coursefetch.fish "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/"
	for plugin in $(SWIFT_PLUGINS) $(SCRIPT_PLUGINS); do \
	    folder="$(DESTDIR)$(PREFIX)/lib/coursefetch/plugins/$$plugin"; \
	    install -d "$$folder" && install -m 644 Plugins/$$plugin/plugin.yaml "$$folder/" || exit 1; \
	done
	for plugin in $(SWIFT_PLUGINS); do \
	    target="$(DESTDIR)$(PREFIX)/lib/coursefetch/plugins/$$plugin/$$plugin"; \
	    install -m 755 $(BIN)/$$plugin "$$target" && strip "$$target" || exit 1; \
	done
	for plugin in $(SCRIPT_PLUGINS); do \
	    install -m 755 Plugins/$$plugin/$$plugin "$(DESTDIR)$(PREFIX)/lib/coursefetch/plugins/$$plugin/" || exit 1; \
	done
	install -d "$(DESTDIR)$(PREFIX)/lib/coursefetch/plugins/demo/media"
	install -m 644 Plugins/demo/media/* "$(DESTDIR)$(PREFIX)/lib/coursefetch/plugins/demo/media/"

uninstall:
	rm -f "$(DESTDIR)$(PREFIX)/bin/coursefetch" "$(DESTDIR)$(PREFIX)/share/man/man1/coursefetch.1" \
	    "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/coursefetch" \
	    "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_coursefetch" \
	    "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/coursefetch.fish"
	for plugin in $(SWIFT_PLUGINS) $(SCRIPT_PLUGINS); do \
	    rm -rf "$(DESTDIR)$(PREFIX)/lib/coursefetch/plugins/$$plugin"; \
	done

clean:
	$(SWIFT) package clean
	rm -rf $(DEMO)
