/**
 * robots.txt by RFC 9309, with the leniencies that Google's parser shows in its published test vectors: a missing colon,
 * common misspellings, `index.html` for its folder, over-long lines cut. docs/robots.md says where the two differ and which one counts here.
 */
export interface Robots {
  /**
   * `userAgent` is the product token (`Sluice`) or a header value that starts with it (`Sluice/1.0 (…)`).
   * `url` is compared as it goes over the wire, so hand in `URL.href`: non-ASCII characters already percent-encoded.
   */
  allows(userAgent: string, url: string): boolean;
  crawlDelayMs(userAgent: string): number | undefined;
}

interface Rule {
  readonly allow: boolean;
  /** Octets of the pattern in its canonical form: the longest matching one decides. */
  readonly priority: number;
  /** Compared with the path as it was given. */
  readonly written: Pattern;
  /** Compared with the path in its canonical form. */
  readonly canonical: Pattern;
}

interface Pattern {
  /** Cut at its `*`; the first piece is anchored at the start of the path. */
  readonly pieces: readonly string[];
  readonly toTheEnd: boolean;
}

/** The rules below some agent lines. Shared between those agents: a file of many agents and many rules stays small. */
interface Section {
  readonly rules: Rule[];
  delayMs?: number;
}

/** RFC 9309, 2.5 asks for at least this much. Counted in UTF-16 units, of which there are never more than octets. */
const PARSED_LENGTH = 500 * 1024;
/** Eight times the longest URL that browsers were ever held to (2,083), as Google cuts it. */
const LINE_LENGTH = 8 * 2083;

const EVERYONE = "*";

type Field = "agent" | "allow" | "disallow" | "delay" | "other";

const FIELD_NAMES: Readonly<Record<string, Field>> = {
  "user-agent": "agent",
  useragent: "agent",
  "user agent": "agent",
  allow: "allow",
  disallow: "disallow",
  dissallow: "disallow",
  dissalow: "disallow",
  disalow: "disallow",
  diasllow: "disallow",
  disallaw: "disallow",
  "crawl-delay": "delay",
};

/** Never throws: invalid lines are skipped, as the RFC requires. */
export const parseRobots = (text: string): Robots => {
  const sections = readSections(wholeLines(text).replace(/^\uFEFF/, ""));
  const sectionsFor = (userAgent: string): ReadonlySet<Section> =>
    sections.get(userAgent.split("/", 1)[0]!.toLowerCase()) ?? sections.get(EVERYONE) ?? NONE;
  const sorted = new WeakMap<ReadonlySet<Section>, Rule[]>();
  const rulesOf = (own: ReadonlySet<Section>): Rule[] => {
    const rules =
      sorted.get(own) ??
      [...own]
        .flatMap((section) => section.rules)
        .toSorted((a, b) => b.priority - a.priority || Number(b.allow) - Number(a.allow));
    sorted.set(own, rules);
    return rules;
  };
  return {
    allows(userAgent, url) {
      const given = pathOf(url);
      const canonical = canonicalPath(given);
      const decisive = rulesOf(sectionsFor(userAgent)).find(
        (rule) =>
          matches(rule.written, given) ||
          ((given !== canonical || rule.written !== rule.canonical) && matches(rule.canonical, canonical)),
      );
      return decisive?.allow ?? true;
    },
    crawlDelayMs(userAgent) {
      const delays = [...sectionsFor(userAgent)].flatMap(({ delayMs }) => delayMs ?? []);
      return delays.length === 0 ? undefined : Math.max(...delays);
    },
  };
};

const NONE: ReadonlySet<Section> = new Set();

/** A truncated rule would forbid more than it says. */
const wholeLines = (text: string): string => {
  if (text.length <= PARSED_LENGTH) return text;
  const start = text.slice(0, PARSED_LENGTH);
  return start.slice(0, Math.max(start.lastIndexOf("\n"), start.lastIndexOf("\r")) + 1);
};

const readSections = (text: string): Map<string, Set<Section>> => {
  const sections = new Map<string, Set<Section>>();
  let section: Section = { rules: [] };
  // Since the last agent line: rules and delays belong to the agents above them, other lines to nobody.
  let hasContent = false;
  let hasOther = false;

  for (const line of text.split(/\r\n?|\n/)) {
    const entry = readLine(line);
    if (entry === undefined) continue;
    switch (entry.field) {
      case "agent":
        if (hasContent) section = { rules: [] };
        // An empty group for everyone stays empty: it must not be given the rules of the next one.
        else if (hasOther) sections.get(EVERYONE)?.delete(section);
        hasContent = hasOther = false;
        for (const name of agentNames(entry.value)) {
          const own = sections.get(name) ?? new Set();
          sections.set(name, own.add(section));
        }
        break;
      case "allow":
      case "disallow":
        hasContent = true;
        section.rules.push(...rulesFor(entry.field === "allow", entry.value));
        break;
      case "delay":
        hasContent = true;
        if (/^\d+(\.\d+)?$/.test(entry.value))
          section.delayMs = Math.max(section.delayMs ?? 0, Number(entry.value) * 1000);
        break;
      case "other":
        hasOther = true;
        break;
      default:
        entry.field satisfies never;
    }
  }
  return sections;
};

const readLine = (line: string): { readonly field: Field; readonly value: string } | undefined => {
  const text = line.slice(0, LINE_LENGTH).split("#", 1)[0]!.trim();
  const colon = text.indexOf(":");
  // Without a colon a line still counts where it is exactly two words.
  const [name, value] = colon === -1 ? text.split(/\s+/) : [text.slice(0, colon), text.slice(colon + 1)];
  if (name === undefined || value === undefined) return undefined;
  if (colon === -1 && text.split(/\s+/).length !== 2) return undefined;
  const key = name.trim().toLowerCase();
  return { field: (Object.hasOwn(FIELD_NAMES, key) && FIELD_NAMES[key]) || "other", value: value.trim() };
};

