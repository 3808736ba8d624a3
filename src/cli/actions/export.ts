import { blobPath, type StorageLocation } from "../../ports/storage.ts";
import { manifestName, writeManifest } from "../../archive/manifest.ts";
import { exportJob, type ExportSettings } from "../../export/export-records.ts";
import { FileFolder, storedPath } from "../../export/kept-files.ts";
import { openOutput } from "../../export/outputs/open-output.ts";
import { openExistingStorage } from "../existing-storage.ts";
import { EXIT, UsageError } from "../exit.ts";
import { checkScraperName, findJob } from "../find-job.ts";
import { print } from "../terminal.ts";
import { bytesText, counted, countText } from "../text.ts";

/** Damaged items that are named one by one. */
const MOST_NAMED = 20;

export interface ExportOptions extends ExportSettings {
  readonly location: StorageLocation;
  /** JSON lines go to stdout if undefined. */
  readonly output?: string;
  readonly manifest: boolean;
  /** Folder for copies of stored files. */
  readonly files?: string;
  readonly json: boolean;
}

export const exportCommand = async (
  named: string,
  { location, output, manifest, files, json, ...settings }: ExportOptions,
): Promise<number> => {
  if (json && (output === "-" || (output === undefined && !manifest)))
    throw new UsageError(
      "--json and the results both write to stdout. Write the results to a file with --output FILE, or omit --json.",
    );
  // Opened first, so that a bad file name fails before anything is read.
  const writer = manifest && output === undefined ? undefined : openOutput(output);
  await using storage = await openExistingStorage(location, { cacheMb: 8 });
  const { spec } = await findJob(storage.ledger, named);
  const { id } = spec;
  checkScraperName(spec, settings.scraper);
  const manifestPath = blobPath(location, manifestName(id));
  if (manifest) {
    await writeManifest(storage, id);
    if (output !== "-" && !json) print([`${id}: manifest written to ${manifestPath}`]);
  }
  const shown = { job: id, ...(manifest && { manifest: manifestPath }) };
  if (!writer) {
    if (json) print([JSON.stringify(shown)]);
    return EXIT.ok;
  }
  const folder = files === undefined ? undefined : new FileFolder(storage.blobs, files);
  let damaged = 0;
  const { set, rows, leftOut, dropped, gaps } = await exportJob(storage, id, writer, {
    ...settings,
    onDamagedItem(error) {
      if (++damaged <= MOST_NAMED) process.stderr.write(`${id}: ${error.message}\n`);
    },
    pathOfFile: folder ? (item, ref) => folder.write(item, ref) : storedPath(location),
  });
  if (json) {
    const written = folder && { files: { folder: files, count: folder.files, bytes: folder.bytes } };
    const counts = { rows, dropped, damaged, gaps: Object.fromEntries(gaps), leftOut, ...written };
    print([JSON.stringify({ ...shown, output, set, ...counts })]);
    return damaged > 0 ? EXIT.storage : EXIT.ok;
  }
  const say =
    output === undefined || output === "-"
      ? (text: string) => process.stderr.write(`${text}\n`)
      : (text: string) => print([text]);
  say(
    `${id}: ${counted(rows, "row")} written to ${output ?? "standard output"}${set === `${id}@first` ? "" : ` (extraction ${set.slice(id.length + 1)})`}`,
  );
  if (folder)
    say(
      folder.files === 0
        ? `${id}: the job has no stored files. \`sluice items show\` lists what is stored for an item.`
        : `${id}: ${counted(folder.files, "file")} (${bytesText(folder.bytes)}) written to ${files}`,
    );
  if (dropped > 0) {
    const reasons = [...gaps].map(([reason, count]) => `${reason} ${countText(count)}`);
    say(`${id}: ${counted(dropped, "record")} dropped for missing values: ${reasons.join(", ")}`);
  }
  if (leftOut.length > 0)
    process.stderr.write(
      `${id}: no column for ${leftOut.join(", ")}, because the first rows do not have them. The values are in the archive.\n`,
    );
  if (damaged > 0)
    process.stderr.write(
      `${id}: ${counted(damaged, "item")} omitted, because the stored records are damaged. \`sluice fsck\` lists all damage.\n`,
    );
  return damaged > 0 ? EXIT.storage : EXIT.ok;
};
