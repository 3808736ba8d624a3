/** The program of a trial's process: runs the one item of its job, once, and reports every step. */
import { preload, work } from "../compose.ts";
import { scraperError } from "../pipeline/collect.ts";
import type { ToWorker } from "../worker/worker-process.ts";
import type { FromTrial } from "../devtools/trial-process.ts";
import { watchCollector } from "../devtools/watch-collector.ts";

const BEAT_MS = 500;
const stop = new AbortController();

const say = (message: FromTrial): Promise<void> =>
  new Promise((resolve) => {
    if (process.connected) process.send!(message, () => resolve());
    else resolve();
  });

const run = async ({
  name,
  location,
  jobs,
  logLevel,
}: Extract<ToWorker, { type: "start" }>): Promise<void> => {
  const beat = (): void => void say({ type: "beat", suspects: 0 });
  beat();
  setInterval(beat, BEAT_MS).unref();
  try {
    await work({
      name,
      location,
      logLevel,
      ...(jobs && { jobs }),
      signal: stop.signal,
      watch: (collector) =>
        watchCollector(collector, {
          onWait: (url) => void say({ type: "wait", url: url.href }),
          onStep: (step) => void say({ type: "step", step }),
          onEnd: (kept) => {
            void say({ type: "kept", kept });
            // No second attempt: the worker settles its items in flight and ends.
            stop.abort();
          },
        }),
    });
    await say({ type: "ended" });
  } catch (error) {
    const { name: kind, message, code } = error as Error & { code?: string };
    await say({ type: "failed", name: kind, message, ...(code && { code }) });
  }
  // At once: work that the scraper left running no longer matters.
  process.exit();
};

const crash = async (error: unknown): Promise<void> => {
  await say({ type: "crashed", detail: scraperError(error).detail });
  process.exit(1);
};

void preload();
process.on("uncaughtException", (error) => void crash(error));
process.on("message", (message: ToWorker) => {
  if (message.type === "start") void run(message);
  else stop.abort();
});
// The terminal sends its signals to the whole group: the parent decides, and sends a message.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => stop.abort());
process.on("disconnect", () => process.exit());
