import { setTimeout as delay } from "node:timers/promises";
import { DEFAULT_SEED, parcelId } from "../../../examples/county/parcels.ts";
import { ProblemError, type SluiceClient } from "../../../src/client.ts";

export interface Feeding {
  readonly client: SluiceClient;
  readonly job: string;
  readonly parcels: number;
  readonly hosts: readonly string[];
  /** From the first piece to the last. */
  readonly forMs: number;
  readonly signal: AbortSignal;
}

const PIECES = 10;
/** In each piece, this many parcels are duplicates, and one input is invalid. */
const TWICE = 2;
const AGAIN_MS = 500;
/** The server is down, it died during the upload, or the process that held the upload died. */
const PASSING = new Set(["unreachable", "bad-inputs", "upload-in-progress", "unavailable"]);

/** Uploads inputs piece by piece, retries each until it is accepted, and seals the job at the end. */
export const feedInputs = async (feeding: Feeding): Promise<void> => {
  const { client, job, parcels, hosts, forMs, signal } = feeding;
  const startedAt = performance.now();
  const rows = Array.from({ length: parcels }, (_, n) => ({
    url: hosts[n % hosts.length],
    parcel: parcelId(DEFAULT_SEED, n),
  }));
  let [from, offset] = [0, 0];
  for (let piece = 0; piece < PIECES; piece++) {
    // The first half comes at once, so that there is always work.
    const to = Math.ceil((parcels * (PIECES + piece)) / (2 * PIECES - 1));
    const own = rows.slice(from, to);
    const inputs = [...own, ...own.slice(0, TWICE), { parcel: "none" }];
    const dueMs = (forMs * piece) / (PIECES - 1) - (performance.now() - startedAt);
    await delay(Math.max(0, dueMs), undefined, { signal });
    await untilTaken(() => client.addInputs(job, asBytes(inputs), { offset, signal }), signal);
    from = to;
    offset += inputs.length;
  }
  await untilTaken(() => client.sealJob(job), signal);
};

const untilTaken = async (send: () => Promise<unknown>, signal: AbortSignal): Promise<void> => {
  for (;;) {
    try {
      await send();
      return;
    } catch (error) {
      if (!(error instanceof ProblemError && PASSING.has(error.code))) throw error;
      await delay(AGAIN_MS, undefined, { signal });
    }
  }
};

async function* asBytes(inputs: readonly unknown[]): AsyncGenerator<Uint8Array> {
  for (const input of inputs) yield Buffer.from(`${JSON.stringify(input)}\n`);
}
