import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { runChaos } from "./chaos/run-chaos.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-chaos-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Other tests and builds may run at the same time. A gross excess still shows in windows of many seconds. */
const SEEN_LATE_MS = 3000;

/** `npm run chaos` does the same for two minutes. */
test("a service whose processes are killed at random has correct results, keeps every pace and delivers every event", async (t) => {
  const seed = 1 + Math.floor(Math.random() * 1e9);
  t.diagnostic(`seed ${seed}`);
  const figures = await runChaos({
    folder,
    seed,
    killMs: 20_000,
    parcels: 240,
    seenLateMs: SEEN_LATE_MS,
    cutMs: 10_000,
    say: (line) => t.diagnostic(line),
  });
  t.diagnostic(JSON.stringify(figures));
});
