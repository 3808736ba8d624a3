import { manifestName } from "../../archive/manifest.ts";
import { EXIT } from "../exit-codes.ts";
import { exportJob, type ExportSettings } from "../../export/export-records.ts";
import { checkScraperName, findJob } from "../find-job.ts";
import { counted, countText } from "../number-text.ts";
import { openExistingHouse } from "../open-existing-house.ts";
import { openOutput } from "../../export/outputs/open-output.ts";
import { print } from "../print.ts";
import { writeJobManifest } from "../../export/write-manifest.ts";

export interface ExportOptions extends ExportSettings {
  readonly data: string;
  /** Without it, JSON lines go to stdout. */
  readonly output?: string;
  readonly manifest: boolean;
}

export const exportCommand = async (
  named: string,
  { data, output, manifest, ...settings }: ExportOptions,
): Promise<number> => {
  // Opened first: a name that cannot be written is told before anything is read.
  const writer = manifest && output === undefined ? undefined : openOutput(output);
  await using house = await openExistingHouse(data, { cacheMb: 8 });
  const { spec } = await findJob(house.ledger, named);
  const { id } = spec;
  checkScraperName(spec, settings.scraper);
  if (manifest) {
    await writeJobManifest(house, id);
    if (output !== "-") print([`${id}: manifest written to ${data}/blobs/${manifestName(id)}`]);
  }
  if (!writer) return EXIT.ok;
  const { set, rows, leftOut, dropped, gaps } = await exportJob(house, id, writer, settings);
  const say =
    output === undefined || output === "-"
      ? (text: string) => process.stderr.write(`${text}\n`)
      : (text: string) => print([text]);
  say(
    `${id}: ${counted(rows, "row")} written to ${output ?? "standard output"}${set === `${id}@first` ? "" : `, of extraction ${set.slice(id.length + 1)}`}`,
  );
  if (dropped > 0) {
    const reasons = [...gaps].map(([reason, count]) => `${reason} ${countText(count)}`);
    say(`${id}: ${countText(dropped)} left out for their gaps: ${reasons.join(", ")}`);
  }
  if (leftOut.length > 0)
    process.stderr.write(
      `${id}: no column for ${leftOut.join(", ")}: the first rows do not have them. They are in the archive.\n`,
    );
  return EXIT.ok;
};
