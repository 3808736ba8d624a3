import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ROOT } from "../../../test/e2e/sluice-process.ts";
import type { Attack } from "../attack.ts";
import type { AttackKit } from "../attack-kit.ts";

const ITEMS = 60;

/** Fetches one page an item, in `collect` after `before`. */
const scraper = (before: string): string => `
  import { closeSync, openSync } from "node:fs";
  import { defineScraper } from "sluice-jobs";
  import { z } from "zod";
  const held = [];
  const hoard = () => {
    try { for (;;) held.push(openSync("/dev/null")); } catch {}
    setTimeout(() => { for (const file of held) closeSync(file); }, 1500);
  };
  export default defineScraper({
    name: "troubled",
    site: process.env["SITE_URL"],
    input: z.object({ n: z.string() }),
    key: ({ n }) => n,
    robots: "ignore",
    pace: { perSecond: Infinity, concurrency: 20 },
    async collect({ input, http, keep }) {
      ${before}
      keep.page("page", await http.get("/troubled/" + input.n));
    },
  });`;

interface Trouble {
  readonly before?: string;
  readonly site: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly limit?: string;
  /** Between the start and the end of the run. */
  readonly meanwhile?: (folder: string) => Promise<void>;
}

/** Runs a local job while a resource is missing. Returns what went wrong with the items, if anything. */
const runTroubled = async (folder: string, trouble: Trouble): Promise<string | undefined> => {
  const file = join(folder, "troubled.scraper.ts");
  writeFileSync(file, scraper(trouble.before ?? ""));
  const inputs = join(folder, "inputs.csv");
  writeFileSync(inputs, `n\n${Array.from({ length: ITEMS }, (_, n) => `${n}\n`).join("")}`);
  const args = ["run", file, "--input", inputs, "--data", join(folder, "data"), "--json"];
  const command = [process.execPath, join(ROOT, "bin/sluice.js"), ...args];
  const run = spawn("sh", ["-c", `${trouble.limit ?? ":"}; exec "$@"`, "sh", ...command], {
    cwd: ROOT,
    env: { ...process.env, ...trouble.env, SITE_URL: trouble.site },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [output, errors] = ["", ""];
  run.stdout.on("data", (text: Buffer) => (output += text.toString()));
  run.stderr.on("data", (text: Buffer) => (errors += text.toString()));
  const ended = new Promise((end) => run.once("close", end));
  await trouble.meanwhile?.(folder);
  const code = await ended;
  const last = JSON.parse(output.trimEnd().split("\n").at(-1) || "{}") as {
    readonly counts?: { readonly states: Record<string, number> };
  };
  const done = last.counts?.states["done"];
  return done === ITEMS
    ? undefined
    : `${done} of ${ITEMS} were done, exit code ${String(code)}: ${errors.slice(-200)}`;
};

const inFolder = async (
  run: (folder: string) => Promise<string | undefined>,
): Promise<string | undefined> => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-trouble-"));
  try {
    return await run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const siteOf = ({ neighbour }: AttackKit): string => neighbour.siteAt("127.0.0.40");

const files: Attack = {
  name: "a worker without open files (EMFILE)",
  testedBy: "test/e2e/own-trouble.test.ts",
  run: (kit) =>
    inFolder((folder) =>
      runTroubled(folder, {
        site: siteOf(kit),
        limit: "ulimit -n 256",
        before: "if (held.length === 0) hoard();",
      }),
    ),
};

const names: Attack = {
  name: "a worker without a name server",
  run: (kit) =>
    inFolder((folder) =>
      runTroubled(folder, {
        site: `http://troubled.example:${kit.neighbour.port}`,
        env: { NODE_OPTIONS: `--import=${join(import.meta.dirname, "../no-name-server.ts")}` },
      }),
    ),
};

const DISK_MB = 24;

const disk: Attack = {
  name: "a full disk (ENOSPC)",
  testedBy: "test/e2e/errors.test.ts",
  skip: () => {
    if (process.getuid?.() !== 0) return "mounting a small disk needs root";
    try {
      execFileSync("unshare", ["--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], { stdio: "pipe" });
      return undefined;
    } catch (error) {
      return `no small disk can be mounted here: ${String(error).split("\n")[0]}`;
    }
  },
  run: (kit) =>
    inFolder(async (folder) => {
      const data = join(folder, "data");
      mkdirSync(data);
      execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_MB}m`, "tmpfs", data]);
      try {
        const filler = join(data, "filler");
        const fill = async (): Promise<void> => {
          await delay(1_500);
          try {
            writeFileSync(filler, new Uint8Array(DISK_MB * 1024 * 1024));
          } catch {
            // now it is full
          }
          await delay(2_000);
          rmSync(filler, { force: true });
        };
        const first = await runTroubled(folder, {
          site: siteOf(kit),
          before: "await new Promise((resolve) => setTimeout(resolve, 500));",
          meanwhile: fill,
        });
        if (first === undefined) return undefined;
        // A disk that stays full ends the run. Nothing is lost, and the same job continues when there is room.
        return /done, exit code/.test(first) && (await resumed(data, siteOf(kit))) ? undefined : first;
      } finally {
        execFileSync("umount", ["-l", data]);
      }
    }),
};

const resumed = async (data: string, site: string): Promise<boolean> => {
  const command = [join(ROOT, "bin/sluice.js"), "resume", "last", "--data", data, "--json"];
  const run = spawn(process.execPath, command, {
    cwd: ROOT,
    env: { ...process.env, SITE_URL: site },
    stdio: ["ignore", "pipe", "ignore"],
  });
  let output = "";
  run.stdout.on("data", (text: Buffer) => (output += text.toString()));
  await new Promise((end) => run.once("close", end));
  const last = JSON.parse(output.trimEnd().split("\n").at(-1) || "{}") as {
    readonly counts?: { readonly states: Record<string, number> };
  };
  return last.counts?.states["done"] === ITEMS;
};

export const OWN_TROUBLE: readonly Attack[] = [files, names, disk];
