import type { StoredResponse } from "../../devtools/viewable-page.ts";
import type { Failure } from "../../domain/failure.ts";
import type { ItemState } from "../../domain/item.ts";
import type { JudgedRecord } from "../../domain/record.ts";

/** Everything about one item, and how to read its captures. */
export interface ShownItem {
  readonly key: string;
  readonly scraper: string;
  readonly lane: string;
  readonly parent?: string;
  readonly input: unknown;
  readonly state: ItemState;
  readonly quality?: "complete" | "partial";
  readonly change?: string;
  readonly failure?: Omit<Failure, "kind"> & { readonly kind: string };
  /** Why it was skipped. */
  readonly skipReason?: string;
  /** The job whose captures and records it was answered with; a server does not show it. */
  readonly source?: string;
  /** Time of the next attempt, or of its end. */
  readonly dueAt?: number;
  readonly endedAt?: number;
  /** Attempts that count towards the limit; throttled ones do not. */
  readonly attemptCount: number;
  readonly attempts: readonly ShownAttempt[];
  readonly captures: readonly ShownCapture[];
  /** `first`, or the current extraction. */
  readonly extraction: string;
  readonly records: readonly (JudgedRecord & { readonly from?: string })[];
  /** The stored response of a capture. */
  readonly read: (number: number) => Promise<StoredResponse>;
}

interface ShownAttempt {
  readonly at: number;
  readonly ms: number;
  /** A server does not show it. */
  readonly worker?: string;
  readonly requests?: number;
  readonly bytes?: number;
  /** How it ended. */
  readonly end: string;
  readonly detail?: string;
}

export interface ShownCapture {
  readonly number: number;
  readonly name: string;
  readonly url: string;
  readonly mediaType: string;
  readonly digest: string;
  readonly storedBytes: number;
  /** False for a page that is packed with others. */
  readonly isFile: boolean;
  /** Undefined if it can no longer be read. */
  readonly status?: number;
  readonly problem?: string;
  /** Its place in the archive and on this machine; a server does not show it. */
  readonly blob?: string;
  readonly path?: string;
  readonly offset?: number;
}

/** Every failed attempt is stored, but only the last of the others. */
export const attemptsOf = (
  state: ItemState,
  history: readonly (Omit<ShownAttempt, "end" | "detail"> & {
    readonly failure: Omit<Failure, "kind"> & { readonly kind: string };
  })[],
  last: Omit<ShownAttempt, "end"> | undefined,
): ShownAttempt[] => [
  ...history.map(({ failure, ...attempt }) => ({ ...attempt, end: failure.kind, detail: failure.detail })),
  ...(last && !history.some(({ at }) => at === last.at) ? [{ ...last, end: state }] : []),
];
