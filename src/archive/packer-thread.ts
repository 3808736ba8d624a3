import { parentPort, workerData } from "node:worker_threads";
import { decodeEntries, type EntryBatch } from "./packer.ts";
import { type Packed, packSegment, type SegmentPacking } from "./pack-segment.ts";
import type { SegmentInfo } from "./warc-record.ts";

export type PackerCall =
  | { readonly verb: "add"; readonly segment: SegmentInfo; readonly batch: EntryBatch }
  | { readonly verb: "finish"; readonly segment: SegmentInfo };

export type PackerReply =
  | { readonly packed: Packed }
  | { readonly index: Uint8Array }
  | { readonly error: unknown };

export interface PackerData {
  readonly level: number;
  /** The parent process, without which this one has no work. */
  readonly parent?: number;
}

const { level, parent } = workerData as PackerData;
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

/** Calls are answered in order. */
parentPort?.on("message", (call: PackerCall) => {
  let reply: PackerReply;
  try {
    reply = answer(call);
  } catch (error) {
    reply = { error };
  }
  parentPort?.postMessage(reply, "packed" in reply ? [reply.packed.bytes.buffer] : []);
});

const ORPHAN_LOOK_MS = 2000;
/** Checks that leave time for an orderly end. */
const ORPHAN_LOOKS = 5;
let looksAlone = 0;
/** If the main thread is in an endless loop, it cannot notice that the parent is gone, and nothing else would end it. */
if (parent !== undefined)
  setInterval(() => {
    looksAlone = process.ppid === parent ? 0 : looksAlone + 1;
    if (looksAlone >= ORPHAN_LOOKS) process.kill(process.pid, "SIGKILL");
  }, ORPHAN_LOOK_MS).unref();
