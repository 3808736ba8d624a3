import type { Member } from "./read-interface.ts";

const MEMBER =
  /^(?: {2}\/\*\*(?<says>[^]*?)\*\/\n)? {2}(?<name>\w+):(?<value>[^]*?)(?=\n {2}(?:\/\*\*|\w+:)|(?![^]))/gm;

/**
 * The functions of an exported object, `export const by = { … }`, from its source as the formatter leaves it: a member's name
 * stands two spaces in, and the object ends with a brace at the beginning of a line. The type is the call as an author writes
 * it; it is empty where the member is only the name of a function from elsewhere.
 */
export function readFunctions(source: string, name: string): Member[] {
  const start = new RegExp(`^export const ${name} = \\{$`, "m").exec(source);
  if (start === null) throw new Error(`no object ${name} in the source`);
  const from = start.index + start[0].length;
  const body = source.slice(from, source.indexOf("\n};", from));
  return [...body.matchAll(MEMBER)].map(({ groups = {} }) => ({
    name: groups["name"] ?? "",
    isOptional: false,
    type: callOf(groups["value"] ?? ""),
    says: (groups["says"] ?? "").replace(/\n\s*\*/g, "").trim(),
  }));
}

/** `(where: Where, options?: TextOptions<T>): Field<T>`, of a function with its body. */
function callOf(value: string): string {
  const [head = ""] = value.split(/\s=>/, 1);
  const from = head.indexOf("(");
  if (from === -1) return "";
  return head
    .slice(from)
    .replace(/\s+/g, " ")
    .replace(/\( | ?,? (?=\))/g, (space) => space.trim().replace(",", ""))
    .replace(/\{ \w+ \}: /g, "options: ")
    .replace(/(\w+): ([\w<>]+) = \{\}/g, "$1?: $2")
    .replace(/(\w+) = ""/g, "$1?: string");
}
