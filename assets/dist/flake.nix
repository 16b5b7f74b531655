# nix run 'git+file:///path/to/the/clone?dir=assets/dist' -- demo
{
  description = "Terminal inspector for delayed queues in Redis";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      manifest = (builtins.fromTOML (builtins.readFile ../../Cargo.toml)).package;
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
    in
    {
      packages = each (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = manifest.name;
          version = manifest.version;
          src = ../..;
          cargoLock.lockFile = ../../Cargo.lock;
          buildType = "dist";
          # The tests start servers and shells of their own: they run where the program is developed.
          doCheck = false;
          DELAYSCOPE_COMMIT = self.rev or "";
          nativeBuildInputs = [ pkgs.installShellFiles pkgs.makeWrapper ];
          postInstall = ''
            $out/bin/delayscope man > delayscope.1
            # The page of the program names those of its commands.
            for page in $(sed -n 's/^delayscope\\-\([a-z]*\)(1)$/\1/p' delayscope.1); do
              case $page in connection | help) continue ;; esac
              $out/bin/delayscope man "$page" > "delayscope-$page.1"
            done
            installManPage delayscope*.1
            installShellCompletion --cmd delayscope \
              --bash <($out/bin/delayscope completions bash) \
              --zsh <($out/bin/delayscope completions zsh) \
              --fish <($out/bin/delayscope completions fish)
            # The demo starts a server.
            wrapProgram $out/bin/delayscope --suffix PATH : ${pkgs.lib.makeBinPath [ pkgs.redis ]}
          '';
          meta = {
            description = manifest.description;
            license = with pkgs.lib.licenses; [ mit asl20 ];
            mainProgram = "delayscope";
          };
        };
      });
    };
}
