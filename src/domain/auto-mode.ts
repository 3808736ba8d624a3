import type { Failure } from "./failure.ts";

/** How one run of an `auto` item gets its pages. */
export type Way = "http" | "browser";

/**
 * What was learned about the pages of one template: HTTP first, or the browser at once. HTTP first is always right, because a page that turns out to
 * need scripts continues in the browser within the same attempt; it only costs a request. The browser at once is right while all pages need it, so
 * HTTP is tried again from time to time. Only page content counts: a failure says nothing about how a page is built.
 */
export interface AutoState {
  readonly way: Way;
  /** HTTP was enough for some page. */
  readonly hasPlain: boolean;
  /** Pages that the browser could read and HTTP could not, since the last one that HTTP could read. */
  readonly scripted: number;
  /** Items left until HTTP is tried again, with the browser at once; and how many there were last time. */
  readonly checkIn: number;
  readonly gap: number;
  /** `trusted`: the browser has confirmed what HTTP took for absent; `doubted`: it has found the thing. */
  readonly absent: "unknown" | "trusted" | "doubted";
  /** The reason for this way, for people. */
  readonly reason: string;
}

export const NOTHING_LEARNED: AutoState = {
  way: "http",
  hasPlain: false,
  scripted: 0,
  checkIn: 0,
  gap: 0,
  absent: "unknown",
  reason: "nothing learned yet",
};

/** Three pages decide, if none of the first was plain. */
const DECIDING = 3;
/** If HTTP could read some pages of a site, more pages are needed before it counts as changed. */
const DECIDING_AFTER_PLAIN = 50;
/** HTTP is tried often until this many pages agree, since a few plain pages may be among many others; then less and less often. */
const AGREEING = 20;
const LONGEST_GAP = 200;

/** Items between two checks. */
const nextGap = ({ scripted, gap }: AutoState): number =>
  scripted < AGREEING ? Math.max(1, Math.floor(scripted / 5)) : Math.min(Math.ceil(gap * 1.5), LONGEST_GAP);

/** How a run looks from outside. */
export interface WayResult {
  readonly way: Way;
  readonly ended: "pages" | "absent" | "failure";
  readonly failure?: Failure | undefined;
  /** Required fields that were not found. */
  readonly missing: readonly string[];
  /** What makes the page look as if scripts had to build it; undefined if nothing does. */
  readonly sign?: string | undefined;
}

/** What the page of one run shows. `nothing`: no evidence either way. */
export type Evidence = "good" | "absent" | "lacking" | "challenge" | "nothing";

/** These failures say that what was expected is not on the page. All others may come from a site in trouble. */
const OF_CONTENT: ReadonlySet<string> = new Set(["structure-changed", "navigation"]);

export const evidenceOf = ({ ended, failure, missing, sign }: WayResult): Evidence => {
  if (failure && isChallenge(failure)) return "challenge";
  if (failure && !OF_CONTENT.has(failure.kind)) return "nothing";
  if (ended === "absent") return "absent";
  const isLacking = failure !== undefined || missing.length > 0;
  if (!isLacking) return "good";
  return sign === undefined ? "nothing" : "lacking";
};

/** A check that a browser passes on its own; a captcha needs a person, and a refusal is an answer. */
const isChallenge = ({ kind, detail }: Failure): boolean =>
  kind === "blocked" && /\b(?:challenge|checkpoint|Anubis|go-away|haproxy-protection)\b/.test(detail);

/** Whether an item goes through HTTP first. The state it leaves is for the next item. */
export const chooseWay = (state: AutoState): { readonly way: Way; readonly state: AutoState } => {
  if (state.way === "http") return { way: "http", state };
  if (state.checkIn > 0) return { way: "browser", state: { ...state, checkIn: state.checkIn - 1 } };
  const gap = nextGap(state);
  return { way: "http", state: { ...state, gap, checkIn: gap } };
};

/** Whether an item that was run over HTTP continues in the browser, within the same attempt. */
export const goesOn = (state: AutoState, http: WayResult): boolean => {
  switch (evidenceOf(http)) {
    case "lacking":
    case "challenge":
      return true;
    case "absent":
      return state.absent !== "trusted" || http.sign !== undefined;
    case "good":
      return false;
    // It was only a check: the item itself is one for the browser.
    case "nothing":
      return state.way === "browser";
  }
};

