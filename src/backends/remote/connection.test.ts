import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { PROTOCOL, PROTOCOL_HEADER } from "../../ports/ledger-wire.ts";
import { LedgerError, type LedgerErrorCode } from "../../ports/ledger.ts";
import { openRemote } from "./open-remote.ts";

const serve = async (t: TestContext, listener: RequestListener): Promise<string> => {
  const server = createServer(listener);
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const refused = (code: LedgerErrorCode, text: RegExp) => (error: unknown) =>
  error instanceof LedgerError && error.code === code && text.test(error.message);

test("where nobody listens, the error says so and what to check", async () => {
  const url = "http://127.0.0.1:1";
  await assert.rejects(() => openRemote({ url, firstPatienceMs: 0 }), refused("unavailable", /sluice serve/));
});

test("a server that is no controller, or too old a one, is refused at once", async (t) => {
  const url = await serve(t, (_request, response) => response.writeHead(404).end("{}"));
  await assert.rejects(() => openRemote({ url }), refused("unavailable", /upgrade the controller/));
});

test("a controller of another version answers which side to upgrade", async (t) => {
  const url = await serve(t, (_request, response) =>
    response.writeHead(426).end(JSON.stringify({ code: "other-protocol", detail: "Upgrade the worker." })),
  );
  await assert.rejects(() => openRemote({ url }), refused("other-version", /Upgrade the worker/));
});

test("while the controller does not answer, calls wait for it; the log says when that began and ended", async (t) => {
  let isAway = false;
  const calls: string[] = [];
  const url = await serve(t, (request, response) => {
    calls.push(request.url!);
    if (isAway) return void response.writeHead(calls.length % 2 ? 503 : 500).end("{}");
    response.writeHead(200, { [PROTOCOL_HEADER]: PROTOCOL }).end('[{"gatherMs":1}]');
  });
  const logged: string[] = [];
  const log = (event: string): void => {
    logged.push(event);
    isAway = false;
  };
  const { ledger } = await openRemote({ url, log: { info: log, warn: log } });
  t.after(() => ledger.close());
  isAway = true;
  await ledger.readJob("j");
  assert.deepEqual(calls.slice(1), ["/v1/ledger/readJob", "/v1/ledger/readJob"]);
  assert.deepEqual(logged, ["controller does not answer", "controller answers again"]);
});

test("a call that has no answer fails when its caller has stopped", async (t) => {
  const stop = new AbortController();
  const url = await serve(t, (request, response) => {
    if (request.url === "/v1/ledger") response.writeHead(200, { [PROTOCOL_HEADER]: PROTOCOL }).end("{}");
    else stop.abort();
  });
  const { ledger } = await openRemote({ url, signal: stop.signal });
  t.after(() => ledger.close());
  await assert.rejects(() => ledger.reap({ worker: "w" }), refused("unavailable", /reap/));
});
