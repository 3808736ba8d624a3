import { LONGEST } from "./read-number.ts";

/**
 * Makes a function that takes a mark (currency, percent) off a number, before or after it, inside or outside of its sign:
 * `-$5`, `$-5`, `($5)`, `$(5)`, `5 $`, `US$ 5 USD`. Null when there was none.
 */
export function markRemover(mark: string): (text: string) => string | null {
  const before = new RegExp(`^(?<sign>[(+−–-]?\\s*)(?:${mark})\\s*(?<rest>.*)$`, "iu");
  const after = new RegExp(`^(?<rest>.*?)\\s*(?:${mark})(?<sign>\\s*[)−–-]?)$`, "iu");
  return (text) => {
    if (text.length > LONGEST) return null;
    const front = before.exec(text)?.groups;
    const half = front === undefined ? text : `${front["sign"]}${front["rest"]}`;
    const back = after.exec(half)?.groups;
    if (front === undefined && back === undefined) return null;
    return (back === undefined ? half : `${back["rest"]}${back["sign"]}`).trim();
  };
}
