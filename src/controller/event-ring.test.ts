import assert from "node:assert/strict";
import { test } from "node:test";
import { EventRing } from "./event-ring.ts";

const event = (job: string) => ({ type: "job.progress", at: 0, client: "a", job, data: {} }) as const;

test("a ring gives what came after an event that it knows", () => {
  const ring = new EventRing(1);
  const heard: string[] = [];
  ring.listen(({ id }) => heard.push(id));
  for (const job of ["1", "2", "3"]) ring.add(event(job));
  const jobsSince = (id: string) => ring.since(id)?.map(({ job }) => job);
  assert.deepEqual(jobsSince(heard[0]!), ["2", "3"]);
  assert.deepEqual(jobsSince(heard[2]!), []);
  assert.deepEqual(
    [jobsSince("0-1"), jobsSince("1-4"), jobsSince("1-x"), jobsSince("")],
    [undefined, undefined, undefined, undefined],
  );
});

test("what is too old to be followed up is not known any more", () => {
  const ring = new EventRing(1);
  for (let count = 0; count < 5000; count++) ring.add(event(String(count)));
  assert.equal(ring.since("1-2999"), undefined);
  assert.equal(ring.since("1-3000")?.length, 2000);
});
