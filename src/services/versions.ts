import { canaryFindings } from "../domain/canary.ts";
import { isoTime } from "../domain/iso-time.ts";
import type { JobView } from "../domain/job.ts";
import type { NewEvent } from "../ports/event-log.ts";
import { pinnedOf } from "../pipeline/submit.ts";
import { checkFits } from "../reextract/take-new-version.ts";
import type { Activation, Gate, Version, Versions } from "../schemas/version.ts";
import { newestDeployed } from "../scrapers/bundle.ts";
import type { CompiledScraper } from "../scrapers/compiled-scraper.ts";
import { jobScrapers } from "../scrapers/load-pinned.ts";
import { LOCAL_CLIENT } from "../domain/client.ts";
import { type ServiceContext, shown } from "./context.ts";
import { gateVersion } from "./gate.ts";
import { Problem } from "./problem.ts";
import {
  changing,
  loadVersion,
  type Pointers,
  pointersChange,
  readPointers,
  readVersion,
  versionChange,
  versionRecord,
  type VersionRecord,
} from "./version-documents.ts";

const MOST_LISTED = 500;
const MOST_ACTIVATIONS = 50;

type Context = Pick<ServiceContext, "ledger" | "blobs" | "scrapers" | "laneOf" | "now" | "location">;

/** The stored versions of a scraper that were deployed, compared or activated, newest first. */
export const listVersions = async (
  { ledger, scrapers }: Pick<Context, "ledger" | "scrapers">,
  named: string,
): Promise<Versions> => {
  const scraper = await scrapers.ownName(named);
  const { ending: _, ...pointers } = (await readPointers(ledger, scraper)).body;
  const documents = await ledger.documents.list("version", { prefix: `${scraper}/`, limit: MOST_LISTED });
  const data = documents.map(({ name, body }) =>
    versionView(name.slice(scraper.length + 1), body as VersionRecord, pointers),
  );
  return { scraper, ...pointers, data: data.toSorted((a, b) => (a.at < b.at ? 1 : -1)) };
};

export const showVersion = async (
  context: Pick<Context, "ledger" | "blobs" | "scrapers">,
  named: string,
  version: string,
): Promise<Version> => {
  const scraper = await context.scrapers.ownName(named);
  const record = await readVersion(context.ledger, scraper, version);
  if (!record) throw unknownVersion(scraper, version);
  return versionView(version, record.body, (await readPointers(context.ledger, scraper)).body);
};

const unknownVersion = (scraper: string, version: string): Problem =>
  new Problem(
    "not-found",
    `${shown(scraper)} has no version ${shown(version)}. \`sluice versions list ${shown(scraper)}\` lists its versions.`,
  );

const versionView = (version: string, record: VersionRecord, pointers: Pointers): Version => {
  const { at, activations = [], gate, canary, difference, ...rest } = record;
  return {
    version,
    pointers: (["active", "canary", "previous"] as const).filter((name) => pointers[name] === version),
    ...rest,
    at: isoTime(at),
    ...(difference && { difference }),
    activations: activations.map((one) => ({ ...one, at: isoTime(one.at) })),
    ...(gate && {
      gate: {
        at: isoTime(gate.at),
        ...(gate.against !== undefined && { against: gate.against }),
        isRefused: gate.isRefused,
        reasons: gate.reasons,
        items: gate.items,
      },
    }),
    ...(canary && {
      canary: {
        state: canary.state,
        ...(canary.ownShare !== undefined && { share: canary.ownShare }),
        tolerance: canary.tolerance,
        startedAt: isoTime(canary.startedAt),
        by: canary.by,
        ...(canary.endedAt !== undefined && { endedAt: isoTime(canary.endedAt) }),
        ...(canary.reason !== undefined && { reason: canary.reason }),
        items: canary.test.items,
        fields: canaryFindings(canary.test).map(({ canary: own, control, ...one }) => ({
          ...one,
          canary: { items: own[0], bad: own[1] },
          control: { items: control[0], bad: control[1] },
        })),
        unread: canary.unread,
      },
    }),
  };
};

/** A version by its id or the beginning of it; by default the one that was deployed last. */
export const resolveVersion = async (
  { ledger, blobs, scrapers }: Pick<Context, "ledger" | "blobs" | "scrapers">,
  named: string,
  version?: string,
): Promise<{ readonly scraper: string; readonly version: string }> => {
  const scraper = await scrapers.ownName(named);
  if (version === undefined) {
    const newest = await newestDeployed(blobs, scraper);
    if (newest) return { scraper, version: newest.version };
    throw new Problem(
      "not-found",
      `${shown(scraper)}: nothing is deployed. Deploy it: sluice deploy ${shown(scraper)}`,
    );
  }
  if (!/^[0-9a-f]{1,16}$/.test(version)) throw unknownVersion(scraper, version);
  if (version.length === 16) return { scraper, version };
  const found = await ledger.documents.list("version", { prefix: `${scraper}/${version}`, limit: 2 });
  if (found.length === 1) return { scraper, version: found[0]!.name.slice(scraper.length + 1) };
  throw found.length === 0
    ? unknownVersion(scraper, version)
    : new Problem(
        "invalid-request",
        `${shown(scraper)}: several versions begin with ${version}. Use more characters.`,
      );
};

