/**
 * robots.txt by RFC 9309, with the leniencies that Google's parser shows in its published test vectors: a missing colon,
 * common misspellings, `index.html` for its folder, over-long lines cut. `Crawl-delay` is not part of the RFC: it is
 * read beside the rules and never changes which group a rule belongs to.
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
  /** Octets of the pattern as written: the longest matching one decides. */
  readonly priority: number;
  /** The pattern cut at its `*`; the first piece is anchored at the start of the path. */
  readonly pieces: readonly string[];
  readonly toTheEnd: boolean;
}

/** What is for one agent. The lists are shared between the agents of a group: a file of many agents and many rules stays small. */
interface Group {
  readonly rules: Set<Rule[]>;
  readonly delays: Set<{ ms: number | undefined }>;
}

/** RFC 9309, 2.5 asks for at least this much. Counted in UTF-16 units, of which there are never more than octets. */
const PARSED_LENGTH = 500 * 1024;
/** Eight times the longest URL that browsers were ever held to (2,083), as Google cuts it. */
const LINE_LENGTH = 8 * 2083;

const EVERYONE = "*";

const FIELD_NAMES: Readonly<Record<string, "agent" | "allow" | "disallow" | "delay">> = {
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

/** Never throws: what cannot be understood is skipped, as the RFC asks. */
export const parseRobots = (text: string): Robots => {
  const groups = readGroups(text.slice(0, PARSED_LENGTH).replace(/^\uFEFF/, ""));
  const groupOf = (userAgent: string): Group | undefined =>
    groups.get(userAgent.split("/", 1)[0]!.toLowerCase()) ?? groups.get(EVERYONE);
  const sorted = new WeakMap<Group, Rule[]>();
  const rulesOf = (group: Group): Rule[] => {
    const rules =
      sorted.get(group) ??
      [...group.rules]
        .flat()
        .toSorted((a, b) => b.priority - a.priority || Number(b.allow) - Number(a.allow));
    sorted.set(group, rules);
    return rules;
  };
  return {
    allows(userAgent, url) {
      const group = groupOf(userAgent);
      if (group === undefined) return true;
      const path = pathOf(url);
      return rulesOf(group).find((rule) => matches(rule, path))?.allow ?? true;
    },
    crawlDelayMs(userAgent) {
      const delays = [...(groupOf(userAgent)?.delays ?? [])]
        .map(({ ms }) => ms)
        .filter((ms) => ms !== undefined);
      return delays.length === 0 ? undefined : Math.max(...delays);
    },
  };
};

const readGroups = (text: string): Map<string, Group> => {
  const groups = new Map<string, Group>();
  // An agent line after a rule opens a new group. A delay is kept apart: it ends the reach of later delays only.
  let rules: Rule[] = [];
  let delay: { ms: number | undefined } = { ms: undefined };
  let rulesBegun = false;
  let delayBegun = false;

  for (const line of text.split(/\r\n?|\n/)) {
    const entry = readLine(line);
    if (entry === undefined) continue;
    switch (entry.field) {
      case "agent":
        if (rulesBegun) rules = [];
        if (rulesBegun || delayBegun) delay = { ms: undefined };
        rulesBegun = delayBegun = false;
        for (const name of agentNames(entry.value)) {
          const group = groups.get(name) ?? { rules: new Set(), delays: new Set() };
          groups.set(name, group);
          group.rules.add(rules);
          group.delays.add(delay);
        }
        break;
      case "allow":
      case "disallow":
        rulesBegun = true;
        rules.push(...rulesFor(entry.field === "allow", entry.value));
        break;
      case "delay":
        delayBegun = true;
        if (/^\d+(\.\d+)?$/.test(entry.value)) delay.ms = Math.max(delay.ms ?? 0, Number(entry.value) * 1000);
        break;
      default:
        entry.field satisfies never;
    }
  }
  return groups;
};

const readLine = (line: string) => {
  const text = line.slice(0, LINE_LENGTH).split("#", 1)[0]!.trim();
  const colon = text.indexOf(":");
  // Without a colon a line still counts where it is exactly two words.
  const [name, value] = colon === -1 ? text.split(/\s+/) : [text.slice(0, colon), text.slice(colon + 1)];
  if (name === undefined || value === undefined) return undefined;
  if (colon === -1 && text.split(/\s+/).length !== 2) return undefined;
  const key = name.trim().toLowerCase();
  const field = Object.hasOwn(FIELD_NAMES, key) ? FIELD_NAMES[key] : undefined;
  return field === undefined ? undefined : { field, value: value.trim() };
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

const rulesFor = (allow: boolean, written: string): Rule[] => {
  // An empty pattern matches nothing: "Disallow:" allows everything.
  if (written === "") return [];
  const pattern = upperCaseEscapes(written.toWellFormed().replace(/[^\0-\x7F]+/g, encodeURIComponent));
  const rules = [toRule(allow, pattern)];
  const folder = /^(.*\/)index\.html?/.exec(pattern)?.[1];
  if (allow && folder !== undefined && !pattern.slice(folder.length).includes("/")) {
    rules.push(toRule(allow, `${folder}$`));
  }
  return rules;
};

const toRule = (allow: boolean, pattern: string): Rule => {
  const toTheEnd = pattern.endsWith("$");
  return {
    allow,
    priority: pattern.length,
    pieces: (toTheEnd ? pattern.slice(0, -1) : pattern).split(/\*+/),
    toTheEnd,
  };
};

/** Takes the earliest place for each piece; no other choice can match more, so nothing is ever tried twice. */
const matches = ({ pieces, toTheEnd }: Rule, path: string): boolean => {
  const [first = "", ...others] = pieces;
  if (!path.startsWith(first)) return false;
  if (others.length === 0) return !toTheEnd || path.length === first.length;
  const last = toTheEnd ? others.pop()! : "";
  let at = first.length;
  for (const piece of others) {
    const found = path.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return path.length - last.length >= at && path.endsWith(last);
};

const pathOf = (url: string): string => {
  const path = upperCaseEscapes(url.split("#", 1)[0]!.replace(/^(?:[a-z][a-z0-9+.-]*:)?\/\/[^/?]*/i, ""));
  return path.startsWith("/") ? path : `/${path}`;
};

const upperCaseEscapes = (text: string): string =>
  text.replace(/%[0-9a-f]{2}/gi, (escape) => escape.toUpperCase());
