import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { runChaos } from "./chaos/run-chaos.ts";
import { STORAGES } from "./chaos/storages.ts";

/** `npm run laws` takes longer, and has a run on each storage that is named here. */
const chosen = process.env["SLUICE_LAWS"]?.split(",");
const isLong = chosen !== undefined;
const KILL_MS = isLong ? 30_000 : 8_000;
const PARCELS = isLong ? 300 : 80;
/** Other tests and builds may run at the same time. */
const SEEN_LATE_MS = 3000;
/** `chaos.test.ts` has both of them in one run. */
const ELSEWHERE = new Set(["sqlite+files", "remote"]);

for (const [name, open] of Object.entries(STORAGES)) {
  if (chosen ? !chosen.includes(name) : ELSEWHERE.has(name)) continue;
  test(`kill test and history check: ${name}`, async (t) => {
    const storage = await open(t);
    if ("skip" in storage) return t.skip(storage.skip);
    const folder = mkdtempSync(join(tmpdir(), "sluice-laws-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const seed = 1 + Math.floor(Math.random() * 1e9);
    t.diagnostic(`seed ${seed}`);
    const figures = await runChaos({
      folder,
      seed,
      storage,
      killMs: KILL_MS,
      parcels: PARCELS,
      seenLateMs: SEEN_LATE_MS,
      cutMs: KILL_MS / 4,
      say: (line) => t.diagnostic(line),
    });
    t.diagnostic(JSON.stringify(figures));
  });
}
