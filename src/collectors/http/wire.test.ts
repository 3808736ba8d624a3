import assert from "node:assert/strict";
import { test } from "node:test";
import { ResponseHead } from "./wire.ts";

test("headers of HTTP/1.1 keep their order, spelling and repetitions", () => {
  const raw = ["X-B", "1", "x-a", "2", "X-B", "3"].map((part) => Buffer.from(part));
  const head = new ResponseHead(200, "OK", raw);
  assert.deepEqual(head.headers, [
    ["X-B", "1"],
    ["x-a", "2"],
    ["X-B", "3"],
  ]);
  assert.equal(head.header("x-b"), "1");
  assert.equal(head.header("x-c"), undefined);
});

test("headers of HTTP/2 come without its pseudo headers", () => {
  const head = new ResponseHead(200, undefined, {
    ":status": "200",
    server: "h2",
    "set-cookie": ["a=1", "b=2"],
  });
  assert.deepEqual(head.headers, [
    ["server", "h2"],
    ["set-cookie", "a=1"],
    ["set-cookie", "b=2"],
  ]);
  assert.equal(head.statusText, "");
});
