import { randomBytes } from "node:crypto";
import { isoTime } from "../domain/iso-time.ts";
import { timedId, timeOfId } from "../domain/job.ts";
import { contentCheck, DigestTable } from "../inputs/digest-table.ts";
import { type InputRow } from "../inputs/input-format.ts";
import {
  nameOfRow,
  readList,
  type Row,
  rowsWithout,
  type StoredList,
  writeList,
} from "../inputs/input-list.ts";
import type { StoredDocument } from "../ports/documents.ts";
import type { InputSet, SetChange, SetDiff, SetDiffQuery, UploadedSet } from "../schemas/inputs.ts";
import { stableText } from "../pipeline/plan.ts";
import { type Actor, mayRead, type ServiceContext, shown } from "./context.ts";
import { Problem } from "./problem.ts";

type Sets = Pick<ServiceContext, "ledger" | "blobs" | "now">;

interface SetVersion extends StoredList {
  readonly version: number;
  readonly at: number;
  readonly by: string;
  readonly how: "replaced" | "added" | "removed";
}

interface SetBody {
  readonly client: string;
  readonly key?: readonly string[];
  /** Oldest first. */
  readonly versions: readonly SetVersion[];
}

const MOST_SETS = 10_000;
/** Maximum number of versions of one set: older versions are dropped, and their rows a day later. */
const MOST_VERSIONS = 200;
const MOST_KEYS = 10;
const DAY_MS = 86_400_000;
const HOW = { replace: "replaced", add: "added", remove: "removed" } as const;

interface SetUpload {
  readonly rows: AsyncIterable<readonly InputRow[]>;
  readonly change: SetChange;
  /** Only for a new set. */
  readonly key?: readonly string[] | undefined;
  readonly client?: string | undefined;
  /** As in the audit log. */
  readonly by: string;
}

/**
 * Makes the next version of a set from the uploaded rows: they replace the set, or are added to it or removed from it. A row is
 * identified by the set's key. The complete new version is stored before the set refers to it. If nothing changes, no version is
 * made, so an upload may be repeated.
 */
export const uploadSet = async (
  context: Sets,
  actor: Actor,
  name: string,
  upload: SetUpload,
): Promise<UploadedSet> => {
  const { blobs, ledger, now } = context;
  const document = await readSet(context, name);
  if (document && !mayRead(actor, document.body.client)) throw noSuchSet(name);
  const key = keyOf(name, document?.body, upload.key);
  const last = document?.body.versions.at(-1);
  if (upload.change !== "replace" && !last)
    throw new Problem(
      "not-found",
      `${shown(name)}: no such input set. Send its rows without \`change\` first.`,
    );
  await checkRoom(context, document);
  const blobName = (): string => `inputs/${name}/${timedId(now(), randomBytes(6))}.ndjson.gz`;
  const sent = await writeList(blobs, blobName(), upload.rows, key);
  if (sent.list.rows === 0) {
    await blobs.remove(sent.list.blob);
    throw new Problem("bad-inputs", `${shown(name)}: there are no rows.`);
  }
  let { list } = sent;
  if (upload.change !== "replace") {
    const kept = rowsWithout(readList(blobs, last!.blob), key, (row) => sent.names.has(row));
    const rows = upload.change === "add" ? joined(kept, readList(blobs, list.blob)) : kept;
    ({ list } = await writeList(blobs, blobName(), rows, key));
    await blobs.remove(sent.list.blob);
  }
  // If rows were only added or removed, a different order of rows does not make a new version.
  if (last?.digest === list.digest) {
    await blobs.remove(list.blob);
    return { set: setView(document!), isNew: false, folded: sent.folded };
  }
  const version: SetVersion = {
    ...list,
    version: (last?.version ?? 0) + 1,
    at: now(),
    by: upload.by,
    how: HOW[upload.change],
  };
  const before = document?.body.versions ?? [];
  const body: SetBody = {
    client: document?.body.client ?? upload.client ?? actor.client,
    ...(key && { key }),
    versions: [...before.slice(-MOST_VERSIONS + 1), version],
  };
  const change = { kind: "input-set" as const, name, expected: document?.revision ?? 0, body };
  const reply = await ledger.documents.commit({ changes: [change] });
  if (!reply.committed) {
    await blobs.remove(list.blob);
    throw new Problem(
      "changed-meanwhile",
      `${shown(name)}: the set was changed during the upload. Send it again.`,
      {
        retryAfterSeconds: 1,
      },
    );
  }
  await sweep(context, name, body);
  return { set: setView({ name, body }), isNew: true, folded: sent.folded };
};

async function* joined(...parts: AsyncIterable<InputRow[]>[]): AsyncGenerator<InputRow[]> {
  for (const part of parts) yield* part;
}

const keyOf = (name: string, set: SetBody | undefined, given: readonly string[] | undefined) => {
  if (given && given.length > MOST_KEYS)
    throw new Problem("invalid-request", `key: at most ${MOST_KEYS} members.`);
  if (set && given && stableText(given) !== stableText(set.key ?? []))
    throw new Problem(
      "invalid-request",
      `${shown(name)}: the set's key is ${set.key?.join(", ") ?? "the whole row"} and cannot be changed. Omit \`key\`, or create another set.`,
    );
  return set ? set.key : given;
};

const checkRoom = async ({ ledger }: Sets, document: StoredDocument | undefined): Promise<void> => {
  if (document) return;
  const sets = await ledger.documents.list("input-set", { limit: MOST_SETS });
  if (sets.length >= MOST_SETS)
    throw new Problem("too-many", `There are ${MOST_SETS} input sets, which is the limit. Remove some.`);
};

