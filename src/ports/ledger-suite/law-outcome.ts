import type { Outcome } from "../../domain/item.ts";
import { afterFailure } from "../../domain/retry.ts";
import type { ClaimedItem } from "../ledger.ts";
import type { How } from "./law-steps.ts";
import { DONE, failure, RETURNED, UNCHANGED } from "./sim-worker.ts";

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
