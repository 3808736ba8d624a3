import type { Evidence } from "../domain/breaker.ts";
import type { CaptureRef } from "../domain/capture.ts";
import type { FailureKind } from "../domain/failure.ts";
import type { ItemRef } from "../domain/item.ts";
import { withoutPlaces } from "../domain/record.ts";
import { isoTime } from "./iso-time.ts";
import { captureView, itemId } from "./item-view.ts";
import type { ApiEvidence } from "./schemas/evidence.ts";

/** As ledgers write it down. */
interface StoredEvidence extends Partial<Evidence> {
  readonly examples?: readonly (ItemRef & {
    readonly key: string;
    readonly kind?: FailureKind;
    readonly detail?: string;
    readonly captures?: readonly CaptureRef[];
  })[];
}

/** Items go out by the ids that the API knows them by, captures without their places in the archive: those may be in another client's job. */
export const evidenceView = (evidence: unknown): ApiEvidence => {
  const {
    chart = "failures",
    reason = "",
    counts = {},
    sinceMs,
    heals = false,
    examples = [],
  } = (evidence ?? {}) as StoredEvidence;
  return {
    chart,
    reason,
    counts: { ...counts },
    ...(sinceMs !== undefined && { since: isoTime(sinceMs) }),
    heals,
    examples: examples.map(({ queue, seq, captures = [], ...rest }) => ({
      item: itemId({ queue, seq }),
      ...rest,
      ...(rest.detail !== undefined && { detail: withoutPlaces(rest.detail) }),
      captures: captures.map(captureView),
    })),
  };
};
