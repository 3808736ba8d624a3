import { setTimeout as delay } from "node:timers/promises";
import type { JobView } from "../../domain/job.ts";
import { EXIT, jobExitCode } from "../exit-codes.ts";
import { listenForInterrupts } from "../interrupts.ts";
import type { PlaceOptions } from "../options.ts";
import { openProgress, progressMode } from "../progress.ts";
import { openVerbs } from "../service/open-verbs.ts";

export interface WatchOptions extends PlaceOptions {
  readonly quiet: boolean;
}

const LOOK_MS = 500;

/** Shows how a job goes until it has ended or waits for a person. Nothing happens to the job when the watching ends. */
export const watchJobCommand = async (named: string, options: WatchOptions): Promise<number> => {
  await using verbs = await openVerbs(options);
  using progress = openProgress({ mode: progressMode(options), stream: process.stderr });
  using interrupts = listenForInterrupts(() => process.exit(EXIT.interrupted));
  const { id } = (await verbs.findJob(named)).spec;
  for (;;) {
    const view = await verbs.findJob(id);
    progress.update(view, await verbs.slowLanes(id), { processes: 1 });
    if (isOver(view) || interrupts.signal.aborted) {
      progress.end(view, (await verbs.report(view)).lines);
      return isOver(view) ? jobExitCode(view) : EXIT.interrupted;
    }
    await delay(LOOK_MS, undefined, { signal: interrupts.signal }).catch(() => undefined);
  }
};

/** A job that stands still only while its stored pages are read goes on by itself. */
const isOver = ({ state, paused }: JobView): boolean =>
  state === "done" || state === "cancelled" || (state === "paused" && paused?.cause !== "new-version");
