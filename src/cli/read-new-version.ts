import type { Storage } from "../compose.ts";
import type { JobView } from "../domain/job.ts";
import { type Amended, amendJob } from "../reextract/amend-job.ts";
import { listenForInterrupts } from "./interrupts.ts";
import { EXIT } from "./exit-codes.ts";
import { counted, countText } from "./number-text.ts";

interface ReadOptions {
  /** `--new-version` found the version that the job already has. */
  readonly isUnchanged: boolean;
  readonly cores: number;
  readonly say: (line: string) => void;
}

/** An item that workers have in hand ends within its `itemMs`, 120 s unless the scraper says otherwise. */
export const NEW_VERSION_WAIT_MS = 180_000;
const SAY_MS = 5000;

export const waitText = (job: string, inFlight: number): string =>
  `${job}: waiting for ${counted(inFlight, "item")} that workers are running.`;

/**
 * Reads the stored pages of a job that has got a new version of its scrapers; nothing is fetched meanwhile. Also continues a reading that was interrupted.
 * Interrupted, it throws; the next `resume` continues.
 */
export const readNewVersion = async (
  storage: Storage,
  view: JobView,
  { isUnchanged, cores, say }: ReadOptions,
): Promise<void> => {
  const { id, scraper, version, isAmending } = view.spec;
  if (!isAmending) {
    if (isUnchanged)
      say(`${id}: scraper ${scraper} is unchanged (version ${version}). The job continues with it.`);
    return;
  }
  using interrupts = listenForInterrupts(() => process.exit(EXIT.interrupted));
  let saidAt = performance.now();
  say(`${id}: reading its stored pages with version ${version} of ${scraper}`);
  const amended = await amendJob(storage, view, {
    cores,
    signal: interrupts.signal,
    onOutput: say,
    onProgress: (items) => {
      if (performance.now() - saidAt < SAY_MS) return;
      saidAt = performance.now();
      say(`${id}: ${counted(items, "stored item")} read`);
    },
  });
  for (const line of amendedLines(amended)) say(line);
};

const amendedLines = ({ items, done, rescued, failed, skipped, kept, putBack }: Amended): string[] => [
  `  ${[
    `${counted(items, "stored item")} read`,
    `${countText(done)} done${rescued > 0 ? `, ${countText(rescued)} of which had failed` : ""}`,
    ...(failed > 0 ? [`${countText(failed)} failed`] : []),
    ...(skipped > 0 ? [`${countText(skipped)} skipped as before`] : []),
  ].join("; ")}`,
  ...(kept > 0
    ? [
        `  ${counted(kept, "item")} ${kept === 1 ? "stays" : "stay"} as before: the new version reads less of ${kept === 1 ? "its" : "their"} pages`,
      ]
    : []),
  ...(putBack > 0
    ? [`  ${counted(putBack, "failed item")} without complete pages put back, to be fetched again`]
    : []),
];
