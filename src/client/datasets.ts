import type {
  DatasetRequest,
  DatasetView,
  LatestRelease,
  PublishRequest,
  ReleaseDiff,
  ReleaseDiffQuery,
  ReleaseView,
  RollbackRequest,
  WriteRequest,
} from "../schemas/dataset.ts";
import type { Page, PageQuery } from "../schemas/describe.ts";
import type { AcceptRequest, FindingView, QualityView } from "../schemas/quality.ts";
import type { Asking } from "./ask.ts";
import { queryText } from "./query.ts";

/** Datasets, their releases, and the quality of the runs they are made of. */
export interface DatasetCalls {
  listDatasets(): Promise<Page<DatasetView>>;
  getDataset(dataset: string): Promise<DatasetView>;
  /** Creates it, or changes what it is. */
  saveDataset(dataset: string, spec: DatasetRequest): Promise<DatasetView>;
  /** One page, newest first. */
  listReleases(dataset: string, query?: PageQuery): Promise<Page<ReleaseView>>;
  getRelease(dataset: string, release: number): Promise<ReleaseView>;
  writeRelease(dataset: string, how?: WriteRequest): Promise<ReleaseView>;
  auditRelease(dataset: string, release: number): Promise<ReleaseView>;
  publishRelease(dataset: string, release: number, how?: PublishRequest): Promise<ReleaseView>;
  rollback(dataset: string, how?: RollbackRequest): Promise<ReleaseView>;
  diffReleases(dataset: string, query?: ReleaseDiffQuery): Promise<ReleaseDiff>;
  latest(dataset: string): Promise<LatestRelease>;
  /** A file of the current release, or of the one with this number. */
  file(dataset: string, file: string, release?: number): Promise<ReadableStream<Uint8Array>>;
  /** How the runs of a scraper were, newest first. */
  listQuality(scraper: string, query?: { readonly limit?: number }): Promise<Page<QualityView>>;
  /** Findings about them. */
  listDrift(
    scraper: string,
    query?: { readonly limit?: number; readonly open?: "true" | "false" },
  ): Promise<Page<FindingView>>;
  acceptFinding(scraper: string, finding: string, how: AcceptRequest): Promise<FindingView>;
}

interface Sending {
  readonly json: <Answer>(method: string, path: string, asking?: Asking) => Promise<Answer>;
  readonly stream: (path: string) => Promise<ReadableStream<Uint8Array>>;
}

const pathOf = (dataset: string, release?: number): string =>
  `/v1/datasets/${encodeURIComponent(dataset)}${release === undefined ? "" : `/releases/${release}`}`;
const scraperPath = (scraper: string): string => `/v1/scrapers/${encodeURIComponent(scraper)}`;

export const datasetCalls = ({ json, stream }: Sending): DatasetCalls => ({
  listDatasets: () => json("GET", "/v1/datasets"),
  getDataset: (dataset) => json("GET", pathOf(dataset)),
  saveDataset: (dataset, spec) => json("PUT", pathOf(dataset), { json: spec, isRepeatable: true }),
  listReleases: (dataset, query = {}) => json("GET", `${pathOf(dataset)}/releases${queryText({ ...query })}`),
  getRelease: (dataset, release) => json("GET", pathOf(dataset, release)),
  writeRelease: (dataset, how = {}) =>
    json("POST", `${pathOf(dataset)}/releases`, { json: how, isCreation: true }),
  auditRelease: (dataset, release) => json("POST", `${pathOf(dataset, release)}/audit`),
  publishRelease: (dataset, release, how = {}) =>
    json("POST", `${pathOf(dataset, release)}/publish`, { json: how, isCreation: true }),
  rollback: (dataset, how = {}) =>
    json("POST", `${pathOf(dataset)}/rollback`, { json: how, isCreation: true }),
  diffReleases: (dataset, query = {}) => json("GET", `${pathOf(dataset)}/diff${queryText({ ...query })}`),
  latest: (dataset) => json("GET", `${pathOf(dataset)}/latest.json`),
  file: (dataset, file, release) =>
    stream(
      release === undefined
        ? `${pathOf(dataset)}/current/${encodeURIComponent(file)}`
        : `${pathOf(dataset, release)}/files/${encodeURIComponent(file)}`,
    ),
  listQuality: (scraper, query = {}) =>
    json("GET", `${scraperPath(scraper)}/quality${queryText({ ...query })}`),
  listDrift: (scraper, query = {}) => json("GET", `${scraperPath(scraper)}/drift${queryText({ ...query })}`),
  acceptFinding: (scraper, finding, how) =>
    json("POST", `${scraperPath(scraper)}/drift/${encodeURIComponent(finding)}/accept`, {
      json: how,
      isRepeatable: true,
    }),
});
