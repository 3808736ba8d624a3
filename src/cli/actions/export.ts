import { manifestName } from "../../archive/manifest.ts";
import { exportJob, type ExportSettings } from "../../export/export-records.ts";
import { FileFolder, storedPath } from "../../export/kept-files.ts";
import { openOutput } from "../../export/outputs/open-output.ts";
import { writeJobManifest } from "../../export/write-manifest.ts";
import { openExistingStorage } from "../existing-storage.ts";
import { EXIT, UsageError } from "../exit.ts";
import { checkScraperName, findJob } from "../find-job.ts";
import { print } from "../terminal.ts";
import { bytesText, counted, countText } from "../text.ts";

/** Damaged items that are named one by one. */
const MOST_TOLD = 20;

export interface ExportOptions extends ExportSettings {
  readonly data: string;
  /** Without it, JSON lines go to stdout. */
  readonly output?: string;
  readonly manifest: boolean;
  /** Kept files are written there. */
  readonly files?: string;
  readonly json: boolean;
}

export const exportCommand = async (
  named: string,
  { data, output, manifest, files, json, ...settings }: ExportOptions,
): Promise<number> => {
  if (json && (output === "-" || (output === undefined && !manifest)))
    throw new UsageError(
      "--json and the results both go to stdout. Name a file with --output FILE, or leave --json out.",
    );
  // Opened first: a name that cannot be written is told before anything is read.
  const writer = manifest && output === undefined ? undefined : openOutput(output);
  await using storage = await openExistingStorage(data, { cacheMb: 8 });
  const { spec } = await findJob(storage.ledger, named);
  const { id } = spec;
  checkScraperName(spec, settings.scraper);
  const manifestPath = `${data}/blobs/${manifestName(id)}`;
  if (manifest) {
    await writeJobManifest(storage, id);
    if (output !== "-" && !json) print([`${id}: manifest written to ${manifestPath}`]);
  }
  const told = { job: id, ...(manifest && { manifest: manifestPath }) };
  if (!writer) {
    if (json) print([JSON.stringify(told)]);
    return EXIT.ok;
  }
  const folder = files === undefined ? undefined : new FileFolder(storage.blobs, files);
  let damaged = 0;
  const { set, rows, leftOut, dropped, gaps } = await exportJob(storage, id, writer, {
    ...settings,
    onDamagedItem(error) {
      if (++damaged <= MOST_TOLD) process.stderr.write(`${id}: ${error.message}\n`);
    },
    pathOfFile: folder ? (item, ref) => folder.write(item, ref) : storedPath(data),
  });
  if (json) {
    const written = folder && { files: { folder: files, count: folder.files, bytes: folder.bytes } };
    const counts = { rows, dropped, damaged, gaps: Object.fromEntries(gaps), leftOut, ...written };
    print([JSON.stringify({ ...told, output, set, ...counts })]);
    return damaged > 0 ? EXIT.storage : EXIT.ok;
  }
  const say =
    output === undefined || output === "-"
      ? (text: string) => process.stderr.write(`${text}\n`)
      : (text: string) => print([text]);
  say(
    `${id}: ${counted(rows, "row")} written to ${output ?? "standard output"}${set === `${id}@first` ? "" : `, of extraction ${set.slice(id.length + 1)}`}`,
  );
  if (folder)
    say(
      folder.files === 0
        ? `${id}: no kept files to write. \`sluice items show\` lists what was kept of an item.`
        : `${id}: ${counted(folder.files, "file")} (${bytesText(folder.bytes)}) written to ${files}`,
    );
  if (dropped > 0) {
    const reasons = [...gaps].map(([reason, count]) => `${reason} ${countText(count)}`);
    say(`${id}: ${countText(dropped)} left out for their gaps: ${reasons.join(", ")}`);
  }
  if (leftOut.length > 0)
    process.stderr.write(
      `${id}: no column for ${leftOut.join(", ")}: the first rows do not have them. They are in the archive.\n`,
    );
  if (damaged > 0)
    process.stderr.write(
      `${id}: ${counted(damaged, "item")} left out, because the stored records are damaged. \`sluice fsck\` tells all that is.\n`,
    );
  return damaged > 0 ? EXIT.storage : EXIT.ok;
};
