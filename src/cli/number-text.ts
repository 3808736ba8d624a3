/** `1,234,567`, the same in every locale. */
export const countText = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ",");

/** `1 item`, `1,234 items`. */
export const counted = (count: number, noun: string): string =>
  `${countText(count)} ${noun}${count === 1 ? "" : "s"}`;

/** One digit after the point; what is not all, or not nothing, is never rounded to it. */
export const percentText = (part: number, whole: number): string => {
  if (whole === 0) return "–";
  const percent = (part / whole) * 100;
  if (part > 0 && percent < 0.1) return "<0.1%";
  if (part < whole && percent > 99.9) return ">99.9%";
  return `${percent.toFixed(1)}%`;
};

const UNITS = ["kB", "MB", "GB", "TB"];

export const bytesText = (bytes: number): string => {
  let size = bytes;
  let unit = "bytes";
  for (const next of UNITS) {
    if (size < 1000) break;
    size /= 1000;
    unit = next;
  }
  return unit === "bytes" ? `${bytes} ${bytes === 1 ? "byte" : unit}` : `${size.toFixed(1)} ${unit}`;
};

/** `0.25/s`, `3.1/s`, `133/s`. */
export const rateText = (perSecond: number): string => {
  if (!Number.isFinite(perSecond)) return "as fast as it answers";
  const digits = perSecond >= 10 ? 0 : perSecond >= 1 ? 1 : 2;
  return `${countText(Number(perSecond.toFixed(digits)))}/s`;
};
