import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { ChannelError } from "../../ports/channel.ts";
import { signWebhook } from "./sign-webhook.ts";

interface Vector {
  readonly secret: string;
  readonly msg_id: string;
  readonly timestamp: number;
  readonly payload: string;
  readonly expected: string;
}

const VECTORS = resolve(
  import.meta.dirname,
  "../../../../shared/testdata/webhooks/standard-webhooks-vectors.json",
);
const secretOf = (bytes: Uint8Array): string => `whsec_${Buffer.from(bytes).toString("base64")}`;

test("signs the published example as documented", (t) => {
  if (!existsSync(VECTORS)) return t.skip("the published vectors are not next to the checkout");
  const { sign } = JSON.parse(readFileSync(VECTORS, "utf8")) as { sign: Vector[] };
  assert.ok(sign.length > 0);
  for (const { secret, msg_id, timestamp, payload, expected } of sign)
    assert.equal(signWebhook([secret], msg_id, timestamp, payload), expected);
});

test("signs as the reference implementation does, whatever the secret and the body", () => {
  const secret = fc.uint8Array({ minLength: 24, maxLength: 64 }).map(secretOf);
  fc.assert(
    fc.property(secret, fc.string({ unit: "binary" }), fc.nat(4e9), (known, body, timestampS) => {
      const expected = new Webhook(known).sign("msg_1", new Date(timestampS * 1000), body);
      assert.equal(signWebhook([known], "msg_1", timestampS, body), expected);
    }),
  );
});

test("while secrets change, the old and the new one both verify, and a third does not", () => {
  const [older, newer, foreign] = [1, 2, 3].map((byte) => secretOf(new Uint8Array(32).fill(byte)));
  const timestampS = Math.floor(Date.now() / 1000);
  const headers = {
    "webhook-id": "msg_1",
    "webhook-timestamp": String(timestampS),
    "webhook-signature": signWebhook([newer!, older!], "msg_1", timestampS, '{"a":1}'),
  };
  for (const secret of [older!, newer!])
    assert.deepEqual(new Webhook(secret).verify('{"a":1}', headers), { a: 1 });
  assert.throws(() => new Webhook(foreign!).verify('{"a":1}', headers));
  assert.throws(() => new Webhook(newer!).verify('{"a":2}', headers));
});

test("refuses an invalid secret, without showing it", () => {
  for (const secret of ["", "whsec_", "whsec_not base64", "sk_live_hunter2"])
    assert.throws(
      () => signWebhook([secret], "msg_1", 1, ""),
      (error) =>
        error instanceof ChannelError && error.code === "bad-secret" && !error.message.includes("hunter2"),
    );
});
