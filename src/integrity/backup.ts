import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { chmod, copyFile, mkdir, open, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ifFound } from "../archive/stored-bytes.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { Damage, LedgerCheck } from "../ports/ledger-check.ts";
import type { Ledger } from "../ports/ledger.ts";
import { Fsck } from "./fsck.ts";

/** The backend's part of a copy. */
export interface CopyTools {
  readonly ledgerFile: string;
  readonly copyLedger: (from: string, to: string) => Promise<void>;
  readonly look: (file: string) => Promise<() => LedgerCheck>;
  readonly openLedger: (file: string) => Promise<Ledger>;
  readonly openBlobs: (folder: string) => Promise<Blobs>;
  readonly onProgress?: (copied: Readonly<Copied>) => void;
}

export interface Copied {
  objects: number;
  bytes: number;
  /** Of those objects, how many already existed. */
  kept: number;
}

/** `backup.json`, written last: a folder that has it holds a complete backup. */
interface BackupMark {
  readonly id: string;
  /** When the ledger was copied. */
  readonly at: number;
  readonly objects: number;
  readonly bytes: number;
}

export class BackupError extends Error {
  readonly code: "not-a-backup" | "not-empty";
  constructor(code: BackupError["code"], message: string) {
    super(message);
    this.name = "BackupError";
    this.code = code;
  }
}

const MARK = "backup.json";
/** A job that is removed during the copy takes objects away that the copied ledger refers to: then the ledger is copied again. */
const TRIES = 3;

export interface BackupEnd extends BackupMark {
  readonly copied: Copied;
  readonly damage: readonly Damage[];
}

/**
 * Copies a data folder that may be in use, in an order that makes a kill at any moment harmless: upload marks, then the ledger, then the
 * objects, which never change. An upload mark older than the ledger only folds inputs again; a newer one would lose some. The previous
 * backup's ledger and mark are replaced last, so that it can be restored until then.
 */
export const backup = async (
  from: { readonly ledger: string; readonly blobs: Blobs },
  to: string,
  tools: CopyTools,
): Promise<BackupEnd> => {
  await refuseOther(to);
  await mkdir(to, { recursive: true, mode: 0o700 });
  await writeFile(join(to, `${MARK}.part`), "", { mode: 0o600 }); // identifies the folder if this is interrupted
  const source = from.blobs;
  const target = await tools.openBlobs(join(to, "blobs"));
  const part = join(to, `${tools.ledgerFile}.part`);
  for (let attempt = 1; ; attempt++) {
    const uploads = await readUploads(source);
    const at = Date.now();
    await tools.copyLedger(from.ledger, part);
    const seen = new Set<string>(uploads.keys());
    const copied = await copyObjects(source, target, tools.onProgress, (name) => {
      if (UPLOAD.test(name)) return false;
      seen.add(name);
      return true;
    });
    const damage = await verify(tools, part, target);
    if (attempt < TRIES && damage.some(({ code }) => code === "missing")) continue;
    await rename(part, join(to, tools.ledgerFile));
    await syncFolder(to);
    for (const [name, bytes] of uploads) await target.put(name, bytes);
    const mark: BackupMark = { id: randomUUID(), at, objects: copied.objects, bytes: copied.bytes };
    await writeMark(join(to, MARK), mark);
    for await (const { name } of target.list("")) if (!seen.has(name)) await target.remove(name);
    return { ...mark, copied, damage };
  }
};

