import type { Storage } from "../ports/storage.ts";
import type { JobView } from "../domain/job.ts";
import { type Amended, amendJob } from "../reextract/amend-job.ts";
import { listenForInterrupts } from "./interrupts.ts";
import { EXIT } from "./exit.ts";
import { throttled } from "./terminal.ts";
import { counted, countText } from "./text.ts";

interface ReadOptions {
  /** `--new-version` found the version that the job already has. */
  readonly isUnchanged: boolean;
  readonly cores: number;
  readonly say: (line: string) => void;
}

/** Items in flight end within their `itemMs`, by default 120 s. */
export const NEW_VERSION_WAIT_MS = 180_000;
const SAY_MS = 5000;

export const waitText = (job: string, inFlight: number): string =>
  `${job}: waiting for ${counted(inFlight, "item")} in flight`;

/**
 * Reads the stored pages of a job again with a new version of its scrapers; nothing is fetched. Throws when interrupted; the next
 * `resume` continues.
 */
export const readNewVersion = async (
  storage: Storage,
  view: JobView,
  { isUnchanged, cores, say }: ReadOptions,
): Promise<void> => {
  const { id, scraper, version, isAmending } = view.spec;
  if (!isAmending) {
    if (isUnchanged)
      say(`${id}: scraper ${scraper} has not changed (version ${version}); the job continues with it.`);
    return;
  }
  using interrupts = listenForInterrupts(() => process.exit(EXIT.interrupted));
  say(`${id}: re-reading its stored pages with version ${version} of ${scraper}`);
  const amended = await amendJob(storage, view, {
    cores,
    signal: interrupts.signal,
    onOutput: say,
    onProgress: throttled(SAY_MS, (items) => say(`${id}: ${counted(items, "stored item")} read`)),
  });
  for (const line of amendedLines(amended)) say(line);
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
