import { Supervisor } from "../../worker/supervisor.ts";
import { takeEarlyWorker } from "../early-worker.ts";
import { UsageError } from "../exit.ts";
import type { Progress } from "../render/progress.ts";
import { workerScript } from "../worker-script.ts";
import type { RunOptions } from "./run-job.ts";

/** Starts the worker processes before it loads anything else: the first request waits longest for them. */
export const runCommand = async (named: string, options: RunOptions): Promise<number> => {
  const { input, processes } = options;
  if (input === undefined)
    throw new UsageError("no inputs. Name a file with --input FILE, or read stdin with --input -");
  const supervisor = new Supervisor({
    script: workerScript,
    processes,
    first: takeEarlyWorker(),
    onOutput: (line) => void opening.then((shown) => shown.note(line)),
  });
  const opening = openDisplay(options);
  using progress = await opening;
  try {
    const { runJob } = await import("./run-job.ts");
    return await runJob(named, { ...options, input }, supervisor, progress);
  } finally {
    await supervisor.kill();
    if (input === "-") process.stdin.destroy(); // an open pipe would keep the process alive
  }
};

const openDisplay = async (options: RunOptions): Promise<Progress> => {
  const { openProgress, progressMode } = await import("../render/progress.ts");
  return openProgress({ mode: progressMode(options), stream: process.stderr });
};
