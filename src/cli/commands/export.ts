import { manifestName } from "../../archive/manifest.ts";
import { EXIT } from "../exit-codes.ts";
import { exportJob } from "../export-records.ts";
import { findJob } from "../find-job.ts";
import { countText } from "../number-text.ts";
import { openExistingHouse } from "../open-existing-house.ts";
import { openOutput } from "../outputs/open-output.ts";
import { print } from "../print.ts";
import { writeJobManifest } from "../write-manifest.ts";

export interface ExportOptions {
  readonly data: string;
  /** Without it, JSON lines go to stdout. */
  readonly output?: string;
  readonly manifest: boolean;
}

export const exportCommand = async (
  named: string,
  { data, output, manifest }: ExportOptions,
): Promise<number> => {
  // Opened first: a name that cannot be written is told before anything is read.
  const writer = manifest && output === undefined ? undefined : openOutput(output);
  await using house = await openExistingHouse(data);
  const { id } = (await findJob(house.ledger, named)).spec;
  if (manifest) {
    await writeJobManifest(house, id);
    if (output !== "-") print([`${id}: manifest written to ${data}/blobs/${manifestName(id)}`]);
  }
  if (!writer) return EXIT.ok;
  const { rows, leftOut } = await exportJob(house, id, writer);
  const say =
    output === undefined || output === "-"
      ? (text: string) => process.stderr.write(`${text}\n`)
      : (text: string) => print([text]);
  say(`${id}: ${countText(rows)} rows written to ${output ?? "standard output"}`);
  if (leftOut.length > 0)
    process.stderr.write(
      `${id}: no column for ${leftOut.join(", ")}: the first rows do not have them. They are in the archive.\n`,
    );
  return EXIT.ok;
};
