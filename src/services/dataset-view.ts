import { isoTime } from "../domain/iso-time.ts";
import type { RunQuality, StoredFinding } from "../domain/quality.ts";
import type { Dataset, Release, ReleaseFile } from "../domain/release.ts";
import type { DatasetView, LatestRelease, ReleaseView } from "../schemas/dataset.ts";
import type { FindingView, QualityView } from "../schemas/quality.ts";
import { isLate, specOfDataset } from "./datasets.ts";
import { findingText } from "./quality.ts";

/** If the store supports links: one that downloads an object. */
export type LinkTo = (blob: string) => Promise<string>;

export const datasetView = (dataset: Dataset, now: number): DatasetView => ({
  name: dataset.name,
  client: dataset.client,
  createdAt: isoTime(dataset.createdAt),
  isDeclared: dataset.isDeclared ?? false,
  current: dataset.current ? { release: dataset.current.release, at: isoTime(dataset.current.at) } : null,
  last: dataset.last ?? 0,
  isLate: isLate(dataset, now),
  spec: specOfDataset(dataset),
});

type FileView = ReleaseView["files"][number];

const fileView = async ({ blob, ...file }: ReleaseFile, linkTo?: LinkTo): Promise<FileView> => ({
  ...file,
  ...(linkTo && { link: await linkTo(blob) }),
});

export const releaseView = async (
  release: Release,
  { current }: Pick<Dataset, "current">,
  linkTo?: LinkTo,
): Promise<ReleaseView> => {
  const { client: _client, writtenAt, files, sources, audit, published, ...rest } = release;
  return {
    ...rest,
    isCurrent: current?.release === release.number,
    writtenAt: isoTime(writtenAt),
    sources: sources.map(({ endedAt, ...source }) => ({
      ...source,
      endedAt: endedAt === null ? null : isoTime(endedAt),
    })),
    files: await Promise.all(files.map((file) => fileView(file, linkTo))),
    ...(audit && { audit: { ...audit, at: isoTime(audit.at) } }),
    ...(published && {
      published: {
        ...published,
        at: isoTime(published.at),
        manifest: await fileView(published.manifest, linkTo),
      },
    }),
  };
};

/** Small and stable, for programs that only need the newest files. */
export const latestView = async (
  dataset: Dataset,
  release: Release,
  linkTo?: LinkTo,
): Promise<LatestRelease> => ({
  dataset: dataset.name,
  release: release.number,
  publishedAt: isoTime(dataset.current!.at),
  rows: release.rows,
  files: await Promise.all(
    release.files.map(async (file) => ({
      ...(await fileView(file, linkTo)),
      path: `/v1/datasets/${dataset.name}/releases/${release.number}/files/${file.name}`,
    })),
  ),
  manifest: await fileView(release.published!.manifest, linkTo),
});

export const findingView = (finding: StoredFinding): FindingView => {
  const { client: _client, at, accepted, ...rest } = finding;
  return {
    ...rest,
    at: isoTime(at),
    text: findingText(finding),
    ...(accepted && { accepted: { ...accepted, at: isoTime(accepted.at) } }),
  };
};

export const qualityView = ({ client: _client, endedAt, ...run }: RunQuality): QualityView => ({
  ...run,
  endedAt: isoTime(endedAt),
});
