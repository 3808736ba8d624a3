import { BlobError, type Blobs, jobOfBlob, removeAll } from "../ports/blobs.ts";
import { joinPacks } from "./join-packs.ts";
import {
  mayBePacked,
  mayHoldPacked,
  type Pack,
  type PackDirectory,
  PackDirectories,
  type PackedPart,
  packName,
} from "./packs.ts";
import { ReadAhead } from "./read-ahead.ts";
import { chunksOf } from "./stored-bytes.ts";

/** A segment may move while it is looked for: out of its pack, and into a joined one. */
const ROUNDS = 3;

type Listed = { readonly name: string; readonly size: number };

/** Blobs whose segments may be in packs (see `packs.ts`): they are read, listed and removed by their own names. */
export const packedBlobs = (store: Blobs): Blobs => {
  const directories = new PackDirectories(store);
  const ahead = new ReadAhead(store);

  /** With the segment's pack, or undefined for a separate object. */
  const withPart = async <T>(
    name: string,
    read: (part: PackedPart | undefined) => Promise<T>,
  ): Promise<T> => {
    if (!mayBePacked(name)) return await read(undefined);
    for (let round = 1; ; round++) {
      try {
        return await read(await directories.find(name, round > 1));
      } catch (error) {
        if (!isMissing(error)) throw error;
        if (round === ROUNDS) throw new BlobError("not-found", name, `no blob ${name}`, { cause: error });
      }
    }
  };

  const get: Blobs["get"] = (name, range) =>
    withPart(name, async (part) => {
      if (!part) return await store.get(name, range);
      const { offset = 0, length = part.size } = range ?? {};
      const wanted = Math.max(0, Math.min(length, part.size - offset));
      const place = { offset: part.offset + offset, length: wanted };
      return await (part.isJoined ? ahead : store).get(part.object, place);
    });

  async function* listJob(job: string, prefix: string): AsyncGenerator<Listed> {
    const directory = await directories.of(job, true);
    const packed = directory
      .names()
      .filter(({ name }) => name.startsWith(prefix))
      .values();
    let next = packed.next();
    for await (const object of store.list(prefix)) {
      if (directory.hidden.has(object.name)) continue;
      for (; !next.done && next.value.name <= object.name; next = packed.next())
        if (next.value.name < object.name) yield sized(next.value);
      yield object;
    }
    for (; !next.done; next = packed.next()) yield sized(next.value);
  }

  const removeMany = async (names: readonly string[]): Promise<void> => {
    for (const [job, own] of Map.groupBy(names.filter(mayBePacked), (name) => jobOfBlob(name)))
      if (job !== undefined) await removeParts(job, new Set(own));
    await removeAll(store, names);
  };

  /** Until none is left: a join that has read a pack before it was removed has stored its segments again. */
  const removeParts = async (job: string, names: ReadonlySet<string>): Promise<void> => {
    for (;;) {
      const directory = await directories.of(job, true);
      const packs = directory.packs.filter(({ parts }) => parts.some(({ name }) => names.has(name)));
      if (packs.length === 0) return;
      try {
        for (const pack of packs) await unpack(pack, names);
        await removePacks(directory, packs);
      } catch (error) {
        if (!isMissing(error)) throw error; // it was joined meanwhile
      }
    }
  };

  /** What stays becomes a separate object. */
  const unpack = async ({ object, parts }: Pack, removed: ReadonlySet<string>): Promise<void> => {
    for (const { name, offset, size } of parts)
      if (!removed.has(name)) await store.put(name, await store.get(object, { offset, length: size }));
  };

  const removePacks = async (directory: PackDirectory, packs: readonly Pack[]): Promise<void> => {
    const gone = new Set(packs.map(({ object }) => object));
    const needed = new Set(
      directory.packs.flatMap(({ object, map }) => (gone.has(object) ? [] : (map ?? []))),
    );
    const maps = new Set(packs.flatMap(({ map }) => (map === undefined || needed.has(map) ? [] : map)));
    await removeAll(store, [...gone]);
    await removeAll(store, [...maps]);
  };

  return {
    ...store,
    get,
    async put(name, body) {
      const stored = await store.put(name, body);
      const job = jobOfBlob(name);
      // Only a repair puts what is in a pack.
      if (job !== undefined && mayBePacked(name) && (await directories.find(name, false)))
        await removeParts(job, new Set([name]));
      return stored;
    },
    async putTogether(parts) {
      const sized = parts.map(({ name, chunks }) => ({
        name,
        size: chunks.reduce((sum, chunk) => sum + chunk.length, 0),
      }));
      const pack = parts.length > 1 ? packName(sized) : undefined;
      if (pack !== undefined) await store.put(pack, chunksOf(parts.flatMap(({ chunks }) => chunks)));
      else await Promise.all(parts.map(({ name, chunks }) => store.put(name, chunksOf(chunks))));
    },
    async *stream(name) {
      if (!mayBePacked(name) || !(await directories.find(name, false))) {
        const own = store.stream(name)[Symbol.asyncIterator]();
        const first = await own.next().catch(missing);
        if (first) {
          for (let next = first; !next.done; next = await own.next()) yield next.value;
          return;
        }
        if (!mayBePacked(name)) throw new BlobError("not-found", name, `no blob ${name}`);
      }
      const bytes = await get(name);
      if (bytes.length > 0) yield bytes;
    },
    async *list(prefix) {
      const job = jobOfBlob(prefix);
      if (!mayHoldPacked(prefix)) return yield* store.list(prefix);
      if (job !== undefined) return yield* listJob(job, prefix);
      let last: string | undefined;
      for await (const object of store.list(prefix)) {
        const own = jobOfBlob(object.name);
        if (own === undefined) yield object;
        else if (own !== last) yield* listJob((last = own), prefix);
      }
    },
    remove: (name) => removeMany([name]),
    removeMany,
    async join(job, options) {
      const joined = await joinPacks(store, job, options);
      if (joined.segments > 0) await directories.of(job, true);
      return joined;
    },
  };
};

const sized = ({ name, size }: PackedPart): Listed => ({ name, size });

const isMissing = (error: unknown): boolean => error instanceof BlobError && error.code === "not-found";

const missing = (error: unknown): undefined => {
  if (!isMissing(error)) throw error;
};
