/**
 * A value without NUL characters, in its texts and names of members at any depth. Pages and JSON can have them, no one sees
 * them, and PostgreSQL, C programs and many readers of CSV end a text at one.
 */
export function withoutNuls<T>(value: T): T {
  // What is left has the shape of what was there.
  return (hasNul(value) ? cleaned(value) : value) as T;
}

const hasNul = (value: unknown): boolean => {
  if (typeof value === "string") return value.includes("\0");
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(hasNul);
  return (
    isPlain(value) && Object.entries(value).some(([name, member]) => name.includes("\0") || hasNul(member))
  );
};

const cleaned = (value: unknown): unknown => {
  if (typeof value === "string") return value.replaceAll("\0", "");
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== "object" || value === null || !isPlain(value)) return value;
  // fromEntries, because a page may name a member `__proto__`.
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.replaceAll("\0", ""), cleaned(member)]),
  );
};

const isPlain = (value: object): boolean => [Object.prototype, null].includes(Object.getPrototypeOf(value));
