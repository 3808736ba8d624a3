import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { DEFAULT_PARCELS, DEFAULT_SEED, parcelId } from "./parcels.ts";

/** The parcels to fetch, as CSV lines: `node examples/county/inputs.ts --parcels 2000 > parcels.csv`. */
export function* parcelsCsv(parcels = DEFAULT_PARCELS, seed = DEFAULT_SEED): Generator<string> {
  yield "parcel\n";
  for (let n = 0; n < parcels; n++) yield `${parcelId(seed, n)}\n`;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { parcels: { type: "string" }, seed: { type: "string" } } });
  const parcels = Number(values.parcels ?? DEFAULT_PARCELS);
  const seed = Number(values.seed ?? DEFAULT_SEED);
  await pipeline(Readable.from(parcelsCsv(parcels, seed)), process.stdout);
}