/**
 * The RFC's product token has letters, `_` and `-` only. A name written with more than that (`bot2/1.0`) is
 * also known by its whole first word, or a crawler of that name would never find its group.
 */
const agentNames = (value: string): string[] => {
  if (/^\*(\s|$)/.test(value)) return [EVERYONE];
  const lower = value.toLowerCase();
  const names = [/^[a-z_-]*/.exec(lower)![0], /^[^\s/]*/.exec(lower)![0]];
  return names.filter((name) => name !== "" && name !== EVERYONE);
};

const rulesFor = (allow: boolean, text: string): Rule[] => {
  // An empty pattern matches nothing: "Disallow:" allows everything.
  if (text === "") return [];
  const pattern = upperCaseEscapes(text.toWellFormed().replace(NOT_IN_A_RULE, encodeURIComponent));
  const rules = [toRule(allow, pattern)];
  const folder = /^(.*\/)index\.html?/.exec(pattern)?.[1];
  if (allow && folder !== undefined && !pattern.slice(folder.length).includes("/")) {
    rules.push(toRule(allow, `${folder}$`));
  }
  return rules;
};

/** An `Allow` is not decoded: Google's parser does not, and where the two differ the site may mean the stricter one. */
const toRule = (allow: boolean, pattern: string): Rule => {
  const decoded = decodeEscapes(pattern);
  const written = toPattern(pattern);
  const isPlain = allow || (decoded === pattern && !/\$./.test(pattern));
  const canonical = isPlain ? written : toPattern(decoded.replace(/\$(?=.)/g, "%24"));
  return { allow, priority: decoded.length, written, canonical };
};

const toPattern = (text: string): Pattern => {
  const toTheEnd = text.endsWith("$");
  return { pieces: (toTheEnd ? text.slice(0, -1) : text).split(/\*+/), toTheEnd };
};

/** Takes the earliest place for each piece; no other choice can match more, so nothing is ever tried twice. */
const matches = ({ pieces, toTheEnd }: Pattern, path: string): boolean => {
  const [first = "", ...others] = pieces;
  if (!path.startsWith(first)) return false;
  if (others.length === 0) return !toTheEnd || path.length === first.length;
  const last = toTheEnd ? others.pop()! : "";
  let at = first.length;
  for (const piece of others) {
    const found = indexOf(path, piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return path.length - last.length >= at && path.endsWith(last);
};

const LONG_PIECE = 64;

/** The engine's own search takes text × piece steps at worst: long pieces are searched for by Knuth, Morris and Pratt's method. */
const indexOf = (text: string, piece: string, from: number): number => {
  if (piece.length < LONG_PIECE || text.length - from < piece.length) return text.indexOf(piece, from);
  const borders = new Uint32Array(piece.length);
  for (let at = 1, border = 0; at < piece.length; at++) {
    while (border > 0 && piece[at] !== piece[border]) border = borders[border - 1]!;
    if (piece[at] === piece[border]) border++;
    borders[at] = border;
  }
  for (let at = from, matched = 0; at < text.length; at++) {
    while (matched > 0 && text[at] !== piece[matched]) matched = borders[matched - 1]!;
    if (text[at] === piece[matched]) matched++;
    if (matched === piece.length) return at - matched + 1;
  }
  return -1;
};

const pathOf = (url: string): string => {
  const rest = url.split("#", 1)[0]!.replace(/^(?:[a-z][a-z0-9+.-]*:)?\/\/[^/?]*/i, "");
  const path = upperCaseEscapes(rest.replace(NOT_IN_A_PATH, encodeURIComponent));
  return path.startsWith("/") ? path : `/${path}`;
};

/** A rule spells a literal `*` or `$` as an escape (RFC 9309, 2.2.3). */
const canonicalPath = (given: string): string =>
  decodeEscapes(given).replaceAll("*", "%2A").replaceAll("$", "%24");

/** Characters that no URI has: a rule may hold them raw, a URL never does. */
const NOT_IN_A_RULE = /%(?![0-9a-f]{2})|[^\x21-\x7E]+|["<>\\^`{|}]/gi;
/** Without those beyond ASCII: they are compared as they go over the wire, where they are escapes already. */
const NOT_IN_A_PATH = /%(?![0-9a-f]{2})|[\0-\x20\x7F"<>\\^`{|}]/gi;

const upperCaseEscapes = (text: string): string =>
  text.replace(/%[0-9a-f]{2}/gi, (escape) => escape.toUpperCase());

/** Escapes that mean the same as their character (RFC 9309, 2.2.2); those of delimiters, `%`, `*` and `$` do not. */
const decodeEscapes = (text: string): string => {
  const query = text.indexOf("?");
  if (query === -1) return text.replace(ESCAPE_IN_PATH, decodeURIComponent);
  return (
    text.slice(0, query).replace(ESCAPE_IN_PATH, decodeURIComponent) +
    text.slice(query).replace(ESCAPE_IN_QUERY, decodeURIComponent)
  );
};

/** Letters, digits, `-._~`, and `!'(),:@[]`. */
const ESCAPE_IN_PATH = /%(?:2[1789CDE]|3[0-9A]|4[0-9A-F]|5[0-9ABDF]|6[1-9A-F]|7[0-9AE])/g;
/** And `/?`. */
const ESCAPE_IN_QUERY = /%(?:2[1789CDEF]|3[0-9AF]|4[0-9A-F]|5[0-9ABDF]|6[1-9A-F]|7[0-9AE])/g;
