import type { StorageLocation } from "../../ports/storage.ts";
import { userInfo } from "node:os";
import { openRegistry } from "../../compose.ts";
import type { Registry } from "../../ports/registry.ts";
import { type Change as AuditChange, recordChange } from "../../services/audit.ts";
import type { Verbs } from "./verbs.ts";

/** A change to a data folder, in the API's terms. */
type Change = Pick<AuditChange, "action" | "target" | "detail">;

/** As in the audit log. */
export const localUser = (): string => {
  try {
    return `user:${userInfo().username}`;
  } catch {
    return `user:${process.getuid?.() ?? "unknown"}`; // a container's user without a name
  }
};

/** Makes the change and records it, with its outcome. */
export const audited = async <T>(
  registry: () => Promise<Registry>,
  change: Change,
  work: () => Promise<T>,
): Promise<T> => {
  const note = async (outcome: string): Promise<void> => {
    const context = { registry: await registry(), now: Date.now };
    const from = process.env["SSH_CLIENT"]?.split(" ")[0];
    await recordChange(context, { ...change, actor: localUser(), via: "cli", outcome, from });
  };
  let done: T;
  try {
    done = await work();
  } catch (error) {
    const { code, name } = error as { readonly code?: string; readonly name?: string };
    // The user needs the first error.
    await note(code ?? name ?? "failed").catch(() => undefined);
    throw error;
  }
  await note("ok").catch((error: unknown) => {
    process.stderr.write(`The audit log could not be written: ${(error as Error).message}\n`);
  });
  return done;
};

/** For a command that has no open registry. */
export const auditedIn = async <T>(
  location: StorageLocation,
  change: Change,
  work: () => Promise<T>,
): Promise<T> => {
  let opened: Promise<Registry> | undefined;
  try {
    return await audited(() => (opened ??= openRegistry(location)), change, work);
  } finally {
    await (await opened?.catch(() => undefined))?.close();
  }
};

/** For a change that is already made. */
export const noteChange = (location: StorageLocation, change: Change): Promise<void> =>
  auditedIn(location, change, async () => undefined);

type VerbName = Exclude<keyof Verbs, "flag" | "schedules" | "inputSets" | typeof Symbol.asyncDispose>;

/** The change that each verb makes, with the API's operation and request; null for verbs that only read or create the user's own jobs. A verb that is missing here does not compile. */
const CHANGES: { readonly [V in VerbName]: null | ((...given: Parameters<Verbs[V]>) => Change | undefined) } =
  {
    controlJob: (job, to) => ({ action: `${to}Job`, target: job }),
    apply: (_declared, isDry) => (isDry ? undefined : { action: "applyConfig", target: "sluice.config.ts" }),
    sealJob: (job) => ({ action: "sealJob", target: job }),
    resumeJob: (job, { newVersion, caps }) => ({
      action: "resumeJob",
      target: job,
      detail: { ...caps, ...(newVersion && { newVersion }) },
    }),
    retryItems: (job, filter) => ({ action: "retryJob", target: job, detail: { ...filter } }),
    markRemoval: (job, what) => ({
      action: "removeJob",
      target: job,
      detail: { keep: what === "pages" ? "records" : undefined },
    }),
    prune: ({ keepsRecords, ...wish }, isDry) =>
      isDry
        ? undefined
        : { action: "prune", detail: { ...wish, keep: keepsRecords ? "records" : undefined, dryRun: false } },
    controlLane: (lane, { isReset, ...to }) => ({
      action: "controlLane",
      target: lane,
      detail: { ...to, reset: isReset },
    }),
    addClient: (client) => ({ action: "createClient", target: client.name, detail: { ...client } }),
    changeClient: (name, to) => ({ action: "changeClient", target: name, detail: { ...to } }),
    makeKey: (client, role) => ({ action: "createKey", target: client, detail: { role } }),
    revokeKey: (client, key) => ({ action: "revokeKey", target: `${client}/${key}` }),
    deploy: (name, _bundle, commit) => ({ action: "deployScraper", target: name, detail: { commit } }),
    gateVersion: (name, version) => ({ action: "gateVersion", target: name, detail: { version } }),
    activateVersion: (name, version, how) => ({
      action: "activateVersion",
      target: name,
      detail: { version, ...how },
    }),
    rollBackVersion: (name, how) => ({ action: "rollBackVersion", target: name, detail: { ...how } }),
    startCanary: (name, version, how) => ({
      action: "startCanary",
      target: name,
      detail: { version, ...how },
    }),
    endCanary: (name, how) => ({ action: "endCanary", target: name, detail: { ...how } }),
    listVersions: null,
    showVersion: null,
    finishRemoval: null,
    finishOthers: null,
    submit: null,
    listJobs: null,
    findJob: null,
    report: null,
    items: null,
    findItems: null,
    slowLanes: null,
    writeResults: null,
    lanes: null,
    workers: null,
    scale: null,
    listClients: null,
    listKeys: null,
    listAudit: null,
  };

/** The verbs of a data folder, with an audit log. A server writes its own. */
export const auditedVerbs = (verbs: Verbs, registry: () => Promise<Registry>): Verbs => {
  const wrapped = Object.entries(CHANGES).flatMap(([name, changeOf]) => {
    if (changeOf === null) return [];
    const verb = verbs[name as VerbName] as (...given: unknown[]) => Promise<unknown>;
    const describe = changeOf as (...given: unknown[]) => Change | undefined;
    const run = async (...given: unknown[]): Promise<unknown> => {
      const change = describe(...given);
      return change ? await audited(registry, change, () => verb(...given)) : await verb(...given);
    };
    return [[name, run]];
  });
  return { ...verbs, ...(Object.fromEntries(wrapped) as Partial<Verbs>) };
};
