import assert from "node:assert/strict";
import { test } from "node:test";
import { afterDeathAlone } from "./retry.ts";

test("an item whose own code ends its process gets one more try alone", () => {
  assert.deepEqual(afterDeathAlone({ blamed: 1, unexplained: 0 }), { waitMs: 250 });
  assert.equal(afterDeathAlone({ blamed: 2, unexplained: 0 }), "give-up");
});

test("deaths that nothing explains are forgiven longer, with longer waits", () => {
  const waits = [1, 2, 3, 4, 5].map((unexplained) => afterDeathAlone({ blamed: 0, unexplained }));
  assert.deepEqual(
    waits,
    [250, 500, 1000, 2000, 4000].map((waitMs) => ({ waitMs })),
  );
  assert.equal(afterDeathAlone({ blamed: 0, unexplained: 6 }), "give-up");
});
