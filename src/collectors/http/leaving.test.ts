import assert from "node:assert/strict";
import { test } from "node:test";
import { StopError } from "../../model/stop-error.ts";
import { answer, openTestSession, openTestSite } from "./test-site.ts";

test("a request that is stopped after its gate, while its socket is still being opened, does not reach the site", async () => {
  await using site = await openTestSite((_request, response) => answer(response, "<p>"));
  let isStopped = false;
  await using session = openTestSession(site.url, {
    tools: {
      leaving: () => {
        if (isStopped) throw new StopError("the job was paused");
      },
    },
  });
  const going = session.http.get("/first");
  isStopped = true;
  await assert.rejects(going, StopError);
  await assert.rejects(() => session.keep.file("bill", "/file"), StopError);
  assert.equal(site.seen.length, 0);
  isStopped = false;
  await session.http.get("/again");
  assert.equal(site.seen.length, 1);
});
