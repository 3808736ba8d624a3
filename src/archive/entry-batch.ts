import type { Exchange } from "../domain/capture.ts";
import type { Entry } from "./pack-segment.ts";
import type { StoredFile } from "./warc-record.ts";

/**
 * Entries on their way to another thread: all bodies in one buffer that is handed over, everything else as one JSON text.
 * A structured clone of the same headers costs the sender several times as much.
 */
export interface EntryBatch {
  readonly heads: string;
  readonly bodies: Uint8Array<ArrayBuffer>;
}

type Head = Omit<Exchange, "body" | "requestBody"> & {
  readonly requestLength?: number;
  readonly bodyLength?: number;
};
type Sent = { readonly head: Head; readonly stored?: StoredFile };

const requestBodyOf = (entry: Entry): Uint8Array | undefined => entry.exchange.requestBody;
const bodyOf = (entry: Entry): Uint8Array | undefined =>
  "stored" in entry ? undefined : entry.exchange.body;

export const entryLength = (entry: Entry): number =>
  (requestBodyOf(entry)?.length ?? 0) + (bodyOf(entry)?.length ?? 0);

export const encodeEntries = (entries: readonly Entry[]): EntryBatch => {
  const bodies = new Uint8Array(entries.reduce((sum, entry) => sum + entryLength(entry), 0));
  let at = 0;
  const append = (bytes: Uint8Array | undefined): number | undefined => {
    if (bytes === undefined) return undefined;
    bodies.set(bytes, at);
    at += bytes.length;
    return bytes.length;
  };
  const sent = entries.map((entry) => {
    const { exchange } = entry;
    const note = "stored" in entry ? { stored: entry.stored } : {};
    const requestLength = append(requestBodyOf(entry));
    const bodyLength = append(bodyOf(entry));
    return {
      head: { ...exchange, requestBody: undefined, body: undefined, requestLength, bodyLength },
      ...note,
    };
  });
  return { heads: JSON.stringify(sent), bodies };
};

export const decodeEntries = ({ heads, bodies }: EntryBatch): Entry[] => {
  const sent: Sent[] = JSON.parse(heads);
  let at = 0;
  const take = (length: number): Uint8Array => bodies.subarray(at, (at += length));
  return sent.map(({ head: { requestLength, bodyLength, ...rest }, stored }) => {
    const head = requestLength === undefined ? rest : { ...rest, requestBody: take(requestLength) };
    return stored === undefined
      ? { exchange: { ...head, body: take(bodyLength ?? 0) } }
      : { exchange: head, stored };
  });
};
