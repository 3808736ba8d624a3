import { type Storage, laneOf } from "../compose.ts";
import type { JobView } from "../domain/job.ts";
import { type Amended, amendJob } from "../reextract/amend-job.ts";
import { takeNewVersion } from "../reextract/take-new-version.ts";
import { listenForInterrupts } from "./interrupts.ts";
import { EXIT } from "./exit.ts";
import { throttled } from "./terminal.ts";
import { counted, countText } from "./text.ts";

interface ReadOptions {
  /** `--new-version`. Without it, only an interrupted reading continues. */
  readonly isAsked: boolean;
  readonly cores: number;
  readonly say: (line: string) => void;
}

/** Items in flight end within their `itemMs`, by default 120 s. */
const WAIT_MS = 180_000;
const SAY_MS = 5000;

/**
 * Pins a job to the current version of its scrapers and re-reads its stored pages with them; nothing is fetched meanwhile. Returns undefined if there
 * is nothing to read. Throws when interrupted; the next `resume` continues.
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
      onWait: (inFlight) => say(`${id}: waiting for ${counted(inFlight, "item")} in flight`),
    });
    if (!isTaken && !view.spec.isAmending)
      say(
        `${id}: scraper ${scraper} has not changed (version ${view.spec.version}); the job continues with it.`,
      );
  }
  const now = (await storage.ledger.readJob(id))!;
  if (!now.spec.isAmending) return undefined;
  using interrupts = listenForInterrupts(() => process.exit(EXIT.interrupted));
  say(`${id}: re-reading its stored pages with version ${now.spec.version} of ${scraper}`);
  const amended = await amendJob(storage, now, {
    cores,
    signal: interrupts.signal,
    onOutput: say,
    onProgress: throttled(SAY_MS, (items) => say(`${id}: ${counted(items, "stored item")} read`)),
  });
  for (const line of amendedLines(amended)) say(line);
  return amended;
};

const amendedLines = ({ items, done, rescued, failed, skipped, kept, putBack }: Amended): string[] => [
  `  ${[
    `${counted(items, "stored item")} read`,
    `${countText(done)} done${rescued > 0 ? `, ${countText(rescued)} of which had failed` : ""}`,
    ...(failed > 0 ? [`${countText(failed)} failed`] : []),
    ...(skipped > 0 ? [`${countText(skipped)} still skipped`] : []),
  ].join("; ")}`,
  ...(kept > 0
    ? [
        `  ${counted(kept, "item")} unchanged, because the new version finds less on ${kept === 1 ? "its" : "their"} pages`,
      ]
    : []),
  ...(putBack > 0 ? [`  ${counted(putBack, "failed item")} without complete pages queued again`] : []),
];
