import type { DatasetCalls } from "../../client.ts";
import type { StorageLocation } from "../../ports/storage.ts";
import type { PlaceOptions } from "../options.ts";

/** What commands can do with datasets, on a server or with a data folder on this machine. */
export const openDatasets = async ({
  location,
  server,
  timeout,
}: PlaceOptions): Promise<DatasetCalls & AsyncDisposable> => {
  if (server === undefined) return await openLocal(location);
  const { keyFor, serverName } = await import("./stored-keys.ts");
  const { openClient } = await import("./open-client.ts");
  const { datasets } = await openClient(serverName(server), keyFor(server), timeout);
  return { ...datasets, async [Symbol.asyncDispose]() {} };
};

/** The same use cases as the server's routes, in this process. Datasets of the configuration are saved first, so they need no server. */
const openLocal = async (location: StorageLocation): Promise<DatasetCalls & AsyncDisposable> => {
  const { openExistingStorage } = await import("../existing-storage.ts");
  const { loadConfig } = await import("../../config/load-config.ts");
  const services = await import("../../services/datasets.ts");
  const releases = await import("../../services/releases.ts");
  const quality = await import("../../services/quality.ts");
  const views = await import("../../services/dataset-view.ts");
  const { LOCAL_ACTOR: actor } = await import("../../services/context.ts");
  const { auditedIn } = await import("./audit-local.ts");
  const { applyDatasets, ownDatasets } = await import("../../services/apply-config.ts");
  const declared = (await loadConfig())?.datasets;
  const storage = await openExistingStorage(location);
  const { ledger, blobs } = storage;
  const context = { ledger, blobs, now: Date.now, audits: services.auditsOf(declared) };
  if (declared) await applyDatasets(ownDatasets(context), declared);
  const find = async (dataset: string) => (await services.findDataset(context, actor, dataset)).body;
  const changing = async <T>(
    action: string,
    target: string,
    detail: object,
    work: () => Promise<T>,
  ): Promise<T> => await auditedIn(location, { action, target, detail: { ...detail } }, work);
  const shown = async (release: Parameters<typeof views.releaseView>[0]) =>
    await views.releaseView(release, await find(release.dataset));
  /** Runs of `sluice run` are measured on request. */
  const countRuns = async (scraper: string): Promise<void> => {
    const jobs = await ledger.listJobs({ scraper, states: ["done"], limit: 20 });
    for (const { spec } of jobs.toSorted((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0)))
      await quality.noteQuality(context, spec.id, { renews: true });
  };
  return {
    async listDatasets() {
      const all = await services.listDatasets(context, actor);
      return { data: all.map((dataset) => views.datasetView(dataset, Date.now())) };
    },
    getDataset: async (dataset) => views.datasetView(await find(dataset), Date.now()),
    saveDataset: (dataset, spec) =>
      changing("saveDataset", dataset, {}, async () => {
        const checked = await services.readDatasetSpec(dataset, spec, "the file");
        return views.datasetView(await services.saveDataset(context, actor, dataset, checked), Date.now());
      }),
    async listReleases(dataset, { limit = 20 } = {}) {
      const body = await find(dataset);
      const found = await services.listReleases(context, dataset, { limit });
      return { data: await Promise.all(found.map((release) => views.releaseView(release, body))) };
    },
    getRelease: async (dataset, release) =>
      await shown((await services.findRelease(context, await find(dataset), release)).body),
    writeRelease: (dataset, { jobs } = {}) =>
      changing(
        "writeRelease",
        dataset,
        { jobs },
        async () =>
          await shown(await releases.writeRelease(context, actor, dataset, { ...(jobs && { jobs }) })),
      ),
    auditRelease: (dataset, release) =>
      changing(
        "auditRelease",
        `${dataset}/${release}`,
        {},
        async () => await shown(await releases.auditRelease(context, actor, dataset, release)),
      ),
    publishRelease: (dataset, release, how = {}) =>
      changing(
        "publishRelease",
        `${dataset}/${release}`,
        how,
        async () => await shown(await releases.publishRelease(context, actor, dataset, release, how)),
      ),
    rollback: (dataset, { to } = {}) =>
      changing(
        "rollbackRelease",
        dataset,
        { to },
        async () => await shown(await releases.rollbackRelease(context, actor, dataset, to)),
      ),
    async diffReleases(dataset, { examples = 5, ...which } = {}) {
      const found = await releases.diffOfReleases(context, actor, dataset, { ...which, most: examples });
      return { dataset, ...found };
    },
    async latest(dataset) {
      const body = await find(dataset);
      const current = await services.mustBeCurrent(context, body);
      return await views.latestView(body, current);
    },
    async file(dataset, name, number) {
      const body = await find(dataset);
      const release =
        number === undefined
          ? await services.mustBeCurrent(context, body)
          : (await services.findRelease(context, body, number)).body;
      return ReadableStream.from(blobs.stream(services.findFile(release, name).blob));
    },
    async listQuality(scraper, { limit = 20 } = {}) {
      await countRuns(scraper);
      return {
        data: (await quality.readDrift(context, actor, scraper, { limit })).runs.map(views.qualityView),
      };
    },
    async listDrift(scraper, { limit = 20, open } = {}) {
      await countRuns(scraper);
      const { findings } = await quality.readDrift(context, actor, scraper, {
        limit,
        isOpen: open === "true",
      });
      return { data: findings.map(views.findingView) };
    },
    acceptFinding: (scraper, id, { reason }) =>
      changing("acceptFinding", `${scraper}/${id}`, { reason }, async () =>
        views.findingView(await quality.acceptFinding(context, actor, { scraper, id, reason })),
      ),
    async [Symbol.asyncDispose]() {
      await storage[Symbol.asyncDispose]();
    },
  };
};
