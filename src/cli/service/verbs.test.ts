import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openApiKit } from "../../api/testing/api-kit.ts";
import { SluiceClient } from "../../client.ts";
import { storageLocation } from "../../config/storage-location.ts";
import { openLocal } from "./local-verbs.ts";
import type { Declared } from "../../services/apply-config.ts";
import { openRemote } from "./remote-verbs.ts";
import type { Submission, Verbs } from "./verbs.ts";

/** The same verbs of a data folder and of a server. */
const PLACES: Readonly<Record<string, (t: TestContext, folder: string) => Promise<Verbs>>> = {
  "a data folder": (_t, folder) =>
    openLocal(storageLocation({ data: join(folder, "data") }), { makes: true }),
  "a server": async (t) => {
    const kit = await openApiKit();
    t.after(() => kit[Symbol.asyncDispose]());
    return openRemote(new SluiceClient({ server: kit.url }), kit.url);
  },
};

const onBoth = (title: string, run: (verbs: Verbs, folder: string) => Promise<void>): void => {
  for (const [place, open] of Object.entries(PLACES))
    test(`${place}: ${title}`, async (t) => {
      const folder = await mkdtemp(join(tmpdir(), "sluice-verbs-"));
      t.after(() => rm(folder, { recursive: true }));
      await using verbs = await open(t, folder);
      await run(verbs, folder);
    });
};

const submit = async (verbs: Verbs, folder: string, own: Partial<Submission> = {}) => {
  const input = join(folder, "urls.txt");
  await writeFile(input, "http://127.0.0.1:9/a\nhttp://127.0.0.1:9/b\n");
  const said = { onProgress: () => {}, onJob: () => {}, onBreak: () => {} };
  return (await verbs.submit({ scraper: "page", input, extracts: true, options: {}, ...said, ...own })).view;
};

/** The code of the error that it ends with. */
const codeOf = async (work: Promise<unknown>): Promise<string> => {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return (error as { readonly code?: string } | undefined)?.code ?? "none";
};

onBoth("--rate lowers the pace of a scraper, and never raises it, declared or not", async (verbs, folder) => {
  const paces = [];
  for (const perSecond of [50, 2, 0.5]) {
    const { spec } = await submit(verbs, folder, { perSecond });
    paces.push(spec.pace.perSecond);
  }
  const { spec } = await submit(verbs, folder);
  // `page` declares no pace: it runs at the default of 2 requests per second.
  assert.deepEqual([...paces, spec.pace.perSecond], [2, 2, 0.5, 2]);
});

onBoth(
  "a job is submitted with its inputs, stopped, and refused what it can no longer do",
  async (verbs, folder) => {
    const { spec, counts, isSealed } = await submit(verbs, folder, { maxItems: 1 });
    assert.deepEqual([counts.accepted, counts.capped, isSealed], [1, 1, true]);
    assert.equal(await codeOf(submit(verbs, folder, { job: spec.id })), "job-sealed");
    const raised = await verbs.resumeJob(spec.id, {
      newVersion: false,
      caps: { maxItems: 5 },
      say: () => {},
    });
    assert.deepEqual([raised.view.counts.accepted, raised.view.counts.capped], [2, 0]);
    const { view, isQuiet } = await verbs.controlJob(spec.id, "cancel");
    assert.deepEqual([view.state, isQuiet], ["cancelled", true]);
    assert.equal(await codeOf(verbs.retryItems(spec.id, {})), "job-ended");
    assert.equal(await codeOf(verbs.sealJob(spec.id)), "job-ended");
    assert.equal(
      await codeOf(verbs.writeResults(spec.id, join(folder, "x.csv"), { scraper: "other" })),
      "unknown-scraper",
    );
  },
);

onBoth("a job takes its inputs from a version of an input set", async (verbs, folder) => {
  const rows = (count: number): AsyncIterable<Uint8Array> =>
    ReadableStream.from([
      Buffer.from(Array.from({ length: count }, (_, n) => `{"url":"http://127.0.0.1:9/${n}"}\n`).join("")),
    ]);
  await verbs.inputSets.upload("towns", rows(2));
  await verbs.inputSets.upload("towns", rows(3));
  const submitted = await submit(verbs, folder, { inputsFrom: { set: "towns", version: 1 } });
  // A server's controller loads them; here, nobody else would.
  assert.deepEqual(
    [submitted.isSealed, submitted.counts.accepted],
    verbs.flag.includes("--server") ? [false, 0] : [true, 2],
  );
  for (const inputsFrom of [{ set: "none" }, { set: "towns", version: 3 }])
    assert.equal(await codeOf(submit(verbs, folder, { inputsFrom })), "not-found");
  assert.equal((await verbs.listJobs()).length, 1);
});

