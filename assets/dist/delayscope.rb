# The formula for Homebrew; `sh assets/dist/make.sh formula URL FILE` fills in what stands between @.
class Delayscope < Formula
  desc "@SUMMARY@"
  url "@URL@"
  version "@VERSION@"
  sha256 "@SHA256@"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "rust" => :build
  depends_on "redis" => :recommended

  def install
    system "cargo", "install", "--profile", "dist", *std_cargo_args
    generate_completions_from_executable(bin/"delayscope", "completions")
    manual = Utils.safe_popen_read(bin/"delayscope", "man")
    (man1/"delayscope.1").write manual
    # The page of the program names those of its commands.
    commands = manual.scan(/^delayscope\\-([a-z]+)\(1\)$/).flatten - %w[connection help]
    commands.each do |name|
      (man1/"delayscope-#{name}.1").write Utils.safe_popen_read(bin/"delayscope", "man", name)
    end
    doc.install "assets/config.toml", "assets/docs/json.md", "assets/prometheus", "assets/grafana"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/delayscope --version")
    assert_match "orderId", shell_output("#{bin}/delayscope decode '{\"orderId\":1}'")
  end
end
