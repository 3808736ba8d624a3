import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "peers");

export const peerScript = (name: string): string => join(FOLDER, name);

/** Installed on first use, and again where one is missing: users of Sluice need not download Crawlee. */
export const installPeers = async (): Promise<void> => {
  if (["crawlee", "pg-boss"].every((name) => existsSync(join(FOLDER, "node_modules", name)))) return;
  console.error("bench: installing the peers (npm ci in bench/peers) …");
  const npm = spawn("npm", ["ci", "--no-audit", "--no-fund"], {
    cwd: FOLDER,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = (await once(npm, "exit")) as [number | null];
  if (code !== 0) throw new Error("the peers could not be installed; run `npm ci` in bench/peers to see why");
};
