import assert from "node:assert/strict";
import { test } from "node:test";
import { upperTail } from "./beta-binomial.ts";
import { type Measured, judgeDrift, learnPriors, type RunShares } from "./drift.ts";

const WEEK_MS = 7 * 86_400_000;
const START = Date.UTC(2026, 0, 5);

const week = (at: number, shares: readonly Measured[], more: Partial<RunShares> = {}): RunShares => ({
  id: `week ${at}`,
  at: START + at * WEEK_MS,
  items: 1000,
  pages: 1000,
  bytes: 1000 * 20_000,
  shares,
  ...more,
});
const share = (field: string, hits: number, of = 1000): Measured => ({
  measure: "no-value",
  field,
  share: { hits, of },
});
/** A few points up and down, always the same. */
const NOISE = [0, 6, -5, 9, -8, 3, -2, 7, -6, 1];
const noisy = (field: string, hits: number, at: number): Measured =>
  share(field, Math.max(0, hits + NOISE[(at + field.length) % NOISE.length]!));
const weeks = (count: number, fields: Readonly<Record<string, number>>): RunShares[] =>
  Array.from({ length: count }, (_, at) =>
    week(
      at,
      Object.entries(fields).map(([field, hits]) => noisy(field, hits, at)),
    ),
  );

test("the tail of a beta-binomial is that of its sum", () => {
  const of4 = (hits: number) => upperTail({ hits, of: 4 }, { mean: 0.25, size: 8 });
  assert.ok(Math.abs(of4(0) - 1) < 1e-9);
  assert.ok(of4(1) > of4(2) && of4(2) > of4(3) && of4(3) > of4(4));
  // B(6, 6) ÷ B(2, 6): all four are hits.
  assert.ok(Math.abs(of4(4) - (2 * 3 * 4 * 5) / (8 * 9 * 10 * 11)) < 1e-12);
});

test("a field that loses ten points is a finding that blocks; its neighbour is not", () => {
  const history = weeks(8, { price: 50, name: 10 });
  const { findings, canBlock, tests } = judgeDrift(
    week(8, [share("price", 150), share("name", 12)]),
    history,
  );
  assert.equal(canBlock, true);
  assert.equal(tests, 4); // and the number of items, and bytes per page
  assert.deepEqual(
    findings.map(({ field, measure, level }) => [field, measure, level]),
    [["price", "no-value", "block"]],
  );
  assert.ok(Math.abs(findings[0]!.points - 10) < 1, `${findings[0]!.points} points`);
});

test("with a short history a finding only warns, and below 30 judged items there is none", () => {
  const short = judgeDrift(week(3, [share("price", 400)]), weeks(3, { price: 50 }));
  assert.deepEqual(
    short.findings.map(({ level }) => level),
    ["warn"],
  );
  const few = judgeDrift(week(8, [share("price", 20, 29)]), weeks(8, { price: 50 }));
  assert.deepEqual(few.findings, []);
  assert.equal(few.unjudged, 1);
});

test("less than three points is none, however many items there are", () => {
  const many = (hits: number): Measured => share("price", hits, 1_000_000);
  const history = Array.from({ length: 8 }, (_, at) => week(at, [many(50_000 + at)]));
  assert.deepEqual(judgeDrift(week(8, [many(78_000)]), history).findings, []);
  assert.equal(judgeDrift(week(8, [many(81_000)]), history).findings.length, 1);
  assert.equal(
    judgeDrift(week(8, [many(78_000)]), history, { pointsOf: { price: 1 } }).findings.length,
    1,
    "a field may set its own",
  );
});

test("the run under test, and later ones, are not part of its baseline", () => {
  const history = weeks(8, { price: 50 });
  const broken = week(8, [share("price", 150)]);
  const again = judgeDrift(broken, [...history, broken, week(9, [share("price", 150)])]);
  assert.deepEqual(again.findings, judgeDrift(broken, history).findings);
});

test("an open finding stays out of the baseline; an accepted one becomes part of it", () => {
  const history = weeks(8, { price: 50 });
  const now = week(9, [share("price", 150)]);
  const broken = week(8, [share("price", 150)]);
  const open = judgeDrift(now, [...history, { ...broken, open: ["no-value:price"] }]);
  const accepted = judgeDrift(now, [...history, broken]);
  assert.equal(open.findings.length, 1);
  assert.ok(open.findings[0]!.expected < 0.06);
  assert.equal(accepted.findings.length, 0);
});

test("a season that comes every month is compared with the same week of earlier months", () => {
  // In the first week of a month values are not there yet.
  const isFirst = (at: number): boolean => new Date(START + at * WEEK_MS).getUTCDate() <= 7;
  const of = (at: number): Measured => noisy("price", isFirst(at) ? 200 : 50, at);
  let at = 60;
  while (!isFirst(at)) at++;
  const history = Array.from({ length: at }, (_, past) => week(past, [of(past)]));
  assert.deepEqual(judgeDrift(week(at, [of(at)]), history).findings, []);
  const worse = judgeDrift(week(at, [share("price", 800)]), history);
  assert.equal(worse.findings.length, 1);
});

test("what most fields do together is one finding about the run, or the season's", () => {
  const names = ["a", "b", "c", "d", "e", "f"];
  const usual = Object.fromEntries(names.map((name) => [name, 50]));
  const history = weeks(8, usual);
  const all = judgeDrift(
    week(
      8,
      names.map((name) => share(name, 300)),
    ),
    history,
  );
  assert.equal(all.findings.length, 1);
  assert.deepEqual(all.findings[0]!.fields, names);
  assert.equal(all.findings[0]!.field, undefined);
  const season = judgeDrift(
    week(
      8,
      names.map((name, at) => share(name, 95 + at)),
    ),
    history,
  );
  assert.deepEqual(season.findings, []);
  assert.equal(season.shifts[0]?.fields, 6);
  const one = judgeDrift(
    week(
      8,
      names.map((name, at) => share(name, name === "c" ? 300 : 95 + at)),
    ),
    history,
  );
  assert.deepEqual(
    one.findings.map(({ field }) => field),
    ["c"],
  );
});

test("fewer items and smaller pages than usual are findings about the run", () => {
  const history = weeks(8, { price: 50 });
  const half = judgeDrift(
    week(8, [share("price", 25, 500)], { items: 500, pages: 500, bytes: 2_000_000 }),
    history,
  );
  assert.deepEqual(half.findings.map(({ measure }) => measure).toSorted(), ["fewer", "smaller"]);
});

test("priors are learned from the runs of all fields", () => {
  const rough = (seed: number): RunShares[] =>
    Array.from({ length: 8 }, (_, at) => week(at, [share("price", 20 + 40 * ((at * 7 + seed * 3) % 9))]));
  const priors = learnPriors(Array.from({ length: 50 }, (_, seed) => rough(seed)));
  // Two runs alike say little about how much a share varies; those of other fields do.
  const history = [week(0, [share("price", 100)]), week(1, [share("price", 101)])];
  const probability = (options = {}) =>
    judgeDrift(week(2, [share("price", 300)]), history, options).findings[0]?.probability ?? 1;
  assert.ok(probability({ priors }) > 2 * probability(), `${probability({ priors })}, ${probability()}`);
});
