import { userInfo } from "node:os";
import { openRegistry } from "../../compose.ts";
import { auditDetail } from "../../domain/audit.ts";
import type { Registry } from "../../ports/registry.ts";
import type { Verbs } from "./verbs.ts";

/** What a command does to a data folder, in the API's words. */
interface Change {
  readonly action: string;
  readonly target?: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

const userName = (): string => {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "unknown"); // a container's user without a name
  }
};

/** Does it, and writes down who has, and how it ended. */
const audited = async <T>(
  registry: () => Promise<Registry>,
  { action, target, detail }: Change,
  work: () => Promise<T>,
): Promise<T> => {
  const note = async (outcome: string): Promise<void> => {
    const text = detail && auditDetail(detail);
    const from = process.env["SSH_CLIENT"]?.split(" ")[0];
    await (
      await registry()
    ).addAudit({
      at: Date.now(),
      actor: `user:${userName()}`,
      via: "cli",
      action,
      outcome,
      ...(target !== undefined && { target }),
      ...(text !== undefined && { detail: text }),
      ...(from && { from }),
    });
  };
  let done: T;
  try {
    done = await work();
  } catch (error) {
    const { code, name } = error as { readonly code?: string; readonly name?: string };
    // Why it failed is what the user must hear.
    await note(code ?? name ?? "failed").catch(() => undefined);
    throw error;
  }
  await note("ok").catch((error: unknown) => {
    process.stderr.write(`This could not be written to the audit trail: ${(error as Error).message}\n`);
  });
  return done;
};

/** The same for a command that has no registry open. */
export const auditedIn = async <T>(data: string, change: Change, work: () => Promise<T>): Promise<T> => {
  let opened: Promise<Registry> | undefined;
  try {
    return await audited(() => (opened ??= openRegistry(data)), change, work);
  } finally {
    await (await opened?.catch(() => undefined))?.close();
  }
};

/** For what has been done already. */
export const noteChange = (data: string, change: Change): Promise<void> =>
  auditedIn(data, change, async () => undefined);

type VerbName = Exclude<keyof Verbs, "flag" | typeof Symbol.asyncDispose>;

/** What each verb changes; null for those that only look, or make what is one's own. A verb that is not here does not compile. */
const CHANGES: { readonly [V in VerbName]: null | ((...given: Parameters<Verbs[V]>) => Change | undefined) } =
  {
    controlJob: (job, to) => ({ action: `${to}Job`, target: job }),
    sealJob: (job) => ({ action: "sealJob", target: job }),
    resumeJob: (job, { newVersion, caps }) => ({
      action: "resumeJob",
      target: job,
      detail: { ...caps, ...(newVersion && { newVersion }) },
    }),
    retryItems: (job, filter) => ({ action: "retryJob", target: job, detail: { ...filter } }),
    markRemoval: (job, what) => ({ action: "removeJob", target: job, detail: { what } }),
    prune: (wish, isDry) => (isDry ? undefined : { action: "prune", detail: { ...wish } }),
    controlLane: (lane, to) => ({ action: "controlLane", target: lane, detail: { ...to } }),
    addClient: ({ name, ...share }) => ({ action: "createClient", target: name, detail: share }),
    changeClient: (name, to) => ({ action: "changeClient", target: name, detail: { ...to } }),
    makeKey: (client, role) => ({ action: "createKey", target: client, detail: { role } }),
    revokeKey: (client, key) => ({ action: "revokeKey", target: `${client}/${key}` }),
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
    listClients: null,
    listKeys: null,
    listAudit: null,
  };

/** Verbs of a data folder that write down what they change. A server does so by itself. */
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
