import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { compareWithTruth, type Comparison } from "../../examples/mayors/compare.ts";
import { startMayors } from "../../examples/mayors/site.ts";
import { truthOf } from "../../examples/mayors/truth.ts";
import { ROOT, sluice } from "./sluice-process.ts";

/** The site of the example at a tenth of its size. The demo runs all of it in two minutes. */
const TOWNS = 800;
const PATIENCE = { limit: 400, windowMs: 6000 };
/** Low enough that a slow machine floods it too. */
const LITTLE_PATIENCE = { limit: 200, windowMs: 12_000 };

const folder = mkdtempSync(join(tmpdir(), "sluice-mayors-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const scrape = async (
  name: string,
  env: Readonly<Record<string, string>>,
  patience = PATIENCE,
): Promise<Comparison & { readonly unanswered: number }> => {
  await using site = await startMayors({ towns: TOWNS, ...patience });
  const [data, input, output] = [name, `${name}.txt`, `${name}.csv`].map((file) => join(folder, file));
  writeFileSync(input!, `${site.url}/\n`);
  const run = await sluice(
    [
      "run",
      join(ROOT, "examples/mayors/mayors.scraper.ts"),
      "--input",
      input!,
      "--output",
      output!,
      "--data",
      data!,
    ],
    { MAYORS_REQUEST_MS: "1500", ...env },
  );
  assert.equal(run.code, 3, run.stderr);
  return { ...compareWithTruth(output!, site.url, TOWNS), unanswered: site.requests.unanswered };
};

test("when the site stops answering, the lane slows down by itself and no town is lost", async () => {
  const { right, broken, lost, wrong, unanswered } = await scrape("patient", {});
  assert.deepEqual([lost, wrong], [[], []]);
  assert.ok(unanswered > 0, "the site was flooded, else this run shows nothing");
  const failed = truthOf(TOWNS).filter(({ state }) => state === "failed");
  assert.deepEqual([right, broken.length], [TOWNS - failed.length, failed.length]);
});

test("without the slow-down, more than an eighth of the towns is lost and reported", async () => {
  const { lost, wrong } = await scrape("hasty", { MAYORS_SLOW_DOWN: "no" }, LITTLE_PATIENCE);
  assert.deepEqual(wrong, []);
  assert.ok(lost.length > TOWNS / 8, `${lost.length} lost`);
});
