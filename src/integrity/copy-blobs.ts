import { createHash } from "node:crypto";
import type { Blobs } from "../ports/blobs.ts";
import { MigrateError } from "../ports/ledger-tables.ts";
import { isRewritten } from "./backup.ts";

export interface CopiedBlobs {
  objects: number;
  bytes: number;
  /** Of those objects, how many already existed. */
  kept: number;
  /** Of those objects, how many were read back and compared. */
  verified: number;
}

export interface CopyBlobsOptions {
  /** Reads every object back, not only a sample. */
  readonly verify?: boolean;
  readonly onProgress?: (
    copied: Readonly<CopiedBlobs>,
    of: { readonly objects: number; readonly bytes: number },
  ) => void;
}

/** Objects on the way at once: a store over a network answers slowly. */
const AT_ONCE = 8;
/** One in this many copied objects is read back. */
const SAMPLE = 20;

interface Listed {
  readonly name: string;
  readonly size: number;
  readonly isThere: boolean;
}

/** Copies an archive to another store while nothing writes to either. Existing objects of the same size are kept: run it again to continue. */
export const copyBlobs = async (
  source: Blobs,
  target: Blobs,
  { verify = false, onProgress }: CopyBlobsOptions = {},
): Promise<CopiedBlobs> => {
  const of = { objects: 0, bytes: 0 };
  for await (const { size } of compared(source, target)) {
    of.objects++;
    of.bytes += size;
  }
  const copied: CopiedBlobs = { objects: 0, bytes: 0, kept: 0, verified: 0 };
  const copyOne = async ({ name, size, isThere }: Listed, n: number): Promise<void> => {
    const isKept = isThere && !isRewritten(name);
    const digest = isKept ? undefined : await copyObject(source, target, name, size);
    if (verify || (!isKept && n % SAMPLE === 0)) {
      const own = digest ?? (await digestOf(source, name));
      if (own !== (await digestOf(target, name))) throw damaged(name);
      copied.verified++;
    }
    copied.objects++;
    copied.bytes += size;
    if (isKept) copied.kept++;
    onProgress?.(copied, of);
  };
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let n = 0;
  try {
    for await (const listed of compared(source, target)) {
      const one: Promise<void> = copyOne(listed, n++)
        .catch((error: unknown) => void failures.push(error))
        .finally(() => running.delete(one));
      running.add(one);
      if (running.size >= AT_ONCE) await Promise.race(running);
      if (failures.length > 0) break;
    }
  } finally {
    await Promise.all(running);
  }
  if (failures.length > 0) throw failures[0];
  return copied;
};

/** Both lists are ordered by name: neither is held in memory. */
async function* compared(source: Blobs, target: Blobs): AsyncGenerator<Listed> {
  const there = target.list("")[Symbol.asyncIterator]();
  let next = await there.next();
  const refuseOther = (): void => {
    if (next.done !== true)
      throw new MigrateError(
        "not-empty",
        `The target archive holds another object, ${next.value.name}. Nothing was overwritten. Name an empty folder or prefix.`,
      );
  };
  for await (const { name, size } of source.list("")) {
    if (next.done !== true && next.value.name < name) refuseOther();
    const isListed = next.done !== true && next.value.name === name;
    yield { name, size, isThere: isListed && next.value.size === size };
    if (isListed) next = await there.next();
  }
  refuseOther();
  await there.return?.();
}

const copyObject = async (source: Blobs, target: Blobs, name: string, size: number): Promise<string> => {
  const hash = createHash("sha256");
  const body = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of source.stream(name)) {
      hash.update(chunk);
      yield chunk;
    }
  };
  const put = await target.put(name, body());
  if (put.size !== size) throw damaged(name);
  return hash.digest("hex");
};

const digestOf = async (blobs: Blobs, name: string): Promise<string> => {
  const hash = createHash("sha256");
  for await (const chunk of blobs.stream(name)) hash.update(chunk);
  return hash.digest("hex");
};

const damaged = (name: string): MigrateError =>
  new MigrateError("differs", `${name}: the copy differs from the source. Run \`sluice migrate\` again.`);
