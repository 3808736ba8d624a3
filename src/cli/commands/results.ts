import type { Change } from "../../domain/freshness.ts";
import { EXIT } from "../exit-codes.ts";
import type { PlaceOptions } from "../options.ts";
import { openVerbs } from "../service/open-verbs.ts";

export interface ResultsOptions extends PlaceOptions {
  readonly output?: string;
  readonly scraper?: string;
  readonly extraction?: string;
  readonly gaps?: "keep" | "drop";
  readonly changes?: readonly Change[];
}

/** Streams a job's records as they are now, also while it runs. */
export const resultsCommand = async (
  named: string,
  { output, scraper, extraction, gaps, changes, ...place }: ResultsOptions,
): Promise<number> => {
  await using verbs = await openVerbs(place);
  const { id } = (await verbs.findJob(named)).spec;
  await verbs.writeResults(id, output, {
    ...(scraper !== undefined && { scraper }),
    ...(extraction !== undefined && { extraction }),
    ...(gaps && { gaps }),
    ...(changes && { changes }),
  });
  if (output !== undefined && output !== "-") {
    if (place.json) process.stdout.write(`${JSON.stringify({ job: id, output })}\n`);
    else process.stderr.write(`${id}: results written to ${output}\n`);
  }
  return EXIT.ok;
};
