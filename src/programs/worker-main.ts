/** The program of a worker process: waits for its orders, works, and reports how it ended. */
import { preload, work } from "../compose.ts";
import type { FromWorker, ToWorker } from "../worker/worker-process.ts";

const BEAT_MS = 500;
/** Node sometimes hangs at exit: a finished process is killed after this time. */
const LINGER_MS = 5000;
/** Items in flight may take this long after the parent is lost; then other workers get them. */
const ORPHAN_MS = 8000;
/** This long before the end of the drain time, items that still run go back to the queue. */
const GIVE_UP_MS = 3000;
/** For a signal to this process whose sender does not say how long it waits. */
const PATIENCE_MS = 60_000;
const stop = new AbortController();
const giveUp = new AbortController();
let suspects = 0;
let isRunning = false;

const say = (message: FromWorker): Promise<void> =>
  new Promise((resolve) => {
    if (process.connected) process.send!(message, () => resolve());
    else resolve();
  });

const run = async (orders: Extract<ToWorker, { type: "start" }>): Promise<void> => {
  isRunning = true;
  const beat = () => void say({ type: "beat", suspects });
  beat();
  const timer = setInterval(beat, BEAT_MS);
  try {
    const onSuspects = (count: number) => (suspects = count);
    await work({ ...orders, onSuspects, signal: stop.signal, giveUp: giveUp.signal });
    await say({ type: "ended" });
  } catch (error) {
    const { name: kind, message, code } = error as Error & { code?: string };
    await say({ type: "failed", name: kind, message, ...(code && { code }) });
  } finally {
    clearInterval(timer);
    leave();
  }
};

const leave = (): void => {
  if (process.connected) process.disconnect();
  setTimeout(() => process.kill(process.pid, "SIGKILL"), LINGER_MS).unref();
};

const stopWithin = (patienceMs?: number): void => {
  stop.abort();
  if (patienceMs !== undefined) setTimeout(() => giveUp.abort(), patienceMs).unref();
};

void preload();
process.on("message", (message: ToWorker) => {
  if (message.type === "start") return void run(message);
  stopWithin(message.patienceMs);
  if (!isRunning) leave();
});
// The terminal sends its signals to the whole group: the parent decides, and sends a message.
process.on("SIGINT", () => undefined);
process.on("SIGHUP", () => undefined);
process.on("SIGTERM", () => stopWithin(PATIENCE_MS));
// Without a parent nobody would replace a dead worker or end a hanging one: finish quickly and exit.
process.on("disconnect", () => {
  stopWithin(ORPHAN_MS - GIVE_UP_MS);
  setTimeout(() => process.kill(process.pid, "SIGKILL"), ORPHAN_MS).unref();
});
