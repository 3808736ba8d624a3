import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { InputRow } from "../pipeline/plan.ts";
import { planInputs } from "../pipeline/submit.ts";
import { type Blobs, BlobError } from "../ports/blobs.ts";
import type { Registry } from "../ports/registry.ts";
import type { Upload } from "../schemas/job.ts";
import { loadPinned } from "../scrapers/load-pinned.ts";
import type { Actor, ServiceContext } from "./context.ts";
import { findJob } from "./jobs.ts";
import { Problem } from "./problem.ts";
import { addWithinQuota, checkHoldings } from "./quotas.ts";

type Uploads = Pick<ServiceContext, "ledger" | "registry" | "blobs" | "laneOf" | "now">;

interface Inputs {
  /** Opened once the job may take inputs. */
  readonly rows: () => AsyncIterable<readonly InputRow[]>;
  /** Inputs of the upload that come before the first row; by default, those taken so far. */
  readonly offset?: number | undefined;
  /** No more inputs will come. */
  readonly seal: boolean;
  /** The sender has disconnected: nobody waits for the rest. */
  readonly isGone?: () => boolean;
  readonly onProgress?: (offset: number) => void;
}

/** Per job. This many rejected inputs are not typing errors, and each costs as much as a good one. */
const MOST_REJECTED = 100_000;

/**
 * Streams inputs into a job, a batch at a time, so that memory use is constant and the ledger limits a fast sender. Inputs that were taken before
 * are skipped: an interrupted upload can be sent again from its offset, or from any point before it. One upload at a time for each job.
 */
export const uploadInputs = async (
  context: Uploads,
  actor: Actor,
  job: string,
  { rows, offset: given, seal, isGone = () => false, onProgress }: Inputs,
): Promise<Upload> => {
  const { ledger, registry, blobs, laneOf, now } = context;
  const { spec, state, isSealed } = await findJob(context, actor, job);
  if (state === "cancelled" || state === "done")
    throw new Problem("job-ended", `${job}: the job has ended and takes no more inputs. Start a new one.`);
  if (isSealed) throw new Problem("job-sealed", `${job}: the job is sealed. Start a new one.`);
  const { scraper } = await loadPinned(spec, blobs);
  await checkHoldings(context, spec.client, { isNew: false });
  await using hold = await holdUpload(registry, job);
  await hold.check();
  let upload = await readUpload(context, job);
  const { offset } = upload;
  if (given !== undefined && given > offset)
    throw new Problem(
      "offset-gap",
      `The job has ${offset} inputs of this upload. Continue with that offset, not with ${given}.`,
      { offset },
    );
  await planInputs({
    scraper,
    laneOf,
    inputs: rows(),
    skip: given === undefined ? 0 : offset - given,
    rejects: {
      most: MOST_REJECTED - upload.rejected,
      tooMany: ({ problem }) =>
        new Problem(
          "too-many-rejected",
          `${MOST_REJECTED} inputs of this job were rejected, the last one because: ${problem}. Correct the file and start a new job.`,
          { offset: upload.offset },
        ),
    },
    mustStop: () => {
      if (isGone()) throw new Problem("bad-inputs", "The connection ended before the body did.");
      return false;
    },
    add: async (items, rejected) => {
      await hold.check();
      const asked = { client: spec.client, count: items.length, offset: upload.offset };
      const added = await addWithinQuota(context, asked, now, () => ledger.addItems(job, items, rejected));
      upload = {
        offset: upload.offset + items.length + rejected.length,
        accepted: upload.accepted + added.accepted,
        folded: upload.folded + added.folded,
        rejected: upload.rejected + rejected.length,
        capped: upload.capped + added.capped,
      };
      await blobs.put(uploadName(job), Buffer.from(JSON.stringify(upload)));
      onProgress?.(upload.offset);
    },
  });
  if (seal) await ledger.sealJob(job);
  return upload;
};

const uploadName = (job: string): string => `jobs/${job}/upload.json`;

/**
 * How many inputs of a job have been accepted. Written after each batch is in the ledger: the ledger has everything that is
 * counted, and at most one batch more, which is folded if it is sent again.
 */
export const readUpload = async ({ blobs }: { readonly blobs: Blobs }, job: string): Promise<Upload> => {
  try {
    return JSON.parse(Buffer.from(await blobs.get(uploadName(job))).toString()) as Upload;
  } catch (error) {
    if (error instanceof BlobError && error.code === "not-found")
      return { offset: 0, accepted: 0, folded: 0, rejected: 0, capped: 0 };
    throw error;
  }
};

/** The exclusive right to add inputs to a job. */
interface UploadHold extends AsyncDisposable {
  /** Throws if another upload has taken over. */
  check(): Promise<void>;
}

/** Long enough to survive a short stall of the process. If it was killed, others wait no longer than this. */
const HOLD_MS = 8_000;
const RENEW_MS = 2_000;
/** Longer than a hold: a sender whose connection broke may come back before the break is noticed, and should then get its turn. */
const WAIT_MS = 10_000;
const ASK_MS = 200;

const holdUpload = async (registry: Registry, job: string): Promise<UploadHold> => {
  const task = `upload/${job}`;
  const holder = randomBytes(6).toString("hex");
  const hold = (): Promise<boolean> => registry.holdTask(task, holder, HOLD_MS);
  const endsAt = performance.now() + WAIT_MS;
  while (!(await hold())) {
    if (performance.now() >= endsAt) throw underWay(job);
    await delay(ASK_MS);
  }
  const over = new AbortController();
  const renewing = (async () => {
    while (!over.signal.aborted) {
      await delay(RENEW_MS, undefined, { signal: over.signal }).catch(() => undefined);
      // If this fails, the hold may still exist: the next batch checks.
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
  new Problem(
    "upload-in-progress",
    `${job}: another upload is in progress. Only one can run at a time; wait until it ends.`,
    { retryAfterSeconds: 5 },
  );
