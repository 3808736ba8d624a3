import { type AuditEntry as StoredEntry, auditDetail } from "../domain/audit.ts";
import { isoTime } from "../domain/iso-time.ts";
import type { StoredAudit } from "../ports/registry.ts";
import type { AuditEntry, AuditQuery } from "../schemas/operations.ts";
import type { ServiceContext } from "./context.ts";

type Audit = Pick<ServiceContext, "registry" | "now">;

/** A change to record: an operation of the API by its `operationId`, whether it came over HTTP or from a command. */
export interface Change extends Pick<StoredEntry, "actor" | "client" | "via" | "action" | "outcome"> {
  /** What was changed: a client, a key, a lane, a job, a folder. */
  readonly target?: string | undefined;
  /** The request; secrets are left out of the log. */
  readonly detail?: Readonly<Record<string, unknown>>;
  /** Address of the caller. */
  readonly from?: string | undefined;
}

export const recordChange = async ({ registry, now }: Audit, change: Change): Promise<void> => {
  const { target, from, detail, ...rest } = change;
  const text = detail && auditDetail(detail);
  await registry.addAudit({
    at: now(),
    ...rest,
    ...(target !== undefined && target !== "" && { target }),
    ...(text !== undefined && { detail: text }),
    ...(from !== undefined && from !== "" && { from }),
  });
};

/** Newest first; `before` is the id of the last entry of the previous page. */
export const listAudit = async (
  { registry }: Pick<ServiceContext, "registry">,
  { since, ...query }: AuditQuery,
  { limit, before }: { readonly limit: number; readonly before?: number | undefined },
): Promise<AuditEntry[]> => {
  const entries = await registry.listAudit({
    ...query,
    limit,
    ...(since !== undefined && { sinceAt: Date.parse(since) }),
    ...(before !== undefined && { before }),
  });
  return entries.map(auditView);
};

const auditView = ({ at, detail, ...entry }: StoredAudit): AuditEntry => ({
  ...entry,
  at: isoTime(at),
  ...(detail !== undefined && { detail: JSON.parse(detail) as unknown }),
});
