/** Sorts by time, can be read aloud, and does not clash: `20261115-203412-k3f9`. */
export const jobId = (at: Date, random: Uint8Array = crypto.getRandomValues(new Uint8Array(4))): string => {
  const time = at.toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15);
  const tail = [...random].map((byte) => LETTERS[byte % LETTERS.length]).join("");
  return `${time}-${tail}`;
};

/** Without those that are easily taken for another. */
const LETTERS = "abcdefghjkmnpqrstuvwxyz23456789";
