/** Debian packages that some tests need. A test file that names the check for one gets it installed before it runs, where that is possible. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { noFaketime } from "./e2e/chaos/wrong-clock.ts";
import { noRadosgw } from "./radosgw.ts";

interface Need {
  readonly what: string;
  /** In the text of a test file. */
  readonly mark: RegExp;
  readonly isMissing: () => boolean;
  readonly packages: readonly string[];
}

const NEEDS: readonly Need[] = [
  {
    what: "an S3 store",
    mark: /\b(noRadosgw|STORAGES)\b/,
    isMissing: () => noRadosgw() !== undefined,
    packages: ["radosgw", "ceph-mon", "ceph-osd", "ceph-common", "ceph-base"],
  },
  {
    what: "wrong clocks and lost packets",
    mark: /\bnoFaketime\b/,
    isMissing: () => noFaketime() !== undefined || !existsSync("/usr/sbin/iptables"),
    packages: ["faketime", "iptables"],
  },
  {
    what: "pgbouncer",
    mark: /\bnoPgbouncer\b/,
    isMissing: () => !existsSync("/usr/sbin/pgbouncer"),
    packages: ["pgbouncer"],
  },
];

/** As root on Debian; elsewhere the tests are skipped, and say what to install. */
export const installPackagesFor = (files: readonly { readonly path: string }[]): void => {
  const texts = files.map(({ path }) => readFileSync(path, "utf8"));
  for (const { what, mark, isMissing, packages } of NEEDS) {
    if (!texts.some((text) => mark.test(text)) || !isMissing()) continue;
    const command = ["install", "-y", "--no-install-recommends", ...packages];
    const shown = `apt-get ${command.join(" ")}`;
    if (mayInstall()) {
      console.log(`Some tests need ${what}. Running: ${shown}`);
      if (aptInstall(command)) continue;
    }
    console.log(`Tests that need ${what} are skipped: there is none. To install it: ${shown}`);
  }
};

const APT = "/usr/bin/apt-get";

const mayInstall = (): boolean => process.getuid?.() === 0 && existsSync(APT);

/** `args` of apt-get. Whether they succeeded, with new package lists if the old ones do not have it. */
export const aptInstall = (args: readonly string[]): boolean => {
  // Other runs on this machine may be installing it. No service of a package starts: tests start what they need.
  const apt = (...more: readonly string[]): boolean =>
    spawnSync(APT, ["-qq", "-o", "DPkg::Lock::Timeout=300", ...more], {
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" },
      stdio: ["ignore", "ignore", "inherit"],
    }).status === 0;
  return apt(...args) || (apt("update") && apt(...args));
};
