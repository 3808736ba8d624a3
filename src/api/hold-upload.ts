import { randomBytes } from "node:crypto";
import type { Registry } from "../ports/registry.ts";
import { Problem } from "./problem.ts";
import { wait } from "./wait.ts";

/** The right to put inputs into a job: one upload has it at a time. */
interface UploadHold extends AsyncDisposable {
  /** Throws when another upload has it by now. */
  check(): Promise<void>;
}

/** Long enough for a process that stands still for a moment; one that was killed keeps others out no longer. */
const HOLD_MS = 8_000;
const RENEW_MS = 2_000;
/** Longer than a hold: whose connection or server broke comes back before that is seen, and is to find its place free. */
const WAIT_MS = 10_000;
const ASK_MS = 200;

export const holdUpload = async (registry: Registry, job: string): Promise<UploadHold> => {
  const task = `upload/${job}`;
  const holder = randomBytes(6).toString("hex");
  const hold = (): Promise<boolean> => registry.holdTask(task, holder, HOLD_MS);
  const endsAt = performance.now() + WAIT_MS;
  const over = new AbortController();
  while (!(await hold())) {
    if (performance.now() >= endsAt) throw underWay(job);
    await wait(ASK_MS, over.signal);
  }
  const renewing = (async () => {
    while (!over.signal.aborted) {
      await wait(RENEW_MS, over.signal);
      // One that fails may still be there: the next batch asks.
      if (!over.signal.aborted) await hold().catch(() => undefined);
    }
  })();
  return {
    async check() {
      if (!(await hold())) throw underWay(job);
    },
    async [Symbol.asyncDispose]() {
      over.abort();
      await renewing;
      await registry.dropTask(task, holder);
    },
  };
};

const underWay = (job: string): Problem =>
  new Problem("upload-under-way", `${job}: another upload is under way. One at a time; wait for its end.`, {
    retryAfterSeconds: 5,
  });
