const TOKEN = /"(?:[^"\\]+|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/g;

/** Where the members of objects and the entries of lists begin in a text that is JSON. Only what is asked for is gone over. */
export class JsonPlaces {
  readonly #text: string;
  readonly #known = new WeakMap<object, ReadonlyMap<string | number, number>>();

  constructor(text: string) {
    this.#text = text;
  }

  /** `at` is where the object or list itself begins. */
  offsetOf(container: object, key: string | number, at: number): number | undefined {
    let members = this.#known.get(container);
    if (members === undefined) this.#known.set(container, (members = membersAt(this.#text, at)));
    return members.get(key);
  }
}

/** The text is known to be JSON: brackets are balanced, and texts end. */
function membersAt(text: string, at: number): ReadonlyMap<string | number, number> {
  const found = new Map<string | number, number>();
  const isList = text[at] === "[";
  let key: string | number = 0;
  let isValue = isList;
  let depth = 0;
  TOKEN.lastIndex = at + 1;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const [token] = match;
    if (depth === 0) {
      if (token === "]" || token === "}") break;
      if (token === ",") {
        if (isList) key = Number(key) + 1;
        isValue = isList;
        continue;
      }
      if (token === ":") isValue = true;
      else if (isValue) {
        found.set(key, match.index);
        isValue = false;
      } else key = String(JSON.parse(token));
    }
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
  }
  return found;
}