/** Objects that no version refers to: from dropped versions, and from uploads that broke off long ago. */
const sweep = async ({ blobs, now }: Sets, name: string, { versions }: SetBody): Promise<void> => {
  const named = new Set(versions.map(({ blob }) => blob));
  for await (const { name: blob } of blobs.list(`inputs/${name}/`)) {
    const id = blob.split("/")[2] ?? "";
    if (!named.has(blob) && timeOfId(id) < now() - DAY_MS) await blobs.remove(blob);
  }
};

const readSet = async (
  { ledger }: Pick<Sets, "ledger">,
  name: string,
): Promise<StoredDocument<SetBody> | undefined> =>
  (await ledger.documents.read("input-set", name)) as StoredDocument<SetBody> | undefined;

const noSuchSet = (name: string): Problem => new Problem("not-found", `${shown(name)}: no such input set.`);

const findSet = async (
  context: Pick<Sets, "ledger">,
  actor: Actor,
  name: string,
): Promise<StoredDocument<SetBody>> => {
  const document = await readSet(context, name);
  if (!document || !mayRead(actor, document.body.client)) throw noSuchSet(name);
  return document;
};

const setView = ({ name, body }: Pick<StoredDocument<SetBody>, "name" | "body">): InputSet => ({
  name,
  client: body.client,
  ...(body.key && { key: body.key }),
  versions: body.versions.toReversed().map(versionView),
});

const versionView = (stored: SetVersion): InputSet["versions"][number] => {
  const { blob: _, at, ...version } = stored;
  return { ...version, at: isoTime(at) };
};

export const showSet = async (context: Sets, actor: Actor, name: string): Promise<InputSet> =>
  setView(await findSet(context, actor, name));

/** A page of the sets that the actor may see, by name. */
export const listSets = async (
  { ledger }: Pick<Sets, "ledger">,
  actor: Actor,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
): Promise<{ readonly sets: readonly InputSet[]; readonly next?: string | undefined }> => {
  const found = (await ledger.documents.list("input-set", {
    limit,
    ...(after !== undefined && { after }),
  })) as readonly StoredDocument<SetBody>[];
  return {
    sets: found.filter(({ body }) => mayRead(actor, body.client)).map(setView),
    next: found.length < limit ? undefined : found.at(-1)?.name,
  };
};

/** The stored rows of a version, the newest by default. */
export const findVersion = async (
  context: Pick<Sets, "ledger">,
  actor: Actor,
  name: string,
  version?: number,
): Promise<SetVersion & { readonly key?: readonly string[] }> => {
  const { body } = await findSet(context, actor, name);
  const found =
    version === undefined ? body.versions.at(-1) : body.versions.find((one) => one.version === version);
  if (!found)
    throw new Problem(
      "not-found",
      `${shown(name)}: there is no version ${version}. The newest is ${body.versions.at(-1)?.version}.`,
    );
  return { ...found, ...(body.key && { key: body.key }) };
};

/** How one version of a set differs from another. */
export const diffSet = async (
  context: Sets,
  actor: Actor,
  name: string,
  { from, to, examples: most = 10 }: SetDiffQuery,
): Promise<SetDiff> => {
  const { blobs } = context;
  const newer = await findVersion(context, actor, name, to);
  const older = await findVersion(context, actor, name, from ?? newer.version - 1);
  const { key } = newer;
  const [before, after] = [new DigestTable(), new DigestTable()];
  const examples = { added: [] as Row[], removed: [] as Row[], changed: [] as Row[] };
  const show = (kind: keyof typeof examples, row: Row): void => {
    if (examples[kind].length < most) examples[kind].push(row);
  };
  for await (const row of rowsOf(readList(blobs, older.blob)))
    before.add(nameOfRow(row, key), contentCheck(stableText(row)));
  let [added, changed] = [0, 0];
  for await (const row of rowsOf(readList(blobs, newer.blob))) {
    const rowName = nameOfRow(row, key);
    after.add(rowName);
    const content = before.get(rowName);
    if (content === undefined) {
      added++;
      show("added", row);
    } else if (content !== contentCheck(stableText(row))) {
      changed++;
      show("changed", row);
    }
  }
  const unchanged = after.size - added - changed;
  const removed = before.size - unchanged - changed;
  if (removed > 0)
    for await (const row of rowsOf(readList(blobs, older.blob))) {
      if (examples.removed.length >= Math.min(most, removed)) break;
      if (!after.has(nameOfRow(row, key))) show("removed", row);
    }
  return { from: older.version, to: newer.version, added, removed, changed, unchanged, examples };
};

async function* rowsOf(batches: AsyncIterable<readonly InputRow[]>): AsyncGenerator<Row> {
  for await (const batch of batches) for (const row of batch) if ("value" in row) yield row.value;
}

/** Removes all of its versions. Jobs that are still loading one of them lose it: finish or cancel them first. */
export const removeSet = async (context: Sets, actor: Actor, name: string): Promise<InputSet> => {
  const { ledger, blobs } = context;
  const document = await findSet(context, actor, name);
  const schedules = await ledger.documents.list("schedule", { limit: 1000 });
  const user = schedules.find(
    ({ body }) => (body as { inputsFrom?: { set?: string } }).inputsFrom?.set === name,
  );
  if (user)
    throw new Problem(
      "in-use",
      `${shown(name)}: schedule ${user.name} uses this set. Change or remove the schedule first.`,
    );
  const change = { kind: "input-set" as const, name, expected: document.revision, body: null };
  const reply = await ledger.documents.commit({ changes: [change] });
  if (!reply.committed)
    throw new Problem("changed-meanwhile", `${shown(name)}: the set was just changed. Try again.`);
  for (const { blob } of document.body.versions) await blobs.remove(blob);
  return setView(document);
};
