import type { FieldKind } from "./column.ts";

/** Whether what was read is what the cell says, leaving to the reader what a reader may choose. */
export const isSameValue = (kind: FieldKind, truth: unknown, read: unknown): boolean => {
  switch (kind) {
    case "number":
    case "money":
    case "percent":
      return typeof read === "number" && Math.abs(read - Number(truth)) < 1e-9 * Math.max(1, Math.abs(read));
    case "date":
      // A time of day may follow.
      return typeof read === "string" && read.startsWith(String(truth));
    case "phone":
      // RFC 3966 appends the extension; the number itself must be whole.
      return typeof read === "string" && read.replace(/(?:;ext=| ext\.? ?).*$/, "") === truth;
    case "email":
      return typeof read === "string" && read.toLowerCase() === String(truth).toLowerCase();
    case "url":
      return typeof read === "string" && withoutScheme(read) === withoutScheme(String(truth));
    case "list":
      return JSON.stringify(read) === JSON.stringify(truth);
    case "text":
      return typeof read === "string" && folded(read) === folded(String(truth));
    default:
      return kind satisfies never;
  }
};

/** A host written without a scheme may be read with either. */
const withoutScheme = (url: string): string =>
  URL.canParse(url) ? new URL(url).href.replace(/^https?:/, "") : url;

const folded = (text: string): string => text.replace(/\s+/g, " ").trim();
