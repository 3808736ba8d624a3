import assert from "node:assert/strict";
import { test } from "node:test";
import { FailureError, ownTrouble, OwnTroubleError } from "../../domain/failure.ts";
import { connectionFailure, refuseOwnLookupTrouble } from "./connection-failure.ts";

const url = new URL("http://site.test/");
const system = (code: string) => Object.assign(new Error(code), { code });

test("a lack of local resources is not a failure of the site", () => {
  for (const code of ["EMFILE", "ENFILE", "ENOMEM", "ENOBUFS", "ENOSPC"])
    assert.ok(connectionFailure(system(code), url) instanceof OwnTroubleError, code);
  assert.ok(connectionFailure(system("ECONNREFUSED"), url) instanceof FailureError);
  const blob = new Error("cannot use it", { cause: system("EMFILE") });
  assert.equal(ownTrouble(blob)?.code, "EMFILE");
  const full = new Error("no space", { cause: system("ENOSPC") });
  assert.equal(ownTrouble(full), undefined, "a full disk does not pass by itself");
});

test("an unknown host is the site's failure while name servers answer, and ours while none does", async () => {
  const failed = connectionFailure(system("EAI_AGAIN"), url);
  await refuseOwnLookupTrouble(failed, async () => false);
  await assert.rejects(
    refuseOwnLookupTrouble(failed, async () => true),
    OwnTroubleError,
  );
  await refuseOwnLookupTrouble(connectionFailure(system("ENOTFOUND"), url), async () => true);
});
