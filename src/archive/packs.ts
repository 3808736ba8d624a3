import { type Blobs, jobOfBlob } from "../ports/blobs.ts";
import { ArchiveError, ifFound, openSealedJson } from "./stored-bytes.ts";

/**
 * If every write costs money, the segments of a group are one object, a pack, and packs are later joined: the same kinds of segments of many
 * groups, one after another. Segments keep their names and bytes; only `packedBlobs` knows where they are.
 * - `jobs/JOB/packs/GROUP.c9000.i800.r3000.s700-DIGEST`: captures, index, records and outcomes of a group. The name has their lengths.
 * - `jobs/JOB/packs/joined-ID.json`: what `joined-ID.warc.gz` and the other objects of that name hold.
 */
export interface PackedPart {
  readonly name: string;
  readonly object: string;
  readonly offset: number;
  readonly size: number;
  /** In an object with segments of the same kind. */
  readonly isJoined?: true;
}

interface Kind {
  readonly folder: string;
  readonly suffix: string;
  /** Of the joined object. */
  readonly joined: string;
}

export type KindLetter = "c" | "i" | "r" | "s";

/** In the order of their bytes in a pack. */
export const KINDS: Readonly<Record<KindLetter, Kind>> = {
  c: { folder: "captures", suffix: ".warc.gz", joined: ".warc.gz" },
  i: { folder: "captures", suffix: ".warc.gz.cdxj", joined: ".cdxj" },
  r: { folder: "records", suffix: ".jsonl", joined: ".jsonl" },
  s: { folder: "settled", suffix: ".jsonl.gz", joined: ".settled.jsonl.gz" },
};
const LETTERS = Object.keys(KINDS) as KindLetter[];

const SEGMENT =
  /^jobs\/([^/]+)\/(captures|records|settled)\/([0-9a-f]+-\d+)(-[0-9a-f]{16})?(\.warc\.gz|\.warc\.gz\.cdxj|\.jsonl|\.jsonl\.gz)$/;
const PACK = /^jobs\/([^/]+)\/packs\/([0-9a-f]+-\d+)((?:\.[cirs]\d+(?:-[0-9a-f]{16})?)+)$/;
const MAP = /^jobs\/[^/]+\/packs\/joined-[0-9a-f]+\.json$/;

export const packsPrefix = (job: string): string => `jobs/${job}/packs/`;

export const mayBePacked = (name: string): boolean => SEGMENT.test(name);

/** Whether names that begin so may be of packed segments, or of packs. */
export const mayHoldPacked = (prefix: string): boolean => {
  const [top, job, folder, ...deeper] = prefix.split("/");
  if (job === undefined) return "jobs".startsWith(top!);
  if (top !== "jobs" || folder === undefined) return top === "jobs";
  return FOLDERS.some((one) => (deeper.length > 0 ? one === folder : one.startsWith(folder)));
};

const FOLDERS = ["captures", "records", "settled", "packs"];

interface Segment {
  readonly job: string;
  readonly group: string;
  readonly letter: KindLetter;
  readonly digest: string;
}

const parseSegment = (name: string): Segment | undefined => {
  const [, job, folder, group, digest = "", suffix] = SEGMENT.exec(name) ?? [];
  const letter = LETTERS.find((one) => KINDS[one].folder === folder && KINDS[one].suffix === suffix);
  return job !== undefined && group !== undefined && letter ? { job, group, letter, digest } : undefined;
};

export const letterOf = (name: string): KindLetter | undefined => parseSegment(name)?.letter;

/** The name of a pack of these segments, in their order; undefined if they are not the segments of one group. */
export const packName = (
  parts: readonly { readonly name: string; readonly size: number }[],
): string | undefined => {
  const segments = parts.map(({ name }) => parseSegment(name));
  const [first] = segments;
  const order = segments.map((segment) => (segment ? LETTERS.indexOf(segment.letter) : -1));
  const isGroup =
    first !== undefined &&
    segments.every((one) => one?.job === first.job && one.group === first.group) &&
    order.every((at, n) => at > (order[n - 1] ?? -1));
  if (!isGroup) return undefined;
  const sizes = segments.map((segment, n) => `.${segment!.letter}${parts[n]!.size}${segment!.digest}`);
  return `${packsPrefix(first.job)}${first.group}${sizes.join("")}`;
};

