/**
 * Moves a SQLite installation of a million items to PostgreSQL with `sluice migrate`, then claims from it: `node bench/migrate.ts [ITEMS]`. The server
 * is a new one that syncs to its disk. Prints one JSON line.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openLedger, openStorage } from "../src/compose.ts";
import { LIMITS } from "../src/ledger/pulse.ts";
import { sluice } from "../test/e2e/sluice-process.ts";
import { PostgresServer } from "../test/kits/postgres.ts";
import { fillLedger } from "./large-ledger.ts";

const items = Number(process.argv[2] ?? 1_000_000);
const folder = mkdtempSync(join(tmpdir(), "sluice-migrate-"));
try {
  const file = join(folder, "sluice.db");
  const ledger = await openLedger(file);
  await fillLedger(ledger, { items: items / 4, jobs: 10 });
  await ledger.close();
  // The worker that filled it counts as running for so long.
  await delay(LIMITS.leaseMs);
  await using server = await PostgresServer.start({
    settings: { fsync: "on", full_page_writes: "on", checkpoint_timeout: "5min", max_wal_size: "1GB" },
  });
  const url = server.url();
  const beganAt = performance.now();
  const { code, stdout, stderr } = await sluice([
    "migrate",
    "--from",
    `sqlite:${file}`,
    "--to",
    url,
    "--data",
    folder,
    "--json",
  ]);
  const seconds = (performance.now() - beganAt) / 1000;
  if (code !== 0) throw new Error(`sluice migrate ended with ${code}: ${stdout}${stderr}`);
  await using storage = await openStorage({ data: folder, ledger: url, blobs: `file:${folder}/blobs` });
  const [first] = await storage.ledger.listJobs();
  const claim = { worker: "bench-worker", room: 1_000, inFlight: new Map() };
  const claimed = (await storage.ledger.claim(claim)).items.length;
  const { tables } = (JSON.parse(stdout) as { ledger: { tables: { name: string; rows: number }[] } }).ledger;
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  console.log(
    JSON.stringify({
      items,
      rows,
      megabytes: statSync(file).size / 1e6,
      seconds,
      job: first?.spec.id,
      claimed,
    }),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
