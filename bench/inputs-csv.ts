import { writeFileSync } from "node:fs";

/** Odd, so that multiplying by it modulo a power of two visits every number once, in no order that an index would like. */
const STRIDE = 2_654_435_761;

/** `count` distinct parcel numbers under a header line, in scattered or in rising order. */
export const writeInputs = (file: string, count: number, order: "scattered" | "rising"): void => {
  const bits = Math.ceil(Math.log2(count));
  const mask = 2 ** bits - 1;
  const lines = ["parcel"];
  for (let n = 0; lines.length <= count; n++) {
    const parcel = order === "rising" ? n : (Math.imul(n, STRIDE) & mask) >>> 0;
    if (parcel < count) lines.push(String(parcel).padStart(7, "0"));
  }
  writeFileSync(file, `${lines.join("\n")}\n`);
};
