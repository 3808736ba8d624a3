import assert from "node:assert/strict";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Truth } from "../../examples/county/truth.ts";
import { browserOrSkip } from "../browser.ts";
import { readLines, startSite } from "./county-process.ts";
import { assertTruth } from "./county-truth.ts";
import { type Ended, ROOT, sluice } from "./sluice-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-distill-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const PARCELS = 400;

interface DistilledCounty {
  readonly own: string;
  readonly written: string;
  readonly truth: string;
  readonly ended: Ended;
}

/** Distills the browser scraper of the scripted county, and goes on while the site still runs. */
const distillCounty = async (
  site: readonly string[],
  args: readonly string[],
  go: (distilled: DistilledCounty, env: Readonly<Record<string, string>>) => Promise<void>,
): Promise<void> => {
  const own = mkdtempSync(join(folder, "county-"));
  const truth = join(own, "truth.jsonl");
  await using county = await startSite([
    "--parcels",
    `${PARCELS}`,
    "--troubles",
    "absent=6",
    "--scripted",
    "--truth",
    truth,
    ...site,
  ]);
  for (const name of ["county", "county-browser"])
    copyFileSync(join(ROOT, `examples/county/${name}.scraper.ts`), join(own, `${name}.scraper.ts`));
  const truths = readLines<Truth>(truth);
  const some = (state: string): string[] =>
    truths.filter((one) => one.state === state).map(({ parcel }) => `parcel=${parcel}`);
  const [a, b] = some("done");
  const [c, d] = some("absent");
  writeFileSync(join(own, "parcels.csv"), ["parcel", ...truths.map(({ parcel }) => parcel), ""].join("\n"));
  const env = { COUNTY_URL: county.url };
  const written = join(own, "county-http.scraper.ts");
  const browser = join(own, "county-browser.scraper.ts");
  const named = ["--input", a!, "--input", b!, "--absent", c!, "--absent", d!];
  const ended = await sluice(
    [
      "distill",
      browser,
      ...named,
      "--data",
      join(own, "data"),
      "--from",
      join(own, "parcels.csv"),
      "--output",
      written,
      ...args,
    ],
    env,
  );
  await go({ own, written, truth, ended }, env);
};

test("the scraper that distill writes has the county's truth for every parcel", async (t) => {
  if (!(await browserOrSkip(t))) return;
  await distillCounty([], ["--prove", "30"], async ({ own, written, truth, ended }, env) => {
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(
      ended.stdout,
      /3\. GET \/api\/property\/….*\n.*\n +path segment 3: JSON hits\[0\]\.reference of `search`/,
    );
    assert.match(ended.stdout, /Proved with 32 inputs, \d+ of them absent/);
    assert.doesNotMatch(readFileSync(join(own, "county-http.evidence.json"), "utf8"), /csrf-token": "/);
    const output = join(own, "records.jsonl");
    const data = join(own, "http-data");
    const ran = await sluice(
      ["run", written, "--input", join(own, "parcels.csv"), "--data", data, "--output", output],
      env,
    );
    assert.equal(ran.code, 0, ran.stderr);
    assertTruth(truth, data);
    const records = new Map(
      readLines<Readonly<Record<string, unknown>>>(output).map((line) => [line["key"], line]),
    );
    for (const truthLine of readLines<Truth>(truth)) {
      if (truthLine.state !== "done") continue;
      const record = records.get(truthLine.parcel);
      assert.ok(record);
      assert.equal((record["_files"] as readonly unknown[]).length, 1);
      for (const [name, value] of Object.entries(truthLine.values))
        assert.deepEqual(record[name], value, `${name} of ${truthLine.parcel}`);
    }
    await assertTakenOver(own, written, truth, env);
  });
});

/** A written scraper that is wrong about a field is found out by its first item, and the browser does the rest. */
const assertTakenOver = async (
  own: string,
  written: string,
  truth: string,
  env: Readonly<Record<string, string>>,
): Promise<void> => {
  const wrong = join(own, "county-wrong.scraper.ts");
  const code = readFileSync(written, "utf8").replace('by.path("account.owner")', 'by.path("account.situs")');
  const [input, output, data] = ["few.csv", "few.jsonl", "few-data"].map((name) => join(own, name)) as [
    string,
    string,
    string,
  ];
  const truths = readLines<Truth>(truth).slice(0, 12);
  writeFileSync(input, ["parcel", ...truths.map(({ parcel }) => parcel), ""].join("\n"));
  // One at a time: the first has been compared before the second one starts.
  writeFileSync(wrong, code.replace(/^ {2}pace: .*$/m, "  pace: { perSecond: 400, concurrency: 1 },"));
  const ran = await sluice(["run", wrong, "--input", input, "--data", data, "--output", output], env);
  assert.equal(ran.code, 0, ran.stderr);
  const lines = readLines<Readonly<Record<string, unknown>>>(output);
  for (const one of truths)
    if (one.state === "done")
      assert.equal(lines.find(({ key }) => key === one.parcel)?.["owner"], one.values["owner"], one.parcel);
  const log = readdirSync(join(data, "logs")).map((name) => readFileSync(join(data, "logs", name), "utf8"));
  assert.match(log.join(""), /the browser takes over.*field owner differs/);
};

test("a signed request is refused by the name of its parameter, and nothing is written", async (t) => {
  if (!(await browserOrSkip(t))) return;
  await distillCounty(["--switches", "signed"], [], async ({ own, written, ended }) => {
    assert.equal(ended.code, 3, ended.stdout);
    assert.match(
      ended.stderr,
      /request 4 GET \/api\/property\/…: query `sig` changes between runs and comes from no earlier response/,
    );
    assert.ok(!existsSync(written));
    assert.deepEqual(
      readdirSync(own).filter((name) => /distill|evidence/.test(name)),
      [],
    );
  });
});

test("one-time tokens and nested shadow roots are no obstacle", async (t) => {
  if (!(await browserOrSkip(t))) return;
  await distillCounty(["--switches", "one-time,shadow"], ["--prove", "5"], async ({ ended }) => {
    assert.equal(ended.code, 0, ended.stderr);
  });
});
