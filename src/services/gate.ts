import { judgeGate } from "../domain/gate.ts";
import { isoTime } from "../domain/iso-time.ts";
import { compareVersions } from "../reextract/compare-versions.ts";
import { pickPages } from "../reextract/pick-pages.ts";
import type { Gate } from "../schemas/version.ts";
import { newestBundle } from "../scrapers/bundle.ts";
import { versionDifference } from "../scrapers/version-difference.ts";
import type { ServiceContext } from "./context.ts";
import { Problem } from "./problem.ts";
import {
  changing,
  loadVersion,
  readPointers,
  versionChange,
  versionRecord,
  type VersionRecord,
} from "./version-documents.ts";

type Context = Pick<ServiceContext, "ledger" | "blobs" | "scrapers" | "now" | "location">;

/** For each version. A thread takes longer to start than to read some hundred pages. */
const threadsFor = (items: number): number => (items > 1000 ? 2 : 1);

/**
 * Tests a version on stored pages: it and the previous version read the same pages, and the differences are counted by field. The
 * report is stored with the version.
 */
export const gateVersion = async (
  context: Context,
  { scraper, version, by }: { readonly scraper: string; readonly version: string; readonly by: string },
): Promise<Gate> => {
  const report = await judge(context, scraper, version);
  const blob = `service/gates/${scraper}/${version}.json`;
  await context.blobs.put(blob, Buffer.from(JSON.stringify(report)));
  const { against, isRefused, reasons, pages } = report;
  const gate: VersionRecord["gate"] = {
    at: context.now(),
    isRefused,
    reasons,
    items: pages.items,
    blob,
    ...(against !== undefined && { against }),
  };
  await changing(scraper, async () => {
    const record = await versionRecord(context, scraper, version, by);
    const body = { ...record.body, gate };
    return {
      result: undefined,
      ...(await context.ledger.documents.commit({
        changes: [versionChange(scraper, version, record, body)],
      })),
    };
  });
  return report;
};

const judge = async (context: Context, scraper: string, version: string): Promise<Gate> => {
  const { ledger, blobs, now, location } = context;
  const after = await loadVersion(context, scraper, version);
  const against = await versionBefore(context, scraper, version);
  const fixtures = await fixturesOf(context, scraper, version);
  const failing = fixtures?.failed.length
    ? [
        `${fixtures.failed.length} of ${fixtures.cases} fixture tests fail: ${fixtures.failed.slice(0, 5).join(", ")}`,
      ]
    : [];
  const verdict = (
    reasons: readonly string[],
    rest: Pick<Gate, "pages" | "fields" | "needsCanary">,
  ): Gate => ({
    version,
    ...(against !== undefined && { against }),
    at: isoTime(now()),
    isRefused: reasons.length > 0,
    reasons,
    ...(fixtures && { fixtures }),
    ...rest,
  });
  const none = { items: 0, newest: 0, incomplete: 0, months: {} };
  // There is nothing to compare the first version with.
  if (against === undefined) return verdict(failing, { pages: none, fields: [], needsCanary: [] });
  if (!location) throw new Problem("internal", "Stored pages cannot be read from here.");
  const before = await loadVersion(context, scraper, against);
  const { unjudged: needsCanary } = versionDifference(before, after);
  const { items: picked, ...why } = await pickPages({ ledger, blobs }, scraper);
  const compared = await compareVersions({ location }, picked, {
    before: before.ready,
    after: after.ready,
    cores: threadsFor(picked.length),
    signal: new AbortController().signal,
  });
  const fields = judgeGate(compared.fields);
  const refusals = fields.flatMap(({ name, refused }) =>
    refused === undefined ? [] : `${name}: ${refused}`,
  );
  const unseen =
    needsCanary.length > 0
      ? [`${needsCanary.join(", ")} changed, which stored pages cannot test: start a canary`]
      : [];
  return verdict([...failing, ...refusals, ...unseen], {
    pages: { ...why, items: compared.items },
    fields,
    needsCanary,
  });
};

/** The active version; without one, that of the newest job with another version whose code is stored. */
const versionBefore = async (
  { ledger, blobs }: Context,
  scraper: string,
  version: string,
): Promise<string | undefined> => {
  const { active } = (await readPointers(ledger, scraper)).body;
  if (active !== undefined) return active === version ? undefined : active;
  const jobs = await ledger.listJobs({ scraper, limit: 20 });
  for (const { spec } of jobs)
    if (spec.version !== version && (await newestBundle(blobs, scraper, spec.version))) return spec.version;
  return undefined;
};

/** Fixtures are beside the scraper's file, so they apply to the version of that file. */
const fixturesOf = async (
  { scrapers }: Context,
  scraper: string,
  version: string,
): Promise<Gate["fixtures"]> => {
  const file = await scrapers.ownFile?.(scraper).catch(() => undefined);
  if (!file || file.version !== version || !scrapers.fixturesOf) return undefined;
  const { cases, failed, problem } = await scrapers.fixturesOf(file.source);
  return problem === undefined ? { cases, failed } : undefined;
};