onBoth(
  "a configuration is applied, again without a change, and only told on a dry run",
  async (verbs, folder) => {
    await writeFile(join(folder, "towns.csv"), "url\nhttp://127.0.0.1:9/a\n");
    const weekly = {
      scraper: "page",
      when: { cron: "0 6 * * mon", zone: "UTC" },
      inputsFrom: { set: "towns" },
      dataset: "towns",
    };
    const declared: Declared = {
      folder,
      inputSets: { towns: { file: "towns.csv", key: ["url"] } },
      datasets: { towns: { sources: [{ scraper: "page" }], lateAfter: "8d" } },
      schedules: { after: { ...weekly, when: { after: "weekly" } }, weekly },
    };
    const apply = async (change: Partial<Declared> = {}, isDry = false): Promise<string[]> =>
      (await verbs.apply({ ...declared, ...change }, isDry)).map(
        ({ what, name, result }) => `${what} ${name} ${result}`,
      );
    const all = (result: string, set = result): string[] => [
      `input set towns ${set}`,
      ...["dataset towns", "schedule weekly", "schedule after"].map((one) => `${one} ${result}`),
    ];
    assert.deepEqual(await apply({}, true), all("created"));
    assert.deepEqual((await verbs.schedules.list()).data, []);
    assert.deepEqual(await apply(), all("created"));
    assert.deepEqual(await apply(), all("unchanged"));
    assert.deepEqual(await apply({}, true), all("unchanged", "compared"));
    await writeFile(join(folder, "towns.csv"), "url\nhttp://127.0.0.1:9/b\n");
    const changed = {
      datasets: { towns: { sources: [{ scraper: "page" }], keep: 3 } },
      schedules: { weekly: { ...weekly, overlap: "allow" as const } },
    };
    // A server keeps what others have made.
    const removed = verbs.flag.includes("--server") ? [] : ["schedule after removed"];
    assert.deepEqual(await apply(changed), [
      ...["input set towns", "dataset towns", "schedule weekly"].map((one) => `${one} changed`),
      ...removed,
    ]);
    assert.equal((await verbs.schedules.get("weekly")).overlap, "allow");
    assert.equal((await verbs.inputSets.get("towns")).versions.length, 2);
  },
);

onBoth(
  "clients, keys and lanes follow the same rules, and every change is in the audit log",
  async (verbs) => {
    assert.equal((await verbs.addClient({ name: "tax", itemsPerDay: 5 })).itemsPerDay, 5);
    assert.equal(await codeOf(verbs.addClient({ name: "tax" })), "client-exists");
    assert.equal((await verbs.changeClient("tax", { itemsPerDay: null, weight: 2 })).itemsPerDay, null);
    assert.equal(await codeOf(verbs.changeClient("nobody", { weight: 2 })), "not-found");
    assert.equal(await codeOf(verbs.listKeys("nobody")), "not-found");
    assert.equal(await codeOf(verbs.revokeKey("tax", "00000000")), "not-found");
    assert.equal(await codeOf(verbs.controlLane("nowhere.test", { isHeld: true })), "not-found");
    const entries = await verbs.listAudit({}, 20);
    assert.deepEqual(
      entries.map(({ action, target, outcome, detail }) => [action, target, outcome, detail]),
      [
        ["controlLane", "nowhere.test", "not-found", { isHeld: true }],
        ["revokeKey", "tax/00000000", "not-found", undefined],
        ["changeClient", "nobody", "not-found", { weight: 2 }],
        ["changeClient", "tax", "ok", { weight: 2 }],
        ["createClient", "tax", "client-exists", { name: "tax" }],
        ["createClient", "tax", "ok", { name: "tax", itemsPerDay: 5 }],
      ],
    );
  },
);
