import { hash } from "node:crypto";
import type { Blobs } from "../ports/blobs.ts";
import type { DocumentKey, Documents, StoredDocument } from "../ports/documents.ts";
import { type LaneLedger, type Ledger, LedgerError } from "../ports/ledger.ts";
import type { ClientInfo, KeyInfo, Registry } from "../ports/registry.ts";
import { keepJobFile, putInputs } from "./journal.ts";
import { sealJson } from "./stored-bytes.ts";

/** An operator's settings for a lane, for a rebuilt ledger. */
export interface LaneLimit {
  readonly lane: string;
  readonly perSecond: number | null;
  readonly isHeld: boolean;
}

export const LANES_FILE = "service/lanes.json";
const PAGE = 500;
const MOST_LOADED = 1000;

/**
 * A ledger that writes its jobs to the archive as they are created and changed, so that it can be rebuilt from there (see `journal.ts`). Workers
 * write the outcomes of items, together with their pages.
 */
export const journaled = (ledger: Ledger, blobs: Blobs): Ledger => {
  const keep = (job: string): Promise<void> => keepJobFile({ ledger, blobs }, job);
  /** Jobs whose inputs came through here. */
  const loaded = new Set<string>();
  return {
    ...ledger,
    async addItems(...call) {
      const [job, items, rejected] = call;
      if (items.length + rejected.length === 0) return await ledger.addItems(...call);
      // First: nothing that the ledger has accepted may be lost with it. A job without inputs has nothing to lose.
      const isFirst = !loaded.has(job);
      if (loaded.size >= MOST_LOADED) loaded.clear();
      loaded.add(job);
      const [segment] = await Promise.all([putInputs(blobs, job, items, rejected), isFirst && keep(job)]);
      try {
        return await ledger.addItems(...call);
      } catch (error) {
        if (error instanceof LedgerError && REFUSALS.has(error.code)) await blobs.remove(segment);
        throw error;
      }
    },
    async sealJob(job) {
      await ledger.sealJob(job);
      await keep(job);
    },
    async controlJob(...call) {
      await ledger.controlJob(...call);
      await keep(call[0]);
    },
    async pinVersions(...call) {
      const reply = await ledger.pinVersions(...call);
      await keep(call[0]);
      return reply;
    },
    async changeVersions(...call) {
      const isChanged = await ledger.changeVersions(...call);
      if (isChanged) await keep(call[0]);
      return isChanged;
    },
    async amendItems(job, revision, items, isLast) {
      await ledger.amendItems(job, revision, items, isLast);
      if (isLast) await keep(job);
    },
    async retryItems(...call) {
      const count = await ledger.retryItems(...call);
      if (count > 0) await keep(call[0]);
      return count;
    },
    async raiseCaps(...call) {
      const count = await ledger.raiseCaps(...call);
      await keep(call[0]);
      return count;
    },
    async controlLane(lane, to) {
      await ledger.controlLane(lane, to);
      await blobs.put(LANES_FILE, sealJson({ lanes: await limitsOf(ledger) }));
    },
    documents: {
      ...ledger.documents,
      async commit(...call) {
        const reply = await ledger.documents.commit(...call);
        if (reply.committed)
          for (const change of call[0].changes) await keepDocument(ledger.documents, blobs, change);
        if (reply.committed && call[0].job) await keep(call[0].job.id);
        return reply;
      },
    },
  };
};

/** A document in the archive, for a rebuilt ledger. */
export type DocumentFile = Pick<StoredDocument, "kind" | "name" | "body">;

export const DOCUMENTS_FOLDER = "service/documents/";

/** Repeated until it is stored as it is: another process may have changed it, and written before. */
const keepDocument = async (
  documents: Documents,
  blobs: Blobs,
  { kind, name }: DocumentKey,
): Promise<void> => {
  const file = `${DOCUMENTS_FOLDER}${kind}/${hash("sha256", name)}.json`;
  let kept: number | undefined;
  for (;;) {
    const stored = await documents.read(kind, name);
    const revision = stored?.revision ?? 0;
    if (revision === kept) return;
    if (stored) await blobs.put(file, sealJson({ kind, name, body: stored.body } satisfies DocumentFile));
    else await blobs.remove(file);
    kept = revision;
  }
};

const REFUSALS: ReadonlySet<LedgerError["code"]> = new Set(["no-such-job", "job-ended", "job-removed"]);

const limitsOf = async (ledger: LaneLedger): Promise<LaneLimit[]> => {
  const limits: LaneLimit[] = [];
  for (let after: string | undefined; ;) {
    const page = await ledger.listLanes({ limit: PAGE, ...(after !== undefined && { after }) });
    for (const { lane, operatorPerSecond: perSecond, isHeldByOperator: isHeld } of page)
      if (perSecond !== null || isHeld) limits.push({ lane, perSecond, isHeld });
    after = page.at(-1)?.lane;
    if (page.length < PAGE) return limits;
  }
};

/** Clients without their webhook secrets, and keys as hashes. */
export interface RegistryFile {
  readonly clients: readonly ClientInfo[];
  readonly keys: readonly KeyInfo[];
}

export const REGISTRY_FILE = "service/registry.json";

/** A registry that writes clients and keys to the archive whenever they change, so that they can be rebuilt from there. */
export const journaledRegistry = (registry: Registry, blobs: Blobs): Registry => {
  const read = async (): Promise<Uint8Array> => {
    const clients = (await registry.listClients()).map(withoutSecrets);
    const keys = (await registry.listKeys()).map(({ usedAt: _usedAt, ...key }) => key);
    return sealJson({ clients, keys } satisfies RegistryFile);
  };
  const keep = async (): Promise<void> => {
    // Checked after the write: another process may have made a change and written before.
    for (let now = await read(), before; !before || !Buffer.from(now).equals(before); now = await read())
      await blobs.put(REGISTRY_FILE, (before = now));
  };
  return {
    ...registry,
    async saveClient(client) {
      await registry.saveClient(client);
      await keep();
    },
    async changeClient(name, change) {
      const client = await registry.changeClient(name, change);
      await keep();
      return client;
    },
    async saveKey(key) {
      await registry.saveKey(key);
      await keep();
    },
    async revokeKey(id, at) {
      const isRevoked = await registry.revokeKey(id, at);
      await keep();
      return isRevoked;
    },
  };
};

const withoutSecrets = ({ secrets: _secrets, ...client }: ClientInfo): ClientInfo => ({
  ...client,
  webhooks: client.webhooks.map((endpoint) => ({ ...endpoint, secrets: [] })),
});
