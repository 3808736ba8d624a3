import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openFiles } from "../../backends/files/open-files.ts";
import { openSqlite } from "../../backends/sqlite/open.ts";
import { openRegistry } from "../../backends/sqlite/registry/open.ts";
import { laneName } from "../../domain/lane-name.ts";
import type { InputRow } from "../../inputs/input-format.ts";
import type { NewSchedule } from "../../schemas/schedule.ts";
import { LOCAL_ACTOR, type ServiceContext } from "../context.ts";
import { fireSchedule } from "../fire-schedule.ts";
import { FiringStages, type StageRunners } from "../firing-stages.ts";
import { loadInputs } from "../load-inputs.ts";
import { allSchedules } from "../schedule-documents.ts";
import { openCatalog } from "../scraper-catalog.ts";
import { createSchedule, listFirings } from "../schedules.ts";

export const COUNTY_SCRAPER = `import { defineScraper, field } from "sluice";
import { z } from "zod";
export default defineScraper({
  name: "county",
  site: "https://county.example",
  input: z.object({ parcel: z.string() }),
  key: ({ parcel }) => parcel,
  collect: async ({ http, input, keep }) => keep.page("page", await http.get("/" + input.parcel)),
  extract: { from: "page", fields: { owner: field.text(".owner") } },
});
`;

/** Opens what schedules need, in a folder: a project with one scraper, a ledger and an archive. */
export const openServices = async (
  folder: string,
  now: () => number,
): Promise<ServiceContext & AsyncDisposable> => {
  const ledger = await openSqlite(join(folder, "sluice.db"));
  const registry = await openRegistry(join(folder, "sluice.db"));
  const blobs = await openFiles(join(folder, "blobs"));
  const scrapers = openCatalog(
    { file: "", folder, data: folder, scrapers: [join(folder, "scrapers")] },
    { blobs },
  );
  return {
    ledger,
    registry,
    blobs,
    scrapers,
    laneOf: (url) => laneName(url, (host) => host),
    now,
    async [Symbol.asyncDispose]() {
      await registry.close();
      await ledger.close();
    },
  };
};

export const makeProject = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-schedules-"));
  await mkdir(join(folder, "scrapers"));
  await writeFile(join(folder, "scrapers", "county.scraper.ts"), COUNTY_SCRAPER);
  return folder;
};

export const parcels = (...names: string[]): Readonly<Record<string, unknown>>[] =>
  names.map((parcel) => ({ parcel }));

export async function* rowsOf(
  rows: readonly Readonly<Record<string, unknown>>[],
): AsyncGenerator<InputRow[]> {
  yield rows.map((value, at) => ({ line: at + 1, value }));
}

/** Schedules with a clock that the test sets. */
export const openScheduleKit = async (start: string, runners: StageRunners = {}) => {
  const folder = await makeProject();
  let at = Date.parse(start);
  const services = await openServices(folder, () => at);
  const stages = new FiringStages(services, runners);
  const { signal } = new AbortController();
  const { ledger } = services;
  return {
    services,
    folder,
    create: async (name: string, given: Partial<NewSchedule> = {}) =>
      await createSchedule(
        services,
        LOCAL_ACTOR,
        {
          name,
          scraper: "county",
          when: { cron: "0 6 * * *", zone: "Europe/Berlin" },
          inputsFrom: { rows: parcels("1", "2") },
          ...given,
        },
        { origin: "api", guardsTargets: false, by: "test" },
      ),
    /** One round of the controllers at this time. */
    async fire(time?: string) {
      if (time !== undefined) at = Date.parse(time);
      for await (const schedule of allSchedules(ledger)) await fireSchedule(services, schedule);
    },
    async load() {
      for (const view of await ledger.listJobs({ states: ["loading"], limit: 100 }))
        await loadInputs(services, view, signal);
    },
    /** Until nothing changes any more. */
    async advance() {
      for (let changed = true; changed;) {
        changed = false;
        for await (const schedule of allSchedules(ledger))
          changed = (await stages.advance(schedule, signal)) || changed;
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    /** Oldest first: `05:00 running`. */
    async firings(name: string) {
      const { firings } = await listFirings(services, LOCAL_ACTOR, name, { limit: 100 });
      return firings.toReversed();
    },
    /** Ends all open jobs as if their items had been collected: none of them ran. */
    async cancelJobs() {
      for (const { spec } of await ledger.listJobs({ states: ["running", "loading"], limit: 100 }))
        await ledger.controlJob(spec.id, "cancel");
    },
    async [Symbol.asyncDispose]() {
      await services[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
