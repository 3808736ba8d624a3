export type ItemState =
  | "queued"
  | "leased"
  | "waiting"
  | "done"
  | "absent"
  | "failed"
  | "skipped"
  | "cancelled";
/** What became of an item since the client last had it. */
export type Change = "new" | "changed" | "unchanged" | "gone";

export interface ItemQuery {
  readonly state?: readonly ItemState[];
  readonly kind?: readonly string[];
  readonly key?: readonly string[];
  readonly scraper?: string;
}

export interface Failure {
  readonly kind: string;
  readonly detail: string;
  readonly url?: string;
  readonly status?: number;
  readonly retryAfterMs?: number;
}

export interface Item {
  readonly id: string;
  readonly key: string;
  readonly scraper: string;
  readonly lane: string;
  readonly state: ItemState;
  readonly reason?: string;
  readonly quality?: "complete" | "partial";
  /** Of the scraper that made its result. */
  readonly version?: string;
  readonly change?: Change;
  readonly input: unknown;
  readonly parent?: string;
  readonly depth: number;
  readonly attempts: number;
  readonly dueAt?: string;
  readonly endedAt?: string;
  readonly failure?: Failure;
  readonly history: readonly {
    readonly at: string;
    readonly ms: number;
    readonly version?: string;
    readonly failure: Failure;
    readonly requests?: number;
    readonly bytes?: number;
  }[];
  /** The attempt that was settled last, however it ended. */
  readonly lastAttempt?: {
    readonly at: string;
    readonly ms: number;
    readonly requests: number;
    readonly bytes: number;
    /** Of an absent item. */
    readonly detail?: string;
  };
  readonly captures: readonly Capture[];
}

/** What was kept of a page or file. */
export interface Capture {
  /** Its place among the item's captures. */
  readonly number: number;
  readonly name: string;
  readonly url: string;
  readonly mediaType: string;
  readonly digest: string;
  readonly storedBytes: number;
  /** An object of its own, and no page among others. */
  readonly isFile: boolean;
  readonly link?: string;
}

/** The response's head of a capture, secrets redacted. */
export interface CaptureHead {
  readonly url: string;
  readonly status: number;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
}

/** Why the breaker holds a lane. */
export interface Evidence {
  readonly chart: string;
  readonly reason: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly since?: string;
  readonly heals: boolean;
  readonly examples: readonly {
    /** The item's id. */
    readonly item: string;
    readonly key: string;
    readonly kind?: string;
    readonly detail?: string;
    readonly captures: readonly Capture[];
  }[];
}

/** An item's records in the job's current set. */
export interface ItemRecords {
  /** `first` for those of the run itself. */
  readonly extraction: string;
  readonly data: readonly {
    /** Name of the page that it was read from. */
    readonly from?: string;
    readonly quality: "complete" | "partial";
    readonly fields: Readonly<
      Record<
        string,
        {
          readonly status: "present" | "empty" | "missing" | "malformed";
          readonly value: unknown;
          readonly raw?: string;
          readonly by?: string;
          readonly at?: number;
          readonly why?: string;
        }
      >
    >;
  }[];
}
