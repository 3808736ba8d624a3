/** One change that an operator, an admin or somebody with the data folder has made, or tried to. */
export interface AuditEntry {
  readonly id: number;
  readonly at: string;
  /** `key:ID`, `user:NAME` of the machine, or `local` where no key is needed. */
  readonly actor: string;
  /** Whose key it is. */
  readonly client?: string;
  /** `cli`: a command on the data folder. */
  readonly via: "api" | "cli";
  /** The operation, by its `operationId`. */
  readonly action: string;
  /** What was changed. */
  readonly target?: string;
  /** What was asked for, without secrets. */
  readonly detail?: unknown;
  /** The address that it came from. */
  readonly from?: string;
  /** `ok`, or the code of what went wrong. */
  readonly outcome: string;
}

export interface AuditQuery {
  readonly actor?: string;
  readonly action?: string;
  /** ISO 8601. */
  readonly since?: string;
}
