import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Server } from "node:net";
import { test, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { sluice } from "./sluice-process.ts";

const listening = async (t: TestContext, server: Server): Promise<string> => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const answering = async (
  t: TestContext,
  answer: (response: ServerResponse) => Promise<void>,
): Promise<string> => {
  const server = createServer((_request, response) => void answer(response));
  t.after(() => server.closeAllConnections());
  return await listening(t, server);
};

const CLIENTS = JSON.stringify({ data: [{ name: "tax", weight: 3 }] });

test("the client gives up on a server that accepts connections and never answers, and says what to do", async (t) => {
  const url = await listening(
    t,
    createTcpServer((socket) => {
      t.after(() => socket.destroy());
    }),
  );
  const { code, stderr } = await sluice(["clients", "ls", "--server", url, "--timeout", "1s"]);
  assert.equal(code, 1);
  assert.ok(stderr.includes(`${url} does not answer: no data for 1 s.`), stderr);
  assert.match(stderr, /wait longer with --timeout/);
});

test("the client gives up on an answer that stops half-way", async (t) => {
  const url = await answering(t, async (response) => {
    response.setHeader("content-type", "application/json").write(CLIENTS.slice(0, 10));
  });
  const { code, stderr } = await sluice(["clients", "ls", "--server", url, "--timeout", "1s"]);
  assert.equal(code, 1);
  assert.ok(stderr.includes("no data for 1 s"), stderr);
});

test("a slow answer is read to its end while bytes arrive", async (t) => {
  const url = await answering(t, async (response) => {
    response.setHeader("content-type", "application/json");
    for (let at = 0; at < CLIENTS.length; at += 8) {
      response.write(CLIENTS.slice(at, at + 8));
      await delay(1000);
    }
    response.end();
  });
  const { code, stdout, stderr } = await sluice([
    "clients",
    "ls",
    "--json",
    "--server",
    url,
    "--timeout",
    "4s",
  ]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /"name":"tax"/);
});

test("the client gives up on a machine that accepts no connection", async (t) => {
  // Its process is stopped: the system accepts two connections for it and lets the others wait.
  const program =
    'const s = require("net").createServer().listen({ host: "127.0.0.1", port: 0, backlog: 1 }, () => console.log(s.address().port))';
  const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "ignore"] });
  t.after(() => child.kill("SIGKILL"));
  const port = Number(String((await once(child.stdout, "data"))[0]));
  child.kill("SIGSTOP");
  const fillers = Array.from({ length: 8 }, () => connect(port, "127.0.0.1").on("error", () => undefined));
  t.after(() => fillers.forEach((socket) => socket.destroy()));
  await once(fillers[0]!, "connect");
  await delay(500);
  if (fillers.every(({ connecting }) => !connecting))
    return t.skip("this system takes all connections at once");
  const { code, stderr } = await sluice(["clients", "ls", "--server", `http://127.0.0.1:${port}`], {
    SLUICE_CONNECT_TIMEOUT: "1s",
  });
  assert.equal(code, 1);
  assert.match(stderr, /127\.0\.0\.1:\d+ does not answer: connecting took too long\. Check the URL/);
});
