import { parentPort, workerData } from "node:worker_threads";
import { decodeEntries, type EntryBatch } from "./entry-batch.ts";
import { type Packed, packSegment, type SegmentPacking } from "./pack-segment.ts";
import type { SegmentInfo } from "./warc-record.ts";

export type PackerCall =
  | { readonly verb: "add"; readonly segment: SegmentInfo; readonly batch: EntryBatch }
  | { readonly verb: "finish"; readonly segment: SegmentInfo };

export type PackerReply =
  | { readonly packed: Packed }
  | { readonly index: Uint8Array }
  | { readonly error: unknown };

const { level }: { readonly level: number } = workerData;
const open = new Map<string, SegmentPacking>();

const answer = (call: PackerCall): PackerReply => {
  const packing = open.get(call.segment.name) ?? packSegment(call.segment, level);
  switch (call.verb) {
    case "add":
      open.set(call.segment.name, packing);
      return { packed: packing.add(decodeEntries(call.batch)) };
    case "finish":
      open.delete(call.segment.name);
      return { index: packing.index() };
    default:
      return call satisfies never;
  }
};

/** Calls are answered in the order in which they came. */
parentPort?.on("message", (call: PackerCall) => {
  let reply: PackerReply;
  try {
    reply = answer(call);
  } catch (error) {
    reply = { error };
  }
  parentPort?.postMessage(reply, "packed" in reply ? [reply.packed.bytes.buffer] : []);
});
