import assert from "node:assert/strict";
import * as fc from "fast-check";
import { FAILURE_KINDS, type FailureKind } from "../../domain/failure.ts";
import type { Outcome } from "../../domain/item.ts";
import { afterFailure } from "../../domain/retry.ts";
import type { ClaimedItem } from "../ledger.ts";
import type { LedgerModel, ModelJob } from "./ledger-model.ts";
import { DONE, failure, RETURNED, UNCHANGED } from "./sim-worker.ts";
import { code, type Kit } from "./test-kit.ts";

/** One move in a random history. Numbers name workers, jobs and items by their place, modulo how many there are. */
export type Step =
  | {
      readonly do: "add";
      readonly job: number;
      readonly keys: readonly number[];
      readonly lane: number;
      readonly rejected: number;
    }
  | {
      readonly do: "claim";
      readonly worker: number;
      readonly room: number;
      readonly names?: number | undefined;
    }
  | { readonly do: "claim-alone"; readonly worker: number }
  | {
      readonly do: "pulse";
      readonly worker: number;
      readonly names: number;
      readonly acts: boolean;
      readonly wishes: number;
      readonly returns: boolean;
    }
  | { readonly do: "throttle"; readonly worker: number; readonly lane: number; readonly retryAfterMs: number }
  | {
      readonly do: "settle";
      readonly worker: number;
      readonly count: number;
      readonly how: How;
      readonly emits: readonly number[];
    }
  | { readonly do: "settle-late"; readonly item: number; readonly worker: number }
  | { readonly do: "die"; readonly worker: number }
  | { readonly do: "reap" }
  | { readonly do: "reap-one"; readonly worker: number; readonly blamed: boolean }
  | { readonly do: "pass"; readonly ms: number }
  | { readonly do: "control"; readonly job: number; readonly to: "pause" | "resume" | "cancel" }
  | { readonly do: "seal"; readonly job: number }
  | { readonly do: "retry"; readonly job: number; readonly kinds: readonly FailureKind[] | undefined }
  | {
      readonly do: "raise";
      readonly job: number;
      readonly items: number;
      readonly depth: number;
      readonly chain: number;
    }
  | { readonly do: "reopen"; readonly handle: number };

type How = "done" | "partial" | "absent" | "unchanged" | "returned" | FailureKind;

const small = fc.nat({ max: 7 });
const keys = fc.array(fc.nat({ max: 25 }), { maxLength: 8 });
const outcomes: fc.Arbitrary<How> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<How>("done") },
  { weight: 1, arbitrary: fc.constantFrom<How>("partial", "absent", "unchanged", "returned", "returned") },
  { weight: 3, arbitrary: fc.constantFrom<How>("timeout", "rate-limited", "too-large", "blocked") },
  { weight: 1, arbitrary: fc.constantFrom<How>(...FAILURE_KINDS.filter((kind) => kind !== "worker-lost")) },
);
const is = <const T extends string>(name: T) => fc.constant(name);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: is("add"), job: small, keys, lane: small, rejected: fc.nat({ max: 2 }) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: is("claim"),
      worker: small,
      room: fc.integer({ min: 1, max: 6 }),
      names: fc.option(fc.nat({ max: 255 }), { nil: undefined }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: is("claim-alone"), worker: small }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: is("pulse"),
      worker: small,
      names: fc.nat({ max: 255 }),
      acts: fc.boolean(),
      wishes: fc.nat({ max: 3 }),
      returns: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: is("throttle"),
      worker: small,
      lane: small,
      retryAfterMs: fc.nat({ max: 4000 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: is("settle"),
      worker: small,
      count: fc.integer({ min: 1, max: 5 }),
      how: outcomes,
      emits: fc.array(fc.nat({ max: 30 }), { maxLength: 2 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: is("settle-late"), item: fc.nat({ max: 99 }), worker: small }) },
  { weight: 1, arbitrary: fc.record({ do: is("die"), worker: small }) },
  { weight: 1, arbitrary: fc.record({ do: is("reap") }) },
  { weight: 1, arbitrary: fc.record({ do: is("reap-one"), worker: small, blamed: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: is("pass"), ms: fc.oneof(fc.nat({ max: 400 }), fc.nat({ max: 15_000 })) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: is("control"),
      job: small,
      to: fc.constantFrom("pause", "resume", "resume", "cancel"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: is("seal"), job: small }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: is("retry"),
      job: small,
      kinds: fc.constantFrom<readonly FailureKind[] | undefined>(
        undefined,
        ["timeout"],
        ["worker-lost", "scraper-error"],
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: is("raise"),
      job: small,
      items: fc.nat({ max: 4 }),
      depth: fc.nat({ max: 1 }),
      chain: fc.nat({ max: 1 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: is("reopen"), handle: small }) },
);

export const histories: fc.Arbitrary<readonly Step[]> = fc.array(step, {
  minLength: 20,
  maxLength: 120,
  size: "max",
});

/** As a worker decides it: by the policy of the kind. */
export const outcomeOf = ({ attempt, throttles }: ClaimedItem, how: How, hasActed: boolean): Outcome => {
  if (how === "done") return DONE;
  if (how === "partial") return { state: "done", quality: "partial" };
  if (how === "absent") return { state: "absent", detail: "none" };
  if (how === "unchanged") return UNCHANGED;
  // A worker gives back only what it has not begun.
  if (how === "returned") return hasActed ? DONE : RETURNED;
  return afterFailure({ failure: failure(how), attempt, throttles, hasActed, random: 0.5 });
};

export const sealJob = async ({ ledger }: Kit, job: ModelJob): Promise<void> => {
  await ledger.sealJob(job.id);
  job.isSealed = true;
  if (job.state === "loading") job.state = "running";
};

export const controlJob = async (
  { ledger }: Kit,
  model: LedgerModel,
  job: ModelJob,
  to: "pause" | "resume" | "cancel",
): Promise<void> => {
  const control = () => ledger.controlJob(job.id, to);
  const isEnded = job.state === "cancelled" || (job.state === "done" && to !== "resume");
  if (isEnded) return await assert.rejects(control, code("job-ended"));
  await control();
  if (to === "cancel") model.cancel(job);
  else if (to === "pause") job.state = "paused";
  else if (job.state === "paused") job.state = job.isSealed ? "running" : "loading";
};

export const retryItems = async (
  { ledger }: Kit,
  model: LedgerModel,
  job: ModelJob,
  kinds: readonly FailureKind[] | undefined,
): Promise<void> => {
  const retry = () => ledger.retryItems(job.id, kinds ? { kinds } : {});
  if (job.state === "cancelled") return await assert.rejects(retry, code("job-ended"));
  assert.equal(await retry(), model.retry(job, kinds));
};

/** Each of its limits by so much; nothing is raised where all are 0, and the same limits again let nothing in. */
export const raiseCaps = async (
  { ledger }: Kit,
  model: LedgerModel,
  job: ModelJob,
  by: { readonly items: number; readonly depth: number; readonly chain: number },
): Promise<void> => {
  const caps = {
    maxItems: job.maxItems + by.items,
    maxDepth: job.maxDepth + by.depth,
    maxChain: job.maxChain + by.chain,
  };
  const raise = () => ledger.raiseCaps(job.id, caps);
  if (job.state === "cancelled") return await assert.rejects(raise, code("job-ended"));
  Object.assign(job, caps);
  assert.equal(await raise(), model.raise(job));
};
