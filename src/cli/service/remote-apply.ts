import { pages, type SluiceClient } from "../../client.ts";
import { readInputs } from "../../inputs/read-inputs.ts";
import type { ApplyTarget } from "../../services/apply-config.ts";
import { UsageError } from "../exit.ts";

/** A server, for declarations of a configuration that is not its own: they are as if made over the API. */
export const remoteTarget = ({ inputSets, datasets, schedules }: SluiceClient): ApplyTarget => ({
  origin: "api",
  setNames: async () =>
    await Array.fromAsync(
      pages((page) => inputSets.list(page), PAGE),
      ({ name }) => name,
    ),
  uploadSet: (name, { file, key, client }) =>
    inputSets.upload(name, rowsOf(file), { ...(key && { key }), ...(client !== undefined && { client }) }),
  datasets: async () => (await datasets.listDatasets()).data,
  saveDataset: (name, spec) => {
    if (spec.hasAudit)
      throw new UsageError(
        `dataset ${name}: its function \`audit\` cannot be sent. Declare the dataset in the server's own sluice.config.ts.`,
      );
    return datasets.saveDataset(name, spec);
  },
  schedules: async () => await Array.fromAsync(pages((page) => schedules.list(page), PAGE)),
  createSchedule: (schedule) => schedules.create(schedule),
  changeSchedule: (name, definition) => schedules.change(name, definition),
  removeSchedule: (name) => schedules.remove(name),
});

const PAGE = 200;

/** The rows of a file, as they are sent. A row that cannot be read ends it, before anything is stored. */
export async function* rowsOf(
  file: string,
  options: Parameters<typeof readInputs>[1] = {},
): AsyncGenerator<Uint8Array> {
  for await (const batch of readInputs(file, options)) {
    const bad = batch.find((row) => "problem" in row);
    if (bad && "problem" in bad)
      throw new UsageError(`${file}:${bad.line}: ${bad.problem}. Nothing was stored.`);
    yield Buffer.from(batch.map((row) => ("value" in row ? `${JSON.stringify(row.value)}\n` : "")).join(""));
  }
}