/** Undefined if it is not the name of a group's pack. */
export const partsOfPack = (object: string): readonly PackedPart[] | undefined => {
  const [, job, group, sizes] = PACK.exec(object) ?? [];
  if (sizes === undefined) return undefined;
  let offset = 0;
  return sizes
    .slice(1)
    .split(".")
    .map((text) => {
      const { folder, suffix } = KINDS[text[0] as KindLetter];
      const [length, digest] = text.slice(1).split("-");
      const size = Number(length);
      const part = {
        name: `jobs/${job}/${folder}/${group}${digest === undefined ? "" : `-${digest}`}${suffix}`,
        object,
        offset,
        size,
      };
      offset += size;
      return part;
    });
};

/** `joined-ID.json`: names and sizes of the segments in each of the objects, in the order of their bytes. */
export interface JoinedMap {
  readonly objects: Readonly<Record<string, readonly (readonly [name: string, size: number])[]>>;
}

const partsOfMap = ({ objects }: JoinedMap): ReadonlyMap<string, readonly PackedPart[]> =>
  new Map(
    Object.entries(objects).map(([object, parts]) => {
      let offset = 0;
      const placed = parts.map(([name, size]) => {
        const part = { name, object, offset, size, isJoined: true } as const;
        offset += size;
        return part;
      });
      return [object, placed];
    }),
  );

/** An object with segments, and the map that names them if the object's own name does not. */
export interface Pack {
  readonly object: string;
  readonly map?: string;
  readonly size: number;
  readonly parts: readonly PackedPart[];
}

/** The packs of a job as they were listed. */
export class PackDirectory {
  readonly packs: readonly Pack[];
  /** Objects and maps that are not separate blobs. */
  readonly hidden: ReadonlySet<string>;
  readonly #parts: ReadonlyMap<string, PackedPart>;

  constructor(packs: readonly Pack[]) {
    this.packs = packs;
    this.hidden = new Set(packs.flatMap(({ object, map }) => (map === undefined ? object : [object, map])));
    this.#parts = new Map(packs.flatMap(({ parts }) => parts.map((part) => [part.name, part] as const)));
  }

  get(name: string): PackedPart | undefined {
    return this.#parts.get(name);
  }

  /** In byte order of name. */
  names(): readonly PackedPart[] {
    return [...this.#parts.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

/** Maps never change: each is read once. */
export type KnownMaps = Map<string, ReadonlyMap<string, readonly PackedPart[]>>;

/** An object that no map names is left out: its join did not end. */
export const readDirectory = async (
  store: Blobs,
  job: string,
  known: KnownMaps = new Map(),
): Promise<PackDirectory> => {
  const packs: Pack[] = [];
  const sizes = new Map<string, number>();
  for await (const { name: object, size } of store.list(packsPrefix(job))) {
    const parts = partsOfPack(object);
    if (parts) packs.push({ object, size, parts });
    else sizes.set(object, size);
  }
  for (const map of [...sizes.keys()].filter((name) => MAP.test(name))) {
    const read = known.get(map) ?? (await readMap(store, map));
    if (!read) continue; // removed meanwhile
    known.set(map, read);
    for (const [object, parts] of read) {
      const size = sizes.get(object);
      if (size !== undefined) packs.push({ object, map, size, parts });
    }
  }
  return new PackDirectory(packs);
};

const readMap = async (
  store: Blobs,
  map: string,
): Promise<ReadonlyMap<string, readonly PackedPart[]> | undefined> => {
  const bytes = await ifFound(store.get(map));
  try {
    return bytes && partsOfMap(openSealedJson<JoinedMap>(bytes));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ArchiveError(map, `${map} is damaged: ${error.message}. Restore it from a backup.`);
  }
};

/** The packs' directories of the jobs that were read last. */
export class PackDirectories {
  readonly #store: Blobs;
  readonly #kept = new Map<string, { directory: Promise<PackDirectory>; readonly maps: KnownMaps }>();

  constructor(store: Blobs) {
    this.#store = store;
  }

  /** `isFresh`: listed now, and not before. */
  of(job: string, isFresh: boolean): Promise<PackDirectory> {
    const known = this.#kept.get(job);
    this.#kept.delete(job);
    if (known && !isFresh) {
      this.#kept.set(job, known);
      return known.directory;
    }
    const maps: KnownMaps = known?.maps ?? new Map();
    const directory = readDirectory(this.#store, job, maps);
    directory.catch(() => this.#kept.delete(job));
    this.#kept.set(job, { directory, maps });
    if (this.#kept.size > MOST_KEPT) this.#kept.delete(this.#kept.keys().next().value!);
    return directory;
  }

  /** The job of this segment; undefined if it is not a segment of a job. */
  async find(name: string, isFresh: boolean): Promise<PackedPart | undefined> {
    const job = jobOfBlob(name);
    return job === undefined ? undefined : (await this.of(job, isFresh)).get(name);
  }
}

const MOST_KEPT = 32;
