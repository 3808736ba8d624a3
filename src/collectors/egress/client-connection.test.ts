// own process: replaces setTimeout
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { startEgressProxy } from "./egress-proxy.ts";

test("a client that does not authenticate within ten seconds is cut off, even if it keeps sending", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const proxy = await startEgressProxy();
  t.after(() => proxy.close());
  const port = Number(new URL(proxy.url).port);
  const [silent, slow] = [connect(port, "127.0.0.1"), connect(port, "127.0.0.1")];
  const answers: string[] = [];
  slow.setEncoding("latin1").on("data", (part: string) => answers.push(part.slice(0, 12)));
  await Promise.all([once(silent, "connect"), once(slow, "connect")]);
  // The proxy has seen both when it has answered on one that came after the other.
  slow.write("GET http://site.example/ HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(slow, "data");
  slow.write("GET http://site.example/ HTTP/1.1\r\nHo");
  t.mock.timers.tick(9_999);
  assert.deepEqual([silent.closed, slow.closed], [false, false]);
  const closed = Promise.all(
    [silent, slow].map((socket) => new Promise((ended) => socket.on("error", () => {}).on("close", ended))),
  );
  silent.resume();
  t.mock.timers.tick(2);
  await closed;
  assert.deepEqual(answers, ["HTTP/1.1 407"]);
});
