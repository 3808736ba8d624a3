/** As deep as a literal is read. A record is written by functions that call themselves, and their stack ends somewhere. */
export const DEEPEST = 300;

export function isTooDeep(json: unknown): boolean {
  let level: unknown[] = [json];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) return true;
    const next: unknown[] = [];
    for (const one of level) {
      if (typeof one !== "object" || one === null) continue;
      for (const inside of Object.values(one)) if (typeof inside === "object") next.push(inside);
    }
    level = next;
  }
  return false;
}
