import { readFile } from "node:fs/promises";
import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { DatasetCalls, DatasetRequest, DatasetView, ReleaseDiff, ReleaseView } from "../../client.ts";
import { EXIT, UsageError } from "../exit.ts";
import type { PlaceOptions } from "../options.ts";
import { openDatasets } from "../service/open-datasets.ts";
import { print, printWidth } from "../terminal.ts";
import { bytesText, countText, counted, plainText, textTable } from "../text.ts";

const day = (at: string): string => at.slice(0, "2026-11-17T06:00".length).replace("T", " ");

/** Prints a value as JSON, or as lines for people. */
const show = <Value>(json: boolean, value: Value, lines: (value: Value) => readonly string[]): void =>
  print(json ? [JSON.stringify(value)] : lines(value));

export const listDatasets = async (options: PlaceOptions): Promise<number> => {
  await using datasets = await openDatasets(options);
  show(options.json, (await datasets.listDatasets()).data, (all) =>
    all.length === 0
      ? ["No datasets yet. Declare one in sluice.config.ts, or use `sluice datasets set`."]
      : textTable(
          ["dataset", { right: "current" }, "published", { right: "last" }, "sources", ""],
          all.map(({ name, current, last, spec, isLate }) => [
            name,
            current ? String(current.release) : "none",
            current ? day(current.at) : "",
            String(last),
            plainText(spec.sources.map(({ scraper, as }) => as ?? scraper).join(", ")),
            isLate ? "late" : "",
          ]),
          printWidth(),
        ),
  );
  return EXIT.ok;
};

export const showDataset = async (dataset: string, options: PlaceOptions): Promise<number> => {
  await using datasets = await openDatasets(options);
  show(options.json, await datasets.getDataset(dataset), datasetLines);
  return EXIT.ok;
};

const datasetLines = ({ name, current, last, isLate, spec }: DatasetView): string[] => [
  `${name}: ${current ? `release ${current.release} has been current since ${day(current.at)}` : "nothing is published"}, ${counted(last, "release")} written${isLate ? ", late" : ""}.`,
  ...JSON.stringify(spec, null, 2).split("\n").map(plainText),
];

export const setDataset = async (
  dataset: string,
  options: PlaceOptions & { readonly file: string },
): Promise<number> => {
  let spec: DatasetRequest;
  try {
    spec = JSON.parse(await readFile(options.file, "utf8")) as DatasetRequest;
  } catch (error) {
    throw new UsageError(`--file ${options.file}: ${error instanceof Error ? error.message : String(error)}`);
  }
  await using datasets = await openDatasets(options);
  show(options.json, await datasets.saveDataset(dataset, spec), datasetLines);
  return EXIT.ok;
};

export const listReleases = async (
  dataset: string,
  options: PlaceOptions & { readonly limit: number },
): Promise<number> => {
  await using datasets = await openDatasets(options);
  show(options.json, (await datasets.listReleases(dataset, { limit: options.limit })).data, (all) =>
    all.length === 0
      ? [`No releases yet. \`sluice releases write ${dataset} --publish\` writes one.`]
      : textTable(
          [{ right: "release" }, "state", "written", { right: "rows" }, ""],
          all.map((release) => [
            String(release.number),
            release.isCurrent ? "current" : release.state,
            day(release.writtenAt),
            countText(release.rows),
            plainText(failedOf(release).join(", ")),
          ]),
          printWidth(),
        ),
  );
  return EXIT.ok;
};

const failedOf = ({ audit }: ReleaseView): string[] =>
  (audit?.checks ?? []).filter(({ verdict }) => verdict === "fail").map(({ check }) => check);

export const showRelease = async (
  dataset: string,
  number: number | undefined,
  options: PlaceOptions,
): Promise<number> => {
  await using datasets = await openDatasets(options);
  show(
    options.json,
    await datasets.getRelease(dataset, number ?? (await newest(datasets, dataset))),
    releaseLines,
  );
  return EXIT.ok;
};

const newest = async (datasets: DatasetCalls, dataset: string): Promise<number> => {
  const { current, last } = await datasets.getDataset(dataset);
  if (last === 0)
    throw new UsageError(`${dataset} has no releases yet. \`sluice releases write ${dataset}\` writes one.`);
  return current?.release ?? last;
};

