// e2e: another process holds the ledger's lock
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { answer } from "../collectors/http/testing/test-site.ts";
import { WorkerKit } from "../../test/worker-kit.ts";

const PER_SECOND = 10;

/** Another process that locks the ledger when a line comes in, for a second. */
const LOCKER = `
const db = new (require("node:sqlite").DatabaseSync)(process.argv[1], { timeout: 60000 });
console.log("ready");
process.stdin.once("data", () => {
  db.exec("BEGIN IMMEDIATE");
  console.log("locked");
  setTimeout(() => { db.exec("ROLLBACK"); process.exit(); }, 1000);
});`;

test("acting requests keep their pace when another process keeps the ledger locked", async (t) => {
  let arrived = 0;
  await using kit = await WorkerKit.open((_request, response) => {
    if (++arrived === 3) locker.stdin.write("now\n");
    answer(response, "<p>paid");
  });
  const locker = spawn(process.execPath, ["-e", LOCKER, join(kit.storage.data, "sluice.db")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  t.after(() => locker.kill("SIGKILL"));
  const ended = once(locker, "exit");
  await once(locker.stdout, "data");
  // Where requests are written to their sockets: at the site a busy machine may see them later than they came, and closer together.
  const leftAt: number[] = [];
  const leaves = () => void leftAt.push(performance.now());
  subscribe("undici:client:sendHeaders", leaves);
  t.after(() => unsubscribe("undici:client:sendHeaders", leaves));
  const paths = Array.from({ length: 25 }, (_, i) => `/pay/${i}`);
  await kit.submit(paths, {
    once: true,
    pace: { perSecond: PER_SECOND, concurrency: 25 },
    robots: "ignore",
    collect: async ({ input, http }) => {
      await http.post((input as { url: string }).url, { form: {} }, { acts: true });
    },
  });
  const { counts } = await kit.run();
  assert.deepEqual(await ended, [0, null]);
  assert.deepEqual([counts.states.done, leftAt.length], [25, 25]);
  const busiest = Math.max(
    ...leftAt.map((from) => leftAt.filter((at) => at >= from && at < from + 1000).length),
  );
  assert.ok(
    busiest <= PER_SECOND + 1,
    `${busiest} requests left within a second: ${leftAt.map(Math.round).join(" ")}`,
  );
});