/** An event of a scraper belongs to no job: it is sent to the installation's own client. */
export const versionEvent = (
  type: NewEvent["type"],
  scraper: string,
  facts: Readonly<Record<string, unknown>>,
): NewEvent => ({ type, job: "", facts: { client: LOCAL_CLIENT, scraper, ...facts } });

interface Activating extends Activation {
  readonly scraper: string;
  readonly version: string;
  readonly by: string;
}

/** Makes a version the one that new jobs use, if it passes the test on stored pages, or if someone gives a reason to activate it anyway. */
export const activateVersion = async (
  context: Context,
  { scraper, version, by, accept, move = false }: Activating,
): Promise<{ readonly version: Version; readonly gate: Gate; readonly moved: readonly string[] }> => {
  const { ready } = await loadVersion(context, scraper, version);
  const gate = await gateVersion(context, { scraper, version, by });
  if (gate.isRefused && accept === undefined) {
    const facts = { version, against: gate.against, reasons: gate.reasons.slice(0, 10), by };
    await context.ledger.events.write([versionEvent("version.refused", scraper, facts)]);
    throw new Problem(
      "version-refused",
      `${scraper} ${version} is not activated. ${gate.reasons.join("; ")}. Correct it, start a canary if one is needed, or give a reason to activate it anyway: --accept "why".`,
    );
  }
  await setActive(context, scraper, version, {
    by,
    how: "activated",
    ...(accept !== undefined && gate.isRefused && { accepted: accept }),
  });
  const moved = move ? await moveJobs(context, scraper, ready) : [];
  return { version: await showVersion(context, scraper, version), gate, moved };
};

interface ActivationBy {
  readonly by: string;
  readonly how: "activated" | "rolled back" | "promoted";
  readonly accepted?: string;
}

/** The version that was active becomes the previous one. */
export const activation = (
  pointers: Pointers,
  record: VersionRecord,
  version: string,
  { at, ...how }: ActivationBy & { readonly at: number },
): { readonly pointers: Pointers; readonly record: VersionRecord } => {
  const { active, canary, previous, ...rest } = pointers;
  const before = active === version ? previous : active;
  return {
    pointers: {
      ...rest,
      active: version,
      ...(canary !== undefined && canary !== version && { canary }),
      ...(before !== undefined && { previous: before }),
    },
    record: {
      ...record,
      activations: [...(record.activations ?? []), { at, ...how }].slice(-MOST_ACTIVATIONS),
    },
  };
};

const setActive = async (
  context: Context,
  scraper: string,
  version: string,
  how: ActivationBy,
): Promise<void> =>
  await changing(scraper, async () => {
    const [before, record] = [
      await readPointers(context.ledger, scraper),
      await versionRecord(context, scraper, version, how.by),
    ];
    if (before.body.canary === version) throw stillCanary(scraper, version);
    const next = activation(before.body, record.body, version, { ...how, at: context.now() });
    const changes = [
      pointersChange(scraper, before, next.pointers),
      versionChange(scraper, version, record, next.record),
    ];
    const facts = { version, previous: next.pointers.previous, ...how };
    const events = [versionEvent("version.activated", scraper, facts)];
    return { result: undefined, ...(await context.ledger.documents.commit({ changes, events })) };
  });

const stillCanary = (scraper: string, version: string): Problem =>
  new Problem(
    "version-refused",
    `${scraper} ${version} is the canary. Promote it, or roll it back: sluice versions canary ${scraper} --promote | --roll-back`,
  );

/** Returns to the version that was active before: new jobs use it, and moved jobs use it with their next claim. */
export const rollBackVersion = async (
  context: Context,
  { scraper, by, move = false }: { readonly scraper: string; readonly by: string; readonly move?: boolean },
): Promise<{ readonly version: Version; readonly moved: readonly string[] }> => {
  const { previous } = (await readPointers(context.ledger, scraper)).body;
  if (previous === undefined)
    throw new Problem(
      "not-found",
      `${shown(scraper)} has no previous version. Activate one: sluice versions activate`,
    );
  const { ready } = await loadVersion(context, scraper, previous);
  await setActive(context, scraper, previous, { by, how: "rolled back" });
  const moved = move ? await moveJobs(context, scraper, ready) : [];
  return { version: await showVersion(context, scraper, previous), moved };
};

const OPEN = ["loading", "running", "paused"] as const;
const PAGE = 100;

/** The jobs of a scraper that have not ended. */
export const openJobsOf = async (
  { ledger }: Pick<Context, "ledger">,
  scraper: string,
): Promise<readonly JobView[]> => {
  const jobs: JobView[] = [];
  for (let after: string | undefined; ;) {
    const page = await ledger.listJobs({
      scraper,
      states: OPEN,
      limit: PAGE,
      ...(after !== undefined && { after }),
    });
    jobs.push(...page.filter(({ spec }) => spec.scraper === scraper));
    after = page.at(-1)?.spec.id;
    if (page.length < PAGE) return jobs;
  }
};

const moveJobs = async (context: Context, scraper: string, ready: CompiledScraper): Promise<string[]> => {
  const moved: string[] = [];
  for (const { spec } of await openJobsOf(context, scraper)) {
    const scrapers = jobScrapers(ready, spec.scrapers);
    await checkFits(context.ledger, spec, scrapers, context.laneOf);
    const pins = pinnedOf(scrapers);
    if (await context.ledger.changeVersions(spec.id, { to: "pins", pins })) moved.push(spec.id);
  }
  return moved;
};
