import assert from "node:assert/strict";
import { test } from "node:test";
import { type BreakerOutcome, seedBreaker, step } from "./breaker.ts";
import { seededRandom } from "./testing/seeded-random.ts";

/** How many of N jobs trip, each with new random outcomes. */
function trippedJobs(jobs: number, items: number, draw: (random: () => number) => BreakerOutcome): number {
  const random = seededRandom(20_260_101);
  let tripped = 0;
  for (let job = 0; job < jobs; job++) {
    let state = seedBreaker();
    for (let item = 0; item < items; item++) {
      const next = step(state, draw(random));
      if (next.tripped) {
        tripped++;
        break;
      }
      state = next.state;
    }
  }
  return tripped;
}

const DONE: BreakerOutcome = { result: "done" };
const TIMEOUT: BreakerOutcome = { result: "timeout" };
const ABSENT: BreakerOutcome = { result: "absent" };
const PARTIAL: BreakerOutcome = { result: "done", missing: ["owner"] };

test("five per cent of random failures trip none of 200 jobs of 100,000 items", () => {
  assert.equal(
    trippedJobs(200, 100_000, (random) => (random() < 0.05 ? TIMEOUT : DONE)),
    0,
  );
});

test("five per cent of records without a field trip none of 10 jobs of 100,000 items", () => {
  assert.equal(
    trippedJobs(10, 100_000, (random) => (random() < 0.05 ? PARTIAL : DONE)),
    0,
  );
});

for (const share of [0.05, 0.3, 0.5, 0.8])
  test(`a job with ${share * 100} % absent inputs does not trip the breaker`, () => {
    assert.equal(
      trippedJobs(50, 20_000, (random) => (random() < share ? ABSENT : DONE)),
      0,
    );
  });

test("most jobs that find one input in ten do not trip the breaker", () => {
  const tripped = trippedJobs(50, 20_000, (random) => (random() < 0.9 ? ABSENT : DONE));
  assert.ok(tripped <= 3, `${tripped} of 50`);
});

test("a job that begins to fail in half of its attempts is soon stopped", () => {
  const jobs = 200;
  const random = seededRandom(7);
  let [needed, stopped] = [0, 0];
  for (let job = 0; job < jobs; job++) {
    let { state } = step(seedBreaker(), DONE);
    for (let i = 0; i < 1000; i++) state = step(state, random() < 0.02 ? TIMEOUT : DONE).state;
    for (let i = 1; i <= 300; i++) {
      const next = step(state, random() < 0.5 ? TIMEOUT : DONE);
      state = next.state;
      if (!next.tripped) continue;
      needed += i;
      stopped++;
      break;
    }
  }
  assert.ok(stopped >= 0.97 * jobs, `${stopped} stopped`);
  assert.ok(needed / stopped < 60, `${needed / stopped} attempts on average`);
});
