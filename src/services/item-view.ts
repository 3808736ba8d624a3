import { isPacked } from "../archive/read-capture.ts";
import type { CaptureRef } from "../domain/capture.ts";
import type { Failure } from "../domain/failure.ts";
import { isoTime } from "../domain/iso-time.ts";
import type { ItemView } from "../domain/item.ts";
import { withoutPlaces } from "../domain/record.ts";
import type { Capture, Item } from "../schemas/item.ts";
import { itemId } from "./items.ts";

export const captureView = (ref: CaptureRef, number: number): Capture => ({
  number,
  name: ref.name,
  url: ref.url,
  mediaType: ref.mediaType,
  digest: ref.digest,
  storedBytes: ref.length,
  isFile: !isPacked(ref),
});

const failureView = (failure: Failure): Failure => ({ ...failure, detail: withoutPlaces(failure.detail) });

/** The worker's name stays out: it shows which machines there are. The log has it. */
const attemptView = <Attempt extends { readonly at: number; readonly worker: string }>(attempt: Attempt) => {
  const { worker: _worker, at, ...rest } = attempt;
  return { ...rest, at: isoTime(at) };
};

export const itemView = (item: ItemView, now: number): Item => ({
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
  ...(item.failure && { failure: failureView(item.failure) }),
  history: item.history.map((past) => ({ ...attemptView(past), failure: failureView(past.failure) })),
  ...(item.lastAttempt && { lastAttempt: attemptView(item.lastAttempt) }),
  captures: item.captures.map(captureView),
});
