import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parcelsCsv } from "../../examples/county/inputs.ts";
import { startCounty } from "../../examples/county/site.ts";
import type { BenchKit } from "../bench-kit.ts";
import type { BenchOptions } from "../bench-options.ts";
import type { Figure } from "../figure.ts";
import { TreeCpu } from "../process-usage.ts";
import { rounded, spreadOf } from "../spread.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const PARCELS = 2000;
/** In the browser, and in the proof. */
const IN_BROWSER = 200;
const SAMPLE_MS = 100;

/** The scripted county in a browser, and by the plain requests that `sluice distill` finds: items per CPU-second of the whole process tree. */
export const measureDistill = async (kit: BenchKit, { rounds }: BenchOptions): Promise<Figure[]> =>
  await kit.inFolder(async (folder) => {
    await using county = await startCounty({ parcels: PARCELS, troubles: "absent=5", scripted: true });
    const sluice = (...args: string[]): Promise<number> => runSluice(args, { COUNTY_URL: county.url });
    for (const name of ["county", "county-browser"])
      copyFileSync(join(ROOT, `examples/county/${name}.scraper.ts`), join(folder, `${name}.scraper.ts`));
    const [browser, http] = ["county-browser", "county-http"].map((name) =>
      join(folder, `${name}.scraper.ts`),
    ) as [string, string];
    const [all, few] = [join(folder, "all.csv"), join(folder, "few.csv")];
    const lines = [...parcelsCsv(PARCELS)];
    writeFileSync(all, lines.join(""));
    writeFileSync(few, lines.slice(0, IN_BROWSER + 1).join(""));
    const truths = [...county.truth({ scripted: true })];
    const [a, b] = truths.filter(({ state }) => state === "done").map(({ parcel }) => `parcel=${parcel}`);
    const [c, d] = truths.filter(({ state }) => state === "absent").map(({ parcel }) => `parcel=${parcel}`);
    const inputs = ["--input", a!, "--input", b!, "--absent", c!, "--absent", d!, "--from", all];
    const proving = ["--prove", `${IN_BROWSER}`, "--output", http, "--data", join(folder, "distill")];
    await sluice("distill", browser, ...inputs, ...proving);
    const proof = (
      JSON.parse(readFileSync(join(folder, "county-http.evidence.json"), "utf8")) as { proof: object }
    ).proof;
    const inBrowser: number[] = [];
    const overHttp: number[] = [];
    for (let round = 0; round < rounds; round++) {
      inBrowser.push(
        IN_BROWSER / (await sluice("run", browser, "--input", few, "--data", join(folder, `b${round}`))),
      );
      overHttp.push(
        PARCELS / (await sluice("run", http, "--input", all, "--data", join(folder, `h${round}`))),
      );
    }
    const [slow, fast] = [spreadOf(inBrowser), spreadOf(overHttp)];
    return [
      {
        figure: "distilled ÷ browser",
        value: rounded(fast.median / slow.median),
        unit: "ratio",
        goal: { atLeast: 20 },
        rounds,
        from: { itemsPerCpuSecond: { browser: slow, distilled: fast }, proof },
        note: `items per CPU-second of the whole process tree, starting included: ${IN_BROWSER} parcels in warm tabs against ${PARCELS} by the requests that distill found, ${PARCELS / IN_BROWSER} of them compared with the browser`,
      },
    ];
  });

/** Returns the CPU-seconds of the process and all below it. */
const runSluice = async (args: readonly string[], env: Readonly<Record<string, string>>): Promise<number> => {
  const child: ChildProcess = spawn(process.execPath, [join(ROOT, "bin/sluice.js"), ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr!.on("data", (data: Buffer) => (errors += data.toString()));
  const ended = once(child, "close") as Promise<[number | null]>;
  const cpu = new TreeCpu(child.pid!);
  for (let isOver = false; !isOver;) {
    cpu.sample();
    isOver = await Promise.race([ended.then(() => true), delay(SAMPLE_MS, false)]);
  }
  const [code] = await ended;
  if (code !== 0) throw new Error(`sluice ${args[0]} ended with ${code}:\n${errors}`);
  return cpu.seconds;
};
