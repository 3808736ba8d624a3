/** Sorts by time, can be read aloud, and does not clash: `20261115-203412-k3f9`. A letter for each of the random bytes. */
export const timedId = (at: number, random: Uint8Array): string => {
  const time = new Date(at).toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15);
  return `${time}-${Array.from(random, (byte) => LETTERS[byte % LETTERS.length]).join("")}`;
};

/** To the second; before all others where the text is no such id. */
export const timeOfId = (id: string): number => {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-/.exec(id) ?? [];
  const [year = 0, month = 1, ...rest] = parts.map(Number);
  return parts.length === 0
    ? -Infinity
    : Date.UTC(year, month - 1, ...(rest as [number, number, number, number]));
};

/** Without those that are easily taken for another. */
const LETTERS = "abcdefghjkmnpqrstuvwxyz23456789";
