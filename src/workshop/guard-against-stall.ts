import { Worker } from "node:worker_threads";

/** Looks as often as this; a process that was asleep as a whole has not stood still. */
const LOOK_MS = 250;

/** In a thread of its own, and in plain JavaScript: it must not wait for anything that the main thread has to give. */
const WATCH = `
const { workerData: { beats, looks, lookMs, message } } = require("node:worker_threads");
const { writeSync } = require("node:fs");
let last = -1;
let silent = 0;
setInterval(() => {
  const now = Atomics.load(beats, 0);
  silent = now === last ? silent + 1 : 0;
  last = now;
  if (silent < looks) return;
  writeSync(2, message);
  process.kill(process.pid, "SIGKILL");
}, lookMs);
`;

/**
 * Ends this process with a message when its event loop stands still for so long. Scraper code runs in here, and while it loops no
 * signal is heard: without this, not even Ctrl-C would end it.
 */
export const guardAgainstStall = (limitMs: number, message: string): Disposable => {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(WATCH, {
    eval: true,
    execArgv: [],
    workerData: { beats, message, looks: Math.ceil(limitMs / LOOK_MS), lookMs: LOOK_MS },
  });
  worker.unref();
  const timer = setInterval(() => void Atomics.add(beats, 0, 1), LOOK_MS / 2);
  timer.unref();
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      void worker.terminate();
    },
  };
};
