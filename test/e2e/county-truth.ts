import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { readLines } from "./county-process.ts";

interface Answer {
  readonly state: string;
  readonly kind?: string;
  readonly quality?: string;
}

/** Compares what Sluice reports with what the site did. Reads only the site's own file and the manifest. */
export const assertTruth = (truthFile: string, data: string, job = "*"): void => {
  const manifests = globSync(join(data, `blobs/jobs/${job}/manifest.jsonl`));
  assert.equal(manifests.length, 1, "one job, one manifest");
  const reported = new Map<string, Answer>();
  for (const { key, state, failure, quality } of readLines<ManifestLine>(manifests[0]!)) {
    assert.ok(!reported.has(key), `${key} is in the manifest once`);
    reported.set(key, answer(state, failure?.kind, quality));
  }
  const truth = new Map(
    readLines<TruthLine>(truthFile).map(({ parcel, state, kind, quality }) => [
      parcel,
      answer(state, kind, quality),
    ]),
  );
  const wrong = [...truth]
    .filter(([parcel, expected]) => !same(expected, reported.get(parcel)))
    .map(([parcel, expected]) => ({ parcel, expected, reported: reported.get(parcel) }));
  assert.deepEqual(wrong, []);
  assert.equal(reported.size, truth.size, "nothing is reported that the site does not have");
};

interface TruthLine {
  readonly parcel: string;
  readonly state: string;
  readonly kind?: string;
  readonly quality?: string;
}

interface ManifestLine {
  readonly key: string;
  readonly state: string;
  readonly failure?: { readonly kind: string };
  readonly quality?: string;
}

const answer = (state: string, kind?: string, quality?: string): Answer => ({
  state,
  ...(state === "failed" && kind !== undefined && { kind }),
  ...(state === "done" && quality !== undefined && { quality }),
});

const same = (a: Answer, b: Answer | undefined): boolean =>
  b !== undefined && a.state === b.state && a.kind === b.kind && a.quality === b.quality;
