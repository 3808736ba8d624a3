import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { openStorage } from "../../src/compose.ts";
import { ROOT, sluice, SluiceProcess } from "./sluice-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-hangup-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A site that keeps requests open until the test lets it answer. */
const openHoldingSite = async () => {
  const held: ServerResponse[] = [];
  const server = createServer((request, response) => {
    if (request.url === "/robots.txt") return void response.writeHead(404).end();
    held.push(response);
    server.emit("held");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async holdsOne() {
      while (held.length === 0) await once(server, "held");
    },
    release() {
      const count = held.length;
      for (const response of held) response.setHeader("content-type", "text/html").end("<b>page</b>");
      return count;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
};

const COMMANDS = ["run", "worker", "serve"] as const;

for (const command of COMMANDS)
  test(`SIGHUP to \`sluice ${command}\` lets it finish its items in flight and take no more`, async () => {
    await using site = await openHoldingSite();
    const data = join(folder, command);
    const input = join(folder, `${command}.txt`);
    writeFileSync(input, Array.from({ length: 50 }, (_, n) => `${site.url}/${n}\n`).join(""));
    const given = ["--data", data, "--input", input];
    if (command !== "run") assert.equal((await sluice(["submit", "page", ...given])).code, 0);
    const started = new SluiceProcess(
      {
        run: ["run", "page", ...given],
        worker: ["worker", "--data", data, "--drain", "10m", "--concurrency", "1"],
        serve: ["serve", "--data", data, "--drain", "10m", "--workers", "1", "--port", "0", "--no-key"],
      }[command],
    );
    await site.holdsOne();
    started.child.kill("SIGHUP");
    await started.says(/Stopping: finishing items in flight/);
    const inFlight = site.release();
    const { code } = await started.ended;
    assert.equal(code, command === "run" ? 5 : 0, started.stderr);
    await using storage = await openStorage(data);
    const { states } = (await storage.ledger.listJobs())[0]!.counts;
    assert.deepEqual([states.done, states.leased, states.failed], [inFlight, 0, 0]);
    assert.ok(inFlight < 50);
  });

const serve = (): string =>
  [
    process.execPath,
    join(ROOT, "bin/sluice.js"),
    "serve",
    "--port",
    "0",
    "--no-key",
    "--data",
    mkdtempSync(join(folder, "data-")),
  ]
    .map((word) => `'${word}'`)
    .join(" ");

const WAYS: Readonly<Record<string, () => readonly [shell: string, text: string]>> = {
  "nohup, by bash": () => ["bash", `nohup ${serve()}; exit 0`],
  "nohup, which has taken the terminal from it": () => ["sh", `exec ${serve()} 0>/dev/null`],
  "a shell that ignores the signal": () => ["sh", `trap '' HUP; ${serve()}; exit 0`],
};

for (const [way, command] of Object.entries(WAYS))
  test(
    `a server started by ${way} does not hear SIGHUP`,
    { skip: !existsSync("/proc/self/fdinfo") && "there is no /proc" },
    async () => {
      const [shell, text] = command();
      const child = spawn(shell, ["-c", text], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
      after(() => killGroup(child.pid!, "SIGKILL"));
      const ended = once(child, "exit");
      let said = "";
      while (!/Listening on \S+\n/.test(said)) said += String((await once(child.stdout, "data"))[0]);
      const [, url] = /Listening on (\S+)/.exec(said)!;
      // The shell may die of it, as a login shell would.
      for (let n = 0; n < 2; n++) killGroup(child.pid!, "SIGHUP");
      await delay(1500);
      assert.equal((await fetch(`${url}/healthz`)).status, 200);
      killGroup(child.pid!, "SIGTERM");
      await ended;
    },
  );

function killGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // no process is left
  }
}
