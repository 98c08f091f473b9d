# Untested: it was written without a Mac, and only its syntax was checked. Homebrew takes formulas of a tap only; in a checkout:
#   brew tap-new coursefetch/local
#   cp contrib/homebrew/coursefetch.rb "$(brew --repository)/Library/Taps/coursefetch/homebrew-local/Formula/"
#   HOMEBREW_COURSEFETCH_CHECKOUT=$PWD brew install --HEAD coursefetch/local/coursefetch
class Coursefetch < Formula
  desc "Downloads the videos of courses and keeps them up to date"
  license "Apache-2.0"
  # Of the environment Homebrew passes on what begins with its own name.
  head "file://#{ENV.fetch("HOMEBREW_COURSEFETCH_CHECKOUT", Dir.pwd)}", using: :git, branch: "main"

  depends_on xcode: ["26.0", :build]
  depends_on "pkgconf" => :build
  depends_on "curl"
  depends_on "expat"
  depends_on "libyaml"
  depends_on macos: :sequoia
  depends_on "sqlite"

  def install
    # SwiftPM's sandbox can't be started in Homebrew's.
    system "make", "install", "PREFIX=#{prefix}", "RELEASE=-c release --disable-sandbox"
  end

  test do
    (testpath/"catalog.yaml").write <<~YAML
      version: 1
      courses: [{id: motion, provider: demo, videos: [pendulum]}]
    YAML
    assert_match "no mistakes", shell_output("#{bin}/coursefetch check catalog.yaml")
  end
end
