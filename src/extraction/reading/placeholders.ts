const NO_WORDS = /^[-‐‑‒–—―−_.…·•\s]*$/;
const WRAPPED = /^[([<]\s*(.*?)\s*[)\]>]$/;

// "None" and "unknown" are real answers in a text ("Exemptions: none"), but never a number or a date.
const ALWAYS = (
  "n/a; n.a.; n.a; #n/a; n/d; not available; not applicable; no data; tbd; tba; t.b.d.; to be determined; " +
  "null; undefined; nan"
).split("; ");
const FOR_VALUES = [...ALWAYS, "none", "nil", "na", "unknown", "not set", "pending"];

/** Whether a text means that the site has no value there. The text has its white space folded. */
export type IsPlaceholder = (text: string) => boolean;

export function placeholders(kind: "words" | "value", more: readonly string[] = []): IsPlaceholder {
  const known = new Set([
    ...(kind === "words" ? ALWAYS : FOR_VALUES),
    ...more.map((word) => word.toLowerCase()),
  ]);
  return (text) => {
    if (NO_WORDS.test(text)) return true;
    const word = text.toLowerCase();
    if (known.has(word)) return true;
    const inside = WRAPPED.exec(word)?.[1];
    return inside !== undefined && known.has(inside);
  };
}
