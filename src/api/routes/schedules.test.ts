import assert from "node:assert/strict";
import { test } from "node:test";
import type { Firing, InputSet, Schedule, SetDiff, UploadedSet } from "../../client.ts";
import { openApiKit } from "../testing/api-kit.ts";

interface ProblemBody {
  readonly code: string;
}

const NDJSON = { "content-type": "application/x-ndjson" };
const lines = (...parcels: string[]): string =>
  parcels.map((parcel) => `${JSON.stringify({ parcel })}\n`).join("");

test("an input set is uploaded, changed, compared and used by a job and a schedule", async () => {
  await using kit = await openApiKit();
  const [operator, other] = [await kit.addClient("team", "operator"), await kit.addClient("other")];
  const upload = async (path: string, body: string) =>
    await kit.ask<UploadedSet>("PUT", `/v1/input-sets/parcels${path}`, {
      key: operator,
      headers: NDJSON,
      body,
    });
  assert.equal((await upload("?key=parcel", lines("1", "2", "3", "3"))).body.folded, 1);
  assert.equal(
    (await upload("?change=add", '{"parcel":"4"}\n{"parcel":"2","year":"2026"}\n')).body.set.versions[0]
      ?.rows,
    4,
  );
  assert.equal((await upload("?change=remove", lines("1"))).body.set.versions[0]?.rows, 3);
  assert.equal((await upload("?change=remove", lines("1"))).body.isNew, false);
  const bad = await upload("", '{"parcel":"5"}\nnonsense\n');
  assert.deepEqual([bad.status, (bad.body as unknown as ProblemBody).code], [422, "bad-inputs"]);
  const diff = await kit.ask<SetDiff>("GET", "/v1/input-sets/parcels/diff?from=1", { key: operator });
  const { added, removed, changed, unchanged, examples } = diff.body;
  assert.deepEqual([added, removed, changed, unchanged], [1, 1, 1, 1]);
  assert.deepEqual(examples, {
    added: [{ parcel: "4" }],
    removed: [{ parcel: "1" }],
    changed: [{ parcel: "2", year: "2026" }],
  });
  const rows = await kit.raw("GET", "/v1/input-sets/parcels/versions/3", { key: operator });
  assert.equal((await rows.text()).split("\n").length, 4);

  const job = await kit.ask<{ readonly job: { readonly id: string } }>("POST", "/v1/jobs", {
    key: operator,
    json: { scraper: "county", inputsFrom: { set: "parcels" } },
  });
  assert.equal(job.status, 201);
  assert.deepEqual((await kit.ledger.readJob(job.body.job.id))?.spec.inputsFrom, {
    set: "parcels",
    version: 3,
  });
  const file = await kit.ask<ProblemBody>("POST", "/v1/jobs", {
    key: operator,
    json: { scraper: "county", inputsFrom: { file: "/etc/passwd" } },
  });
  assert.deepEqual([file.status, file.body.code], [403, "forbidden"]);

  // Others see nothing of it, and only operators change sets.
  assert.equal((await kit.ask("GET", "/v1/input-sets/parcels", { key: other })).status, 404);
  assert.equal(
    (await kit.ask("PUT", "/v1/input-sets/mine", { key: other, headers: NDJSON, body: lines("1") })).status,
    403,
  );
  assert.deepEqual(
    (await kit.ask<{ data: InputSet[] }>("GET", "/v1/input-sets", { key: other })).body.data,
    [],
  );
});

test("a schedule is previewed, created, paused, run and removed", async () => {
  await using kit = await openApiKit();
  const [operator, other] = [await kit.addClient("team", "operator"), await kit.addClient("other")];
  const ask = async <Body>(method: string, path: string, json?: unknown, key = operator) =>
    await kit.ask<Body>(method, `/v1/schedules${path}`, { key, ...(json !== undefined && { json }) });
  const when = { cron: "0 6 * * mon", zone: "America/Chicago" };
  const preview = await ask<{ data: { at: string; local: string }[] }>("POST", "/preview", { when });
  assert.equal(preview.body.data.length, 5);
  const definition = { scraper: "county", when, inputsFrom: { rows: [{ parcel: "1" }] } };
  const { zone: _, ...hostTime } = when;
  assert.equal((await ask("POST", "", { name: "weekly", ...definition, when: hostTime })).status, 400);
  const created = await ask<Schedule>("POST", "", { name: "weekly", ...definition });
  assert.equal(created.status, 201);
  assert.deepEqual(
    created.body.next.map(({ at }) => at),
    preview.body.data.map(({ at }) => at),
  );
  assert.equal((await ask("POST", "", { name: "weekly", ...definition })).status, 409);
  assert.equal((await ask<Schedule>("POST", "/weekly/pause")).body.next.length, 0);
  const run = await ask<Firing>("POST", "/weekly/run");
  assert.equal(run.status, 201);
  assert.equal((await kit.ledger.readJob(run.body.job!))?.spec.guardsTargets, true);
  assert.equal((await ask("POST", "/weekly/run")).status, 409);
  assert.equal((await ask<Schedule>("POST", "/weekly/resume", {})).body.next.length, 5);
  const firings = await ask<{ data: Firing[] }>("GET", "/weekly/firings?limit=1");
  assert.equal(firings.body.data[0]?.job, run.body.job);
  assert.equal(
    (await ask("POST", "/weekly/backfill", { from: "2020-01-01T00:00:00Z", to: "2026-01-01T00:00:00Z" }))
      .status,
    409,
  );
  const changed = await ask<Schedule>("PUT", "/weekly", { ...definition, overlap: "queue-one" });
  assert.deepEqual([changed.body.overlap, changed.body.counts.fired], ["queue-one", 1]);
  assert.equal((await ask("GET", "/weekly", undefined, other)).status, 404);
  assert.equal((await ask("POST", "", { name: "mine", ...definition }, other)).status, 403);
  assert.equal((await ask("DELETE", "/weekly")).status, 200);
  assert.equal((await ask("GET", "/weekly")).status, 404);
});
