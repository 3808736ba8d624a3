import { type Storage, laneOf } from "../compose.ts";
import type { JobView } from "../domain/job.ts";
import { type Amended, amendJob } from "../reextract/amend-job.ts";
import { takeNewVersion } from "../reextract/take-new-version.ts";
import { listenForInterrupts } from "./interrupts.ts";
import { EXIT } from "./exit.ts";
import { counted, countText } from "./text.ts";

interface ReadOptions {
  /** `--new-version`. Without it, only a reading that was broken off goes on. */
  readonly isAsked: boolean;
  readonly cores: number;
  readonly say: (line: string) => void;
}

/** An item that workers have in hand ends within its `itemMs`, 120 s unless the scraper says otherwise. */
const WAIT_MS = 180_000;
const SAY_MS = 5000;

/**
 * Pins a job to its scrapers as they are now, and reads its stored pages with them; nothing is fetched meanwhile. Undefined where there is nothing to
 * read. Interrupted, it throws; the next `resume` goes on with it.
 */
export const readNewVersion = async (
  storage: Storage,
  view: JobView,
  { isAsked, cores, say }: ReadOptions,
): Promise<Amended | undefined> => {
  const { id, scraper } = view.spec;
  if (isAsked) {
    const isTaken = await takeNewVersion(storage.ledger, view, {
      laneOf,
      waitMs: WAIT_MS,
      onWait: (inFlight) => say(`${id}: waiting for ${counted(inFlight, "item")} that workers have in hand.`),
    });
    if (!isTaken && !view.spec.isAmending)
      say(`${id}: scraper ${scraper} is unchanged (version ${view.spec.version}). The job goes on with it.`);
  }
  const now = (await storage.ledger.readJob(id))!;
  if (!now.spec.isAmending) return undefined;
  using interrupts = listenForInterrupts(() => process.exit(EXIT.interrupted));
  let saidAt = performance.now();
  say(`${id}: reading its stored pages with version ${now.spec.version} of ${scraper}`);
  const amended = await amendJob(storage, now, {
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
  return amended;
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
