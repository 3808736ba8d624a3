import type { JobSpec } from "../domain/job.ts";
import type { CallId, NewEvent } from "./event-log.ts";

/** What documents are about. Names are paths, in whose byte order documents of a kind are listed. */
export const DOCUMENT_KINDS = [
  "input-set",
  "schedule",
  "firing",
  "scraper",
  "version",
  "canary",
  "quality",
  "finding",
  "dataset",
  "release",
] as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

/** Of a body as JSON. Larger contents are objects in the blob store that the body names. */
export const MOST_BODY_BYTES = 256 * 1024;
const LONGEST_NAME = 500;
/** Documents that one commit changes. */
export const MOST_CHANGES = 100;

export interface StoredDocument<Body extends object = object> {
  readonly kind: DocumentKind;
  readonly name: string;
  /** Counts the changes, from 1. */
  readonly revision: number;
  readonly changedAt: number;
  readonly body: Body;
}

export interface DocumentChange {
  readonly kind: DocumentKind;
  readonly name: string;
  /** The revision that the change is based on; 0 if there must be no document. Left out, the change applies to whatever is there. */
  readonly expected?: number;
  /** Null removes the document. */
  readonly body: object | null;
}

export interface Commit {
  readonly changes: readonly DocumentChange[];
  /** Created in the same transaction. */
  readonly job?: JobSpec;
  /** Written to the log in the same transaction. Events that belong to no job have the job "" and name their client in `facts.client`. */
  readonly events?: readonly NewEvent[];
}

export type DocumentKey = Pick<StoredDocument, "kind" | "name">;

export type CommitReply =
  /** Revisions of the changed documents, in the order of the changes; 0 for removed ones. */
  | { readonly committed: true; readonly revisions: readonly number[] }
  /** Nothing was written. `revision` is the stored one, 0 if there is no document. */
  | {
      readonly committed: false;
      readonly conflicts: readonly (DocumentKey & { readonly revision: number })[];
    };

export interface DocumentQuery {
  readonly prefix?: string;
  /** Name of the last one of the page before. */
  readonly after?: string;
  /** In reverse order of names. */
  readonly newest?: boolean;
  readonly limit: number;
}

/**
 * Small JSON texts that are changed by compare-and-set: schedules and their firings, versions, input sets, datasets and releases. They are part of the
 * ledger because some of them change together with jobs and events.
 */
export interface Documents {
  read(kind: DocumentKind, name: string): Promise<StoredDocument | undefined>;
  /** In the order of names. */
  list(kind: DocumentKind, query: DocumentQuery): Promise<readonly StoredDocument[]>;
  /** Everything, or nothing if a document is not at its expected revision. */
  commit(commit: Commit, id?: CallId): Promise<CommitReply>;
}

/** Why a commit cannot be stored; undefined if it can. */
export const commitProblem = ({ changes }: Pick<Commit, "changes">): string | undefined => {
  if (changes.length > MOST_CHANGES) return `a commit changes at most ${MOST_CHANGES} documents`;
  for (const { kind, name, body } of changes) {
    if (name === "" || Buffer.byteLength(name) > LONGEST_NAME)
      return `${kind} "${name.slice(0, 80)}": a name has 1 to ${LONGEST_NAME} bytes`;
    if (body && Buffer.byteLength(JSON.stringify(body)) > MOST_BODY_BYTES)
      return `${kind} "${name.slice(0, 80)}": larger than ${MOST_BODY_BYTES / 1024} KiB`;
  }
  return undefined;
};