/** What was learned from one item. Workers report it to the ledger, which stores the result of all workers. */
export type Observation =
  | { readonly saw: "plain" }
  | { readonly saw: "scripted"; readonly reason: string; readonly wasAbsent?: boolean }
  | { readonly saw: "absent" }
  | { readonly saw: "changed" }
  /** Of a distilled scraper: the browser finds the same as its plain requests, or something else. */
  | { readonly saw: "same" }
  | { readonly saw: "different"; readonly reason: string };

/** After an item: `browser` is its result there, if it continued. Undefined: nothing was learned. */
export const observe = (results: { http?: WayResult; browser?: WayResult }): Observation | undefined => {
  const { http, browser } = results;
  const found = browser && evidenceOf(browser);
  // A page that lacks its fields in the browser too has changed: perhaps it needs none now.
  if (!http) return browser?.failure?.kind === "structure-changed" ? { saw: "changed" } : undefined;
  const seen = evidenceOf(http);
  if (seen === "good") return { saw: "plain" };
  if (seen === "nothing") return undefined;
  if (seen === "absent" && found === "absent") return { saw: "absent" };
  if (found !== "good" && found !== "absent") return undefined;
  const wasAbsent = seen === "absent";
  return { saw: "scripted", reason: reasonOf(http, seen), ...(wasAbsent && { wasAbsent }) };
};

export const learn = (state: AutoState, observation: Observation): AutoState => {
  switch (observation.saw) {
    case "plain":
      return { ...NOTHING_LEARNED, absent: state.absent, hasPlain: true, reason: PLAIN_REASON };
    case "absent":
      return state.absent === "unknown" ? { ...state, absent: "trusted" } : state;
    case "changed":
      return { ...state, checkIn: 0 };
    case "same":
      return state.way === "browser" ? state : { ...state, hasPlain: true, reason: SAME_REASON };
    case "different":
      return { ...state, way: "browser", reason: observation.reason.slice(0, LONGEST_REASON) };
    case "scripted": {
      const { reason, wasAbsent } = observation;
      const scripted = state.scripted + 1;
      const learned = { ...state, scripted, ...(wasAbsent && { absent: "doubted" as const }) };
      if (state.way === "browser") return { ...learned, reason };
      const isDecided = scripted >= (state.hasPlain ? DECIDING_AFTER_PLAIN : DECIDING);
      if (!isDecided) return { ...learned, reason: `for some pages ${reason}` };
      return { ...learned, way: "browser", gap: 1, checkIn: 1, reason };
    }
  }
};

const SAME_REASON = "HTTP is enough: the browser found the same in the last item that both ran";
const PLAIN_REASON = "HTTP is enough: the pages have their required fields without scripts";
/** It is stored and shown: what a page says must not make it long. */
const LONGEST_REASON = 300;

/** What all workers have learned, with the checks that this one has planned. */
export const adopt = (own: AutoState, shared: AutoState): AutoState =>
  shared.way === own.way ? { ...shared, gap: own.gap, checkIn: own.checkIn } : shared;

const reasonOf = ({ missing, sign, failure }: WayResult, seen: Evidence): string => {
  if (seen === "challenge") return `a browser is needed: ${failure!.detail}`;
  if (seen === "absent") return "a browser is needed: over HTTP the item looked absent, but it exists";
  const lack =
    missing.length > 0 ? `${missing.slice(0, 3).join(", ")} missing` : (failure?.detail ?? "fields missing");
  return `a browser is needed: over HTTP ${lack}, and ${sign}`.slice(0, LONGEST_REASON);
};

/** Pages of one template are learned about together: the path of a URL with its changing parts left out. */
export const templateOf = (input: unknown): string => {
  const url =
    typeof input === "object" && input !== null && "url" in input && typeof input.url === "string"
      ? URL.parse(input.url)
      : null;
  if (!url) return "";
  const parts = url.pathname.split("/").map((part) => (/\d/.test(part) || part.length > 24 ? "*" : part));
  return `${url.host}${parts.slice(0, 6).join("/")}`.slice(0, 200);
};
