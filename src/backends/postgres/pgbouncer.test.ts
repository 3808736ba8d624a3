// e2e: starts a pooler
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, chownSync, constants, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { freePort } from "../../../test/free-port.ts";
import { newDatabase, noPostgres } from "../../../test/kits/postgres.ts";
import { SimWorker } from "../../ports/ledger-suite/sim-worker.ts";
import { jobSpec, keysOf, planned } from "../../ports/ledger-suite/test-kit.ts";
import { openPostgres } from "./open.ts";

const PROGRAM = "/usr/sbin/pgbouncer";

const noPgbouncer = ((): string | false => {
  if (noPostgres) return noPostgres;
  try {
    accessSync(PROGRAM, constants.X_OK);
    return false;
  } catch {
    return `${PROGRAM} is not installed. To install it: apt-get install pgbouncer`;
  }
})();

/** Connects as soon as somebody listens. */
const isListening = async (port: number): Promise<void> => {
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    const isOpen = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
  }
};

test("a ledger behind pgbouncer in transaction mode", { skip: noPgbouncer }, async (t) => {
  const url = new URL(await newDatabase(t));
  const folder = mkdtempSync(join(tmpdir(), "sluice-pgbouncer-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const port = await freePort();
  const config = join(folder, "pgbouncer.ini");
  writeFileSync(join(folder, "users"), '"test" ""\n', { mode: 0o644 });
  writeFileSync(
    config,
    `[databases]
* = host=127.0.0.1 port=${url.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, "users")}
pool_mode = transaction
default_pool_size = 2
`,
    { mode: 0o644 },
  );
  const nobody = /^nobody:[^:]*:(\d+):(\d+)/m.exec(readFileSync("/etc/passwd", "utf8"));
  const user = process.getuid?.() === 0 && nobody ? { uid: Number(nobody[1]), gid: Number(nobody[2]) } : {};
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const pooler = spawn(PROGRAM, ["-q", config], { stdio: "ignore", ...user });
  t.after(async () => {
    pooler.kill("SIGKILL");
    if (pooler.exitCode === null && pooler.signalCode === null) await once(pooler, "exit");
  });
  await isListening(port);
  const pooled = `postgres://test@127.0.0.1:${port}${url.pathname}?statements=unnamed`;
  // More connections than the pooler has, so that statements of one client run on connections of others.
  const ledgers = await Promise.all([1, 2, 3].map(() => openPostgres(pooled)));
  t.after(() => Promise.all(ledgers.map((ledger) => ledger.close())));
  const [first] = ledgers;
  await first!.createJob(jobSpec("job"));
  await first!.addItems("job", planned(keysOf(300)), []);
  await first!.sealJob("job");
  await Promise.all(
    ledgers.map(async (ledger, i) => {
      const worker = new SimWorker(`w${i}`, ledger, () => performance.now());
      for (let items = 1; items > 0;) {
        const grant = await worker.claim(20);
        items = grant.items.length;
        await worker.pulse();
        assert.deepEqual((await worker.settle(grant.items)).refused, []);
      }
    }),
  );
  const view = await first!.readJob("job");
  assert.equal(view!.counts.states.done, 300);
});
