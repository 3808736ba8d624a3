import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { newDatabase, noPostgres } from "../../../test/kits/postgres.ts";
import { LedgerError } from "../../ports/ledger.ts";
import { arrays, count, run, type StepEngine } from "../sql/steps.ts";
import { migrate } from "./migrate.ts";
import { openPool } from "./pool.ts";
import { postgresSteps } from "./run-steps.ts";

const openSteps = async (t: TestContext, most = 4): Promise<StepEngine> => {
  const pool = await openPool(await newDatabase(t), { most });
  t.after(() => pool.close());
  await migrate(pool);
  return postgresSteps(pool);
};

const save = (id: string, state: string) =>
  run(
    "INSERT INTO alerts (id, state) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET state = excluded.state",
    id,
    state,
  );
const read = (id: string) => arrays<[string]>("SELECT state FROM alerts WHERE id = ?", id);

describe("steps on PostgreSQL", { skip: noPostgres }, () => {
  it("keep any text, also in lists", async (t) => {
    const steps = await openSteps(t);
    const texts = ["a\u0000b", "\u0001", "\u00010", `"\\{},'`, "NULL", "", "ü😀"];
    await steps.write("registry", function* () {
      for (const text of texts) yield* save(text, text);
    });
    const found = await steps.read(() =>
      arrays<[string]>(
        "SELECT state FROM alerts WHERE id IN (SELECT value FROM @list(? text) l)",
        JSON.stringify(texts),
      ),
    );
    assert.deepEqual(found.flat().toSorted(), texts.toSorted());
  });

  it("of one part are written one after the other", async (t) => {
    const steps = await openSteps(t);
    await steps.write("registry", () => save("n", "0"));
    const add = () =>
      steps.write("registry", function* () {
        const [row] = yield* read("n");
        yield* save("n", String(Number(row![0]) + 1));
      });
    await Promise.all(Array.from({ length: 20 }, add));
    assert.deepEqual(await steps.read(() => read("n")), [["20"]]);
  });

  it("see one view, whatever is written meanwhile", async (t) => {
    const steps = await openSteps(t);
    const total = () => count("SELECT count(*) FROM alerts");
    const counts = await steps.read(function* () {
      const before = yield* total();
      // Nothing waits for this: it has a connection of its own.
      writing = steps.write("registry", () => save("new", ""));
      for (let i = 0; i < 50; i++) yield* total();
      return [before, yield* total()];
    });
    await writing;
    assert.deepEqual([counts, await steps.read(total)], [[0, 0], 1]);
  });
  let writing: Promise<unknown> | undefined;

  it("that refuse leave nothing, and their connection is used again", async (t) => {
    const steps = await openSteps(t, 1);
    const backend = () => count("SELECT pg_backend_pid()");
    const before = await steps.read(backend);
    const refused = steps.write("registry", function* () {
      yield* save("a", "half");
      throw new LedgerError("no-such-job", "no");
    });
    await assert.rejects(refused, /no/);
    assert.deepEqual(await steps.read(() => read("a")), []);
    assert.equal(await steps.read(backend), before);
  });

  for (const [what, sql] of [
    ["their connection is lost", "SELECT pg_terminate_backend(pg_backend_pid())"],
    ["they are in another's way", "DO $$ BEGIN RAISE EXCEPTION 'conflict' USING ERRCODE = '40001'; END $$"],
  ] as const)
    it(`run again when ${what}`, async (t) => {
      const steps = await openSteps(t);
      let tries = 0;
      await steps.write("registry", function* () {
        yield* save("tries", String(++tries));
        if (tries === 1) yield* run(sql);
      });
      assert.deepEqual(await steps.read(() => read("tries")), [["2"]]);
    });

  it("go by the server's clock", async (t) => {
    const steps = await openSteps(t);
    t.mock.method(Date, "now", () => 0);
    const clock = () =>
      count("SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS DOUBLE PRECISION)");
    assert.ok(await steps.read(compare));
    assert.ok(await steps.write("records", compare));
    function* compare(now: number) {
      return Math.abs((yield* clock()) - now) < 60_000;
    }
  });
});
