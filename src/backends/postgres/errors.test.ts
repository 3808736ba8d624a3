import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { Client } from "pg";
import { isLost } from "./errors.ts";

test("a network that cannot be reached is lost, whatever its code; a wrong database is not", async () => {
  const [refused] = (await once(connect(1, "127.0.0.1"), "error").catch((error: unknown) => [error])) as [
    Error,
  ];
  assert.ok(isLost(refused));
  const noRoute = Object.assign(new Error("connect EINVAL 10.0.0.1:5432"), {
    code: "EINVAL",
    syscall: "connect",
  });
  assert.ok(isLost(noRoute));
  const unknownHost = await new Client({ host: "no-such-host.invalid" })
    .connect()
    .catch((error: unknown) => error);
  assert.ok(isLost(unknownHost));
  assert.ok(!isLost(Object.assign(new Error("no database"), { code: "3D000" })));
  assert.ok(!isLost(Object.assign(new Error("no file"), { code: "ENOENT", syscall: "open" })));
});
