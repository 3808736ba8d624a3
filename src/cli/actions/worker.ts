import { availableParallelism } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { openStorage } from "../../compose.ts";
import { type Log, openJobLog } from "../../worker/log.ts";
import { takeInheritedSettings } from "../../config/check-config.ts";
import { loadConfig } from "../../config/load-config.ts";
import { isController, type Storage } from "../../ports/storage.ts";
import type { CollectorKind } from "../../domain/job-version.ts";
import { EXIT, UsageError } from "../exit.ts";
import { listenForInterrupts } from "../interrupts.ts";
import { given } from "../options.ts";
import {
  controllerAt,
  runWorkers,
  wideRights,
  DRAINING,
  type ProcessOptions,
  type ProcessRange,
  say,
} from "../run-workers.ts";
import { countText } from "../text.ts";

export interface WorkerOptions extends ProcessOptions {
  readonly keyFile?: string;
  readonly processes: number;
  readonly min?: number;
  readonly max?: number;
  readonly lanes?: readonly string[];
  readonly kinds?: readonly CollectorKind[];
}

const TIDY_MS = 2000;

export const workerCommand = async (options: WorkerOptions): Promise<number> => {
  const { concurrency, lanes, kinds, logLevel, drain } = options;
  const processes = rangeOf(options);
  const { data, ledger: url } = options.location;
  const killed = new AbortController();
  using interrupts = listenForInterrupts(() => killed.abort(), options.drain);
  const project = await loadConfig();
  takeInheritedSettings(project);
  const allowTargets = project?.allowTargets;
  const controller = isController(url) ? controllerAt(url, options.keyFile) : undefined;
  const log = openJobLog(data, "worker", logLevel);
  const location = { ...options.location, ...controller };
  let isOpen = false;
  const warn: Log["warn"] = (event, facts) => {
    log.warn(event, facts);
    if (controller && !isOpen) say(options, "waiting", `${url} does not answer yet. Trying for a minute.`);
  };
  // Before it is open there is nothing to finish: the first interrupt ends the wait.
  const cut = new AbortController();
  const end = (): void => cut.abort();
  killed.signal.addEventListener("abort", end);
  interrupts.signal.addEventListener("abort", end);
  await using storage = await openStorage(location, { signal: cut.signal, log: { ...log, warn } });
  interrupts.signal.removeEventListener("abort", end);
  isOpen = true;
  say(
    options,
    "started",
    `Working for ${jobsText(kinds)} ${controller ? `of ${url}` : `in ${data}`}, with ${rangeText(processes)}.`,
  );
  const wide = wideRights(data);
  if (wide !== undefined) say(options, "wide-rights", wide);
  interrupts.signal.addEventListener("abort", () => say(options, "draining", DRAINING));
  const over = new AbortController();
  const tidying = controller ? undefined : keepTidy(storage, over.signal);
  try {
    await runWorkers({
      storage,
      processes,
      drain,
      logLevel,
      log,
      onOutput: (line) => say(options, "output", line),
      signal: interrupts.signal,
      killed: killed.signal,
      ...given({ lanes, kinds, concurrency, allowTargets }),
    });
  } finally {
    over.abort();
    await tidying;
  }
  return killed.signal.aborted ? EXIT.interrupted : EXIT.ok;
};

const jobsText = (kinds: WorkerOptions["kinds"]): string =>
  kinds ? `jobs of kind ${kinds.join(", ")}` : "all jobs";

const rangeOf = ({ processes, min, max }: WorkerOptions): ProcessRange => {
  if (min === undefined && max === undefined) return { min: processes, max: processes };
  const most = max ?? Math.max(min!, availableParallelism());
  const least = min ?? 1;
  if (least <= most) return { min: least, max: most };
  throw new UsageError(`--min ${least} is more than --max ${most}.`);
};

const rangeText = ({ min, max }: ProcessRange): string =>
  `${min < max ? `${countText(min)} to ` : ""}${countText(max)} ${max === 1 ? "process" : "processes"}`;

/** Worker processes leave the ledger's maintenance to others, and there may be no server on this machine. */
const keepTidy = async (storage: Storage, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    await storage.ledger.tidy().catch(() => undefined); // if the ledger fails, its workers report it
    await delay(TIDY_MS, undefined, { signal }).catch(() => undefined);
  }
};