/** Into an empty folder, or one in which the same restore was interrupted. The ledger comes last: without it, it is not a data folder. */
export const restore = async (
  from: string,
  data: string,
  tools: CopyTools & { readonly restoringFile: string },
): Promise<BackupEnd> => {
  const mark = await readMark(from);
  if (!mark)
    throw new BackupError(
      "not-a-backup",
      `${from}: this folder has no complete backup. Name a folder written by \`sluice backup\`; to finish an interrupted backup, run it again.`,
    );
  const restoring = join(data, tools.restoringFile);
  const before = await readFile(restoring, "utf8").catch(() => undefined);
  const isEmpty = (await namesIn(data)).length === 0;
  if (!isEmpty && before !== mark.id)
    throw new BackupError(
      "not-empty",
      `${data}: the folder is not empty, and restore does not overwrite files. Choose an empty folder with --data DIR.`,
    );
  await mkdir(data, { recursive: true, mode: 0o700 });
  await writeFile(restoring, mark.id, { flush: true, mode: 0o600 });
  const source = await tools.openBlobs(join(from, "blobs"));
  const target = await tools.openBlobs(join(data, "blobs"));
  const copied = await copyObjects(source, target, tools.onProgress);
  const part = join(data, `${tools.ledgerFile}.part`);
  await copyFile(join(from, tools.ledgerFile), part, constants.COPYFILE_FICLONE);
  await chmod(part, 0o600);
  await syncFile(part);
  const damage = await verify(tools, part, target);
  await rename(part, join(data, tools.ledgerFile));
  await syncFolder(data);
  await rm(restoring);
  return { ...mark, copied, damage };
};

const UPLOAD = /^jobs\/[^/]+\/upload\.json$/;
/** All other objects are put once and never change. */
export const isRewritten = (name: string): boolean =>
  /\/(manifest\.jsonl|manifest-mark\.json|chosen\.json|upload\.json|job\.json)$|^service\/(?!datasets\/)/.test(
    name,
  );

const readUploads = async (blobs: Blobs): Promise<Map<string, Uint8Array>> => {
  const uploads = new Map<string, Uint8Array>();
  for await (const { name } of blobs.list("jobs/"))
    if (UPLOAD.test(name)) {
      const bytes = await ifFound(blobs.get(name));
      if (bytes) uploads.set(name, bytes);
    }
  return uploads;
};

const copyObjects = async (
  source: Blobs,
  target: Blobs,
  onProgress: CopyTools["onProgress"],
  isWanted: (name: string) => boolean = () => true,
): Promise<Copied> => {
  const copied: Copied = { objects: 0, bytes: 0, kept: 0 };
  const there = target.list("")[Symbol.asyncIterator]();
  let next = await there.next();
  // Both lists are ordered by name: neither is held in memory.
  for await (const { name, size } of source.list("")) {
    while (next.done !== true && next.value.name < name) next = await there.next();
    const isSame = next.done !== true && next.value.name === name && next.value.size === size;
    if (!isWanted(name)) continue;
    const isKept = isSame && !isRewritten(name);
    if (!isKept && !(await ifFound(target.put(name, source.stream(name))))) continue;
    copied.objects++;
    copied.bytes += size;
    if (isKept) copied.kept++;
    onProgress?.(copied);
  }
  await there.return?.();
  return copied;
};

const verify = async (tools: CopyTools, file: string, blobs: Blobs): Promise<Damage[]> => {
  const look = await tools.look(file);
  return await Array.fromAsync(new Fsck({ look, blobs, openLedger: () => tools.openLedger(file) }).run());
};

const refuseOther = async (to: string): Promise<void> => {
  const names = await namesIn(to);
  if (names.length > 0 && !names.includes(MARK) && !names.includes(`${MARK}.part`))
    throw new BackupError(
      "not-empty",
      `${to}: this folder has other files. Choose an empty one, or one with an earlier backup.`,
    );
};

const namesIn = async (folder: string): Promise<readonly string[]> =>
  await readdir(folder).catch((): string[] => []);

const readMark = async (from: string): Promise<BackupMark | undefined> => {
  const text = await readFile(join(from, MARK), "utf8").catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as BackupMark);
};

const writeMark = async (file: string, mark: BackupMark): Promise<void> => {
  await writeFile(`${file}.part`, `${JSON.stringify(mark, undefined, 2)}\n`, { flush: true, mode: 0o600 });
  await rename(`${file}.part`, file);
};

const syncFile = async (path: string, flags = "r+"): Promise<void> => {
  await using file = await open(path, flags);
  await file.sync();
};

const syncFolder = (path: string): Promise<void> => syncFile(path, "r");