const releaseLines = (release: ReleaseView): string[] => {
  const { dataset, number, state, isCurrent, rows, sources, files, audit, published, dropped, filled } =
    release;
  return [
    `${dataset} ${number}: ${isCurrent ? "current" : state}, ${counted(rows, "row")}, written ${day(release.writtenAt)}`,
    ...sources.map(
      ({ as, job, records, items }) =>
        `  ${plainText(as)}: ${counted(records, "record")} of job ${job}; ${countText(items.absent)} absent, ${countText(items.failed)} failed`,
    ),
    ...Object.entries(dropped).map(
      ([field, count]) => `  ${counted(count, "row")} left out without ${plainText(field)}`,
    ),
    ...Object.entries(filled).map(
      ([field, marks]) =>
        `  ${plainText(field)}: ${Object.entries(marks)
          .map(([mark, count]) => `${countText(count)} ${plainText(mark)}`)
          .join(", ")}`,
    ),
    ...files.map(({ name, bytes, digest }) => `  ${name}  ${bytesText(bytes)}  ${digest.slice(0, 19)}`),
    ...(audit?.checks ?? []).map(
      ({ check, verdict, detail }) => `  ${verdict.padEnd(4)}  ${plainText(check)}: ${plainText(detail)}`,
    ),
    ...(published?.reason === undefined
      ? []
      : [`  published despite being held: ${plainText(published.reason)}`]),
  ];
};

interface WriteOptions extends PlaceOptions {
  readonly job?: readonly string[];
  readonly publish: boolean;
}

export const writeRelease = async (dataset: string, options: WriteOptions): Promise<number> => {
  const jobs = Object.fromEntries(
    (options.job ?? []).map((text) => {
      const at = text.indexOf("=");
      if (at < 1) throw new UsageError(`--job ${text}: expected SOURCE=JOB.`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
  await using datasets = await openDatasets(options);
  let release = await datasets.writeRelease(dataset, { jobs });
  if (options.publish) {
    release = await datasets.auditRelease(dataset, release.number);
    if (release.state === "audited") release = await datasets.publishRelease(dataset, release.number);
  }
  show(options.json, release, releaseLines);
  return release.state === "held" ? EXIT.held : EXIT.ok;
};

export const auditRelease = async (
  dataset: string,
  number: number,
  options: PlaceOptions,
): Promise<number> => {
  await using datasets = await openDatasets(options);
  const release = await datasets.auditRelease(dataset, number);
  show(options.json, release, releaseLines);
  return release.state === "held" ? EXIT.held : EXIT.ok;
};

export const publishRelease = async (
  dataset: string,
  number: number,
  options: PlaceOptions & { readonly reason?: string },
): Promise<number> => {
  const { reason, json } = options;
  await using datasets = await openDatasets(options);
  show(
    json,
    await datasets.publishRelease(dataset, number, { ...(reason !== undefined && { reason }) }),
    releaseLines,
  );
  return EXIT.ok;
};

export const rollbackRelease = async (
  dataset: string,
  options: PlaceOptions & { readonly to?: number },
): Promise<number> => {
  const { to, json } = options;
  await using datasets = await openDatasets(options);
  show(json, await datasets.rollback(dataset, { ...(to !== undefined && { to }) }), releaseLines);
  return EXIT.ok;
};

export const diffReleases = async (
  dataset: string,
  before: number | undefined,
  after: number | undefined,
  options: PlaceOptions & { readonly examples: number },
): Promise<number> => {
  await using datasets = await openDatasets(options);
  const diff = await datasets.diffReleases(dataset, {
    examples: options.examples,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
  });
  show(options.json, diff, diffLines);
  return EXIT.ok;
};

const such = (keys: readonly string[]): string =>
  keys.length === 0 ? "" : `, such as ${plainText(keys.join(", "))}`;

const diffLines = (diff: ReleaseDiff): string[] => [
  `${diff.dataset}: release ${diff.before} against release ${diff.after}`,
  `  ${counted(diff.new.count, "new row")}${such(diff.new.keys)}`,
  `  ${counted(diff.changed.count, "changed row")}${such(diff.changed.keys)}`,
  `  ${counted(diff.unchanged, "unchanged row")}`,
  `  ${counted(diff.gone.count, "gone row")}${such(diff.gone.keys)}`,
  ...Object.entries(diff.fields).flatMap(([field, { changed, examples }]) => [
    `  ${plainText(field)}: ${countText(changed)} changed`,
    ...examples.map(
      ({ key, before, after }) =>
        `    ${plainText(key)}: ${plainText(JSON.stringify(before))} → ${plainText(JSON.stringify(after))}`,
    ),
  ]),
];

interface GetOptions extends PlaceOptions {
  readonly release?: number;
  readonly output?: string;
}

export const getFile = async (dataset: string, file: string, options: GetOptions): Promise<number> => {
  const { release, output } = options;
  await using datasets = await openDatasets(options);
  const stream = Readable.fromWeb(await datasets.file(dataset, file, release));
  if (output === undefined) await pipeline(stream, process.stdout, { end: false });
  else await pipeline(stream, createWriteStream(output));
  return EXIT.ok;
};
