import { type Commit, type CommitReply, commitProblem, type DocumentKey } from "../ports/documents.ts";
import { LedgerError } from "../ports/ledger.ts";
import { createJob } from "./jobs.ts";
import { type Transaction, want, type Want } from "./transaction.ts";

export const commitWants = ({ changes }: Commit): Want[] =>
  changes.map(({ kind, name }) => want("document", kind, name));

/** Documents, a job and events change in one transaction, or not at all. */
export const commitDocuments = (tx: Transaction, commit: Commit): CommitReply => {
  const { changes, job, events = [] } = commit;
  const problem = commitProblem(commit);
  if (problem) throw new LedgerError("bad-document", `${problem}.`);
  tx.need(...commitWants(commit));
  const revisionOf = ({ kind, name }: DocumentKey): number => tx.one("document", kind, name)?.revision ?? 0;
  const conflicts = changes.flatMap(({ kind, name, expected }) => {
    const revision = revisionOf({ kind, name });
    return expected === undefined || expected === revision ? [] : [{ kind, name, revision }];
  });
  if (conflicts.length > 0) return { committed: false, conflicts };
  if (job) createJob(tx, job);
  const revisions = changes.map(({ kind, name, body }) => {
    if (!body) {
      tx.drop("document", kind, name);
      return 0;
    }
    const revision = revisionOf({ kind, name }) + 1;
    tx.put("document", { kind, name, revision, changedAt: tx.now, body });
    return revision;
  });
  tx.events.push(...events);
  return { committed: true, revisions };
};
