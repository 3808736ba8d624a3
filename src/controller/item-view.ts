import { isPacked } from "../archive/read-capture.ts";
import type { CaptureRef } from "../model/capture.ts";
import type { ItemRef, ItemView } from "../model/item.ts";
import { isoTime } from "./iso-time.ts";
import type { ApiCapture } from "./schemas/capture.ts";
import type { ApiItem } from "./schemas/item.ts";

export const itemId = ({ queue, seq }: ItemRef): string => `${queue}-${seq}`;

/** Undefined for what is no item's id. */
export const itemRef = (id: string): ItemRef | undefined => {
  const [, queue, seq] = /^(\d{1,15})-(\d{1,15})$/.exec(id) ?? [];
  return queue === undefined || seq === undefined ? undefined : { queue: Number(queue), seq: Number(seq) };
};

export const captureView = (ref: CaptureRef, number: number): ApiCapture => ({
  number,
  name: ref.name,
  url: ref.url,
  mediaType: ref.mediaType,
  digest: ref.digest,
  storedBytes: ref.length,
  isFile: !isPacked(ref),
});

export const itemView = (item: ItemView, now: number): ApiItem => ({
  id: itemId(item.ref),
  key: item.key,
  scraper: item.scraper,
  lane: item.lane,
  state: item.state,
  ...(item.skipped && { reason: item.skipped.reason }),
  ...(item.quality && { quality: item.quality }),
  ...(item.version !== undefined && { version: item.version }),
  ...(item.change && { change: item.change }),
  input: item.input,
  ...(item.parent !== undefined && { parent: item.parent }),
  depth: item.depth,
  attempts: item.attempts,
  ...(item.dueInMs !== undefined && { dueAt: isoTime(now + item.dueInMs) }),
  ...(item.endedAt !== undefined && { endedAt: isoTime(item.endedAt) }),
  ...(item.failure && { failure: item.failure }),
  history: item.history.map((past) => ({ ...past, at: isoTime(past.at) })),
  ...(item.lastAttempt && {
    lastAttempt: { ...item.lastAttempt, at: isoTime(item.lastAttempt.at) },
  }),
  captures: item.captures.map(captureView),
});
