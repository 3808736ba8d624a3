import { Supervisor } from "../../worker/supervisor.ts";
import { UsageError } from "../exit.ts";
import { openProgress, progressMode } from "../render/progress.ts";
import { workerScript } from "../run-workers.ts";
import type { RunOptions } from "./run-job.ts";

/** Starts the worker processes before it loads anything else: the first request waits longest for them. */
export const runCommand = async (named: string, options: RunOptions): Promise<number> => {
  const { input, processes } = options;
  if (input === undefined)
    throw new UsageError("no inputs. Name a file with --input FILE, or read stdin with --input -");
  using progress = openProgress({ mode: progressMode(options), stream: process.stderr });
  const supervisor = new Supervisor({
    script: workerScript,
    processes,
    onOutput: (line) => progress.note(line),
  });
  try {
    const { runJob } = await import("./run-job.ts");
    return await runJob(named, { ...options, input }, supervisor, progress);
  } finally {
    await supervisor.kill();
    if (input === "-") process.stdin.destroy(); // an open pipe would keep the process alive
  }
};
