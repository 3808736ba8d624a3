import { randomBytes } from "node:crypto";
import { type Blobs, removeAll } from "../ports/blobs.ts";
import {
  type JoinedMap,
  type KindLetter,
  type KnownMaps,
  type PackDirectory,
  KINDS,
  letterOf,
  type Pack,
  packsPrefix,
  readDirectory,
} from "./packs.ts";
import { ArchiveError, chunksOf, sealJson } from "./stored-bytes.ts";

export interface JoinOptions {
  /** Fewer packs than this are left as they are. */
  readonly least?: number;
  readonly signal?: AbortSignal;
}

export interface Joined {
  readonly segments: number;
  readonly bytes: number;
}

const MB = 1024 * 1024;
const JOINED_BYTES = 64 * MB;
const MOST_PACKS = 1000;
const LEAST = 16;

/**
 * Joins a job's packs. A pack is removed when its segments are durable elsewhere, with their map. Can be repeated after a crash; several at
 * once, and a removal at the same time, leave at worst a segment twice.
 */
export const joinPacks = async (
  store: Blobs,
  job: string,
  { least = LEAST, signal }: JoinOptions = {},
): Promise<Joined> => {
  const look = (): Promise<PackDirectory> => readDirectory(store, job, maps);
  const maps: KnownMaps = new Map();
  const { packs } = await look();
  const small = packs.filter(({ map }) => map === undefined);
  let joined: Joined = { segments: 0, bytes: 0 };
  for (const batch of batchesOf(small)) {
    if (batch.length < least || signal?.aborted) break;
    await joinBatch(store, job, batch, look);
    joined = {
      segments: joined.segments + batch.length,
      bytes: joined.bytes + batch.reduce((sum, { size }) => sum + size, 0),
    };
  }
  return joined;
};

function* batchesOf(packs: readonly Pack[]): Generator<readonly Pack[]> {
  let batch: Pack[] = [];
  let bytes = 0;
  for (const pack of packs) {
    batch.push(pack);
    bytes += pack.size;
    if (bytes < JOINED_BYTES && batch.length < MOST_PACKS) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

const joinBatch = async (
  store: Blobs,
  job: string,
  batch: readonly Pack[],
  look: () => Promise<PackDirectory>,
): Promise<void> => {
  const stem = `${packsPrefix(job)}joined-${randomBytes(8).toString("hex")}`;
  const parts = batch.flatMap((pack) => pack.parts);
  const ofKind = (letter: KindLetter) => parts.filter(({ name }) => letterOf(name) === letter);
  const objectOf = (letter: KindLetter): string => `${stem}${KINDS[letter].joined}`;
  const others: Record<Exclude<KindLetter, "c">, Uint8Array[]> = { i: [], r: [], s: [] };

  /** Reads each pack once: captures are passed on as they arrive, the rest is small. */
  async function* captures(): AsyncGenerator<Uint8Array> {
    for (const { object, size, parts: own } of batch) {
      const bytes = await store.get(object);
      const expected = own.reduce((sum, part) => sum + part.size, 0);
      if (bytes.length !== expected || size !== expected)
        throw new ArchiveError(object, `${object} is damaged: it has ${bytes.length} of ${expected} bytes`);
      for (const part of own) {
        const letter = letterOf(part.name)!;
        const segment = bytes.subarray(part.offset, part.offset + part.size);
        if (letter === "c") yield segment;
        else others[letter].push(Buffer.from(segment));
      }
    }
  }

  const written: string[] = [];
  if (ofKind("c").length > 0) {
    await store.put(objectOf("c"), captures());
    written.push(objectOf("c"));
  } else for await (const _ of captures());
  for (const letter of ["i", "r", "s"] as const)
    if (others[letter].length > 0) {
      await store.put(objectOf(letter), chunksOf(others[letter]));
      written.push(objectOf(letter));
    }
  const letters = (Object.keys(KINDS) as KindLetter[]).filter((letter) => ofKind(letter).length > 0);
  const objects = letters.map((letter) => [
    objectOf(letter),
    ofKind(letter).map(({ name, size }) => [name, size]),
  ]);
  await store.put(`${stem}.json`, sealJson({ objects: Object.fromEntries(objects) } satisfies JoinedMap));

  // Checked after writing: what was removed in between has not been seen in the new objects.
  const now = await look();
  const isThere = batch.every(({ object }) => now.hidden.has(object));
  await removeAll(store, isThere ? batch.map(({ object }) => object) : [...written, `${stem}.json`]);
};
