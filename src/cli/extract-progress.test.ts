import assert from "node:assert/strict";
import { test } from "node:test";
import { openExtractProgress } from "./extract-progress.ts";
import type { ProgressMode } from "./progress.ts";

/** Two hundred items a second, told once every half second for twelve seconds. */
const tell = (mode: ProgressMode): { readonly people: string[]; readonly programs: string[] } => {
  const people: string[] = [];
  const programs: string[] = [];
  let now = 0;
  using progress = openExtractProgress({
    mode,
    job: "j",
    total: 10_000,
    stream: { write: (text) => people.push(text), columns: 60 },
    out: { write: (text) => programs.push(text) },
    now: () => now,
  });
  for (now = 500; now <= 12_000; now += 500) progress.update(now / 5);
  progress.note("printed by a scraper");
  return { people, programs };
};

test("elsewhere than on a terminal a line comes now and then, with rate and time left", () => {
  const { people, programs } = tell("lines");
  assert.deepEqual(people, [
    "j: 1,000 of 10,000 items extracted, 10.0%, 200/s, 45s left\n",
    "j: 2,000 of 10,000 items extracted, 20.0%, 200/s, 40s left\n",
    "printed by a scraper\n",
  ]);
  assert.deepEqual(programs, []);
});

test("on a terminal one line is redrawn, and gone at the end", () => {
  const { people } = tell("live");
  assert.ok(people.length > 20);
  for (const text of people.slice(0, 20)) {
    assert.ok(text.startsWith("\r"));
    assert.ok(text.length <= 60 + "\r\x1b[K".length);
  }
  assert.equal(people.at(-1), "\r\x1b[K");
});

test("programs get JSON, and nobody anything when all is quiet", () => {
  const { people, programs } = tell("json");
  const lines = programs.map((text) => JSON.parse(text) as Record<string, unknown>);
  assert.deepEqual(people, []);
  assert.equal(lines.at(-1)?.["type"], "note");
  assert.deepEqual(lines[0], {
    type: "progress",
    job: "j",
    items: 200,
    total: 10_000,
    perSecond: 200,
    etaMs: 49_000,
  });
  assert.deepEqual(tell("quiet"), { people: [], programs: [] });
});
