import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { SluiceClient } from "../../client.ts";
import type { LatestRelease } from "../../schemas/dataset.ts";
import type { Job } from "../../schemas/job.ts";
import type { ProblemBody } from "../answers.ts";
import { type ApiKit, openApiKit } from "../testing/api-kit.ts";
import { collectJob } from "../testing/collected-job.ts";

const runJob = async (kit: ApiKit, key: string, tax: number): Promise<void> => {
  const inputs = ["1", "2"].map((parcel) => ({ parcel }));
  const { body } = await kit.ask<{ job: Job }>("POST", "/v1/jobs", {
    key,
    json: { scraper: "county", inputs },
  });
  await collectJob(kit, body.job.id, (item) => ({ body: "<p>", record: { owner: item.key, tax } }));
};

test("a dataset over the API: releases are written, audited, published, compared, downloaded and rolled back", async () => {
  await using kit = await openApiKit();
  const key = await kit.addClient("ops", "operator");
  const { datasets } = new SluiceClient({ server: kit.url, key });
  await runJob(kit, key, 10);
  await datasets.saveDataset("taxes", { sources: [{ scraper: "county" }], rules: { minRows: 2 } });
  for (const tax of [10, 11]) {
    if (tax === 11) await runJob(kit, key, tax);
    const { number } = await datasets.writeRelease("taxes");
    assert.equal((await datasets.auditRelease("taxes", number)).state, "audited");
    assert.equal((await datasets.publishRelease("taxes", number)).isCurrent, true);
  }
  const diff = await datasets.diffReleases("taxes");
  assert.deepEqual([diff.changed.count, diff.fields["tax"]?.changed, diff.unchanged], [2, 2, 0]);

  const latest = await datasets.latest("taxes");
  const csv = latest.files.find(({ name }) => name === "data.csv")!;
  const answer = await kit.raw("GET", "/v1/datasets/taxes/current/data.csv", { key });
  const text = await answer.text();
  assert.equal(text, "key,owner,tax,_gaps\n1,1,11,{}\n2,2,11,{}\n");
  assert.equal(`sha256:${createHash("sha256").update(text).digest("hex")}`, csv.digest);
  assert.equal(answer.headers.get("x-release"), "2");
  const again = await kit.raw("GET", "/v1/datasets/taxes/current/data.csv", {
    key,
    headers: { "if-none-match": answer.headers.get("etag")! },
  });
  assert.equal(again.status, 304);
  const manifest = await kit.ask<{ rows: number }>("GET", "/v1/datasets/taxes/current/manifest.json", {
    key,
  });
  assert.equal(manifest.body.rows, 2);

  assert.equal((await datasets.rollback("taxes")).number, 1);
  assert.equal(
    (await kit.ask<LatestRelease>("GET", "/v1/datasets/taxes/latest.json", { key })).body.release,
    1,
  );
  assert.deepEqual(
    (await datasets.listReleases("taxes")).data.map(({ number, state, isCurrent }) => [
      number,
      state,
      isCurrent,
    ]),
    [
      [2, "withdrawn", false],
      [1, "published", true],
    ],
  );
  const quality = await datasets.listQuality("county");
  assert.equal(quality.data.length, 2, "an audit counts the runs that it looks at");
  assert.deepEqual((await datasets.listDrift("county", { open: "true" })).data, []);
});

test("clients read their own datasets; only operators change them", async () => {
  await using kit = await openApiKit();
  const ops = await kit.addClient("ops", "operator");
  const own = await kit.addClient("team");
  await runJob(kit, ops, 1);
  const asked = { json: { sources: [{ scraper: "county" }] } };
  assert.equal((await kit.ask("PUT", "/v1/datasets/taxes", { key: own, ...asked })).status, 403);
  assert.equal((await kit.ask("PUT", "/v1/datasets/taxes", { key: ops, ...asked })).status, 200);
  for (const path of ["taxes", "taxes/latest.json", "taxes/releases", "taxes/current/data.csv"])
    assert.equal((await kit.ask("GET", `/v1/datasets/${path}`, { key: own })).status, 404);
  const none = await kit.ask<ProblemBody>("GET", "/v1/datasets/taxes/latest.json", { key: ops });
  assert.equal(none.body.detail, "taxes has no published release yet.");
  const wrong = await kit.ask<ProblemBody>("PUT", "/v1/datasets/taxes", {
    key: ops,
    json: { sources: [{ scraper: "county" }], fields: [{ name: "owner", gaps: { missing: "guess" } }] },
  });
  assert.equal(wrong.body.code, "invalid-request");
  const field = { sources: [{ scraper: "county" }], fields: [{ name: "colour" }] };
  await kit.ask("PUT", "/v1/datasets/taxes", { key: ops, json: field });
  const refused = await kit.ask<ProblemBody>("POST", "/v1/datasets/taxes/releases", { key: ops, json: {} });
  assert.match(
    refused.body.detail,
    /field colour: no source has colour\. There are county\.owner, county\.tax\./,
  );
});
