import type { ChainStep, Source, Template, TemplatePart } from "./chain.ts";
import {
  aroundInput,
  aroundStep,
  clockSource,
  constantOf,
  inputSource,
  inputValues,
  type PairedCall,
  stepSources,
  type StepSource,
} from "./find-sources.ts";
import { setCookies } from "./location.ts";
import { pairCalls } from "./pair-calls.ts";
import { type PartId, partKey, partName, type SplitRequest, splitRequest } from "./request-parts.ts";
import type { Call, Run } from "./run.ts";
import { variableName } from "./variable-names.ts";

/**
 * How much of the session is repeated. Each level includes the previous one: only requests whose responses are read; those that set cookies; those
 * that contain the input, since the site may remember it; everything before the last request, with all headers of the browser.
 */
export type ChainLevel = "values" | "cookies" | "state" | "all";
export const CHAIN_LEVELS: readonly ChainLevel[] = ["values", "cookies", "state", "all"];

/** A part that changes between the runs, and that nothing explains. */
export interface Unexplained {
  /** Of the step, in the list of steps. */
  readonly step: number;
  readonly part: PartId;
  /** Why not, as the end of a sentence. */
  readonly why: string;
  /** It is the time of the request: used if the site needs it. */
  readonly clock?: Source | undefined;
}

export interface FoundSteps {
  readonly steps: readonly ChainStep[];
  readonly unexplained: readonly Unexplained[];
}

/** Explains calls of the first run, the targets, by comparing the runs, and with them every call that they need. */
export const findSteps = (
  runs: readonly Run[],
  /** By the name under which the answer is kept. */
  targets: ReadonlyMap<string, number>,
  level: ChainLevel,
): FoundSteps | undefined => new ChainFinder(runs, level).find(targets);

interface Explained {
  readonly call: PairedCall;
  readonly split: SplitRequest;
  readonly parts: readonly ExplainedPart[];
  /** Answers with a link to the whole URL. */
  readonly links: readonly StepSource[];
}

type ExplainedPart =
  | TemplatePart
  /** One of these locations, each in another answer. */
  | (PartId & { readonly choices: readonly StepSource[] })
  | UnexplainedPart;

type UnexplainedPart = PartId & Pick<Unexplained, "why" | "clock">;

class ChainFinder {
  readonly #runs: readonly Run[];
  readonly #level: ChainLevel;
  readonly #inputs: ReturnType<typeof inputValues>;
  readonly #paired = new Map<number, PairedCall | undefined>();
  readonly #explained = new Map<number, Explained | undefined>();
  readonly #isSound = new Map<number, boolean>();
  readonly #needs = new Map<number, ReadonlySet<number>>();

  constructor(runs: readonly Run[], level: ChainLevel) {
    this.#runs = runs;
    this.#level = level;
    this.#inputs = inputValues(runs);
  }

  find(targets: ReadonlyMap<string, number>): FoundSteps | undefined {
    const needed = new Map<number, ChainStep["reason"]>(this.#sessionBefore(Math.max(...targets.values())));
    for (const at of targets.values()) needed.set(at, "fields");
    const done = new Map<number, readonly (TemplatePart | UnexplainedPart)[]>();
    const links = new Map<number, StepSource>();
    for (;;) {
      // Dependencies are always earlier: what is needed of a call is known when all later ones are done.
      const at = Math.max(...[...needed.keys()].filter((one) => !done.has(one)));
      if (at === -Infinity) break;
      const explained = this.#explain(at);
      if (explained === undefined) return undefined;
      const link = this.#chooseLink(explained, needed);
      if (link !== undefined) links.set(at, link);
      done.set(at, this.#choose(explained, needed, link !== undefined));
    }
    const order = [...needed.keys()].toSorted((a, b) => a - b);
    return this.#written(order, { needed, done, links, targets });
  }

  /** Calls that are repeated though no value of theirs is used. */
  #sessionBefore(target: number): (readonly [number, ChainStep["reason"]])[] {
    if (this.#level === "values") return [];
    const calls = this.#runs[0]!.calls.slice(0, target);
    return calls.flatMap((call, at): (readonly [number, ChainStep["reason"]])[] => {
      if (call.method !== "GET" && call.method !== "POST") return [];
      const setsCookies = setCookies(call.responseHeaders).length > 0;
      const isWanted =
        setsCookies || (this.#level !== "cookies" && this.#usesInput(at)) || this.#level === "all";
      return isWanted && this.#sound(at) ? [[at, setsCookies ? "cookies" : "state"]] : [];
    });
  }

  #usesInput(at: number): boolean {
    const parts = this.#explain(at)?.parts ?? [];
    return parts.some(
      (part) =>
        "template" in part && part.template.some((one) => typeof one !== "string" && one.from === "input"),
    );
  }

  /** Whether each of its parts has a source, and so have the answers that these are in. */
  #sound(at: number): boolean {
    const known = this.#isSound.get(at);
    if (known !== undefined) return known;
    const explained = this.#explain(at);
    const isSource = ({ step }: StepSource): boolean => this.#sound(step);
    const isSound =
      explained !== undefined &&
      explained.parts.every((part) => {
        if ("why" in part) return isOfUrl(part) && explained.links.some(isSource);
        if ("choices" in part)
          return part.choices.some(isSource) || (isOfUrl(part) && explained.links.some(isSource));
        return part.template.every(
          (one) => typeof one === "string" || one.from !== "step" || this.#sound(one.step),
        );
      });
    this.#isSound.set(at, isSound);
    return isSound;
  }

  /** The call and the fewest others that it needs, judged by each part alone. */
  #requestsFor(at: number): ReadonlySet<number> {
    const known = this.#needs.get(at);
    if (known !== undefined) return known;
    let all: ReadonlySet<number> = new Set([at]);
    for (const part of this.#explain(at)?.parts ?? []) {
      const steps =
        "template" in part ? part.template.filter(isFromStep) : "choices" in part ? part.choices : [];
      const sets = steps.map(({ step }) => this.#requestsFor(step)).toSorted((a, b) => a.size - b.size);
      if (sets[0] !== undefined) all = all.union(sets[0]);
    }
    this.#needs.set(at, all);
    return all;
  }

  #pair(at: number): PairedCall | undefined {
    if (this.#paired.has(at)) return this.#paired.get(at);
    const places = pairCalls(this.#runs, at);
    const paired = places && { at, calls: places.map((place, run) => this.#runs[run]!.calls[place]!) };
    this.#paired.set(at, paired);
    return paired;
  }

  /** Responses that arrived before the request, in every run. */
  #before(call: PairedCall): PairedCall[] {
    const earlier: PairedCall[] = [];
    for (let at = 0; at < call.at; at++) {
      const paired = this.#pair(at);
      const isEarlier = paired?.calls.every(
        (one, run) => this.#runs[run]!.calls.indexOf(one) < this.#runs[run]!.calls.indexOf(call.calls[run]!),
      );
      if (paired !== undefined && isEarlier) earlier.push(paired);
    }
    return earlier;
  }

  #explain(at: number): Explained | undefined {
    if (this.#explained.has(at)) return this.#explained.get(at);
    const call = this.#pair(at);
    const explained = call && this.#explainCall(call);
    this.#explained.set(at, explained);
    return explained;
  }

  #explainCall(call: PairedCall): Explained {
    const splits = call.calls.map((one) => splitRequest(one, this.#level === "all"));
    const [split] = splits;
    const earlier = this.#before(call);
    const values = splits.map(({ parts }) => new Map(parts.map((part) => [partKey(part), part.value])));
    const parts = split!.parts.map(({ in: place, name, nth }): ExplainedPart => {
      const id = { in: place, name, nth };
      const wanted = values.map((of) => of.get(partKey(id)));
      if (wanted.some((one) => one === undefined)) return { ...id, why: "is sent in only some of the runs" };
      return this.#explainPart(id, wanted as string[], call, earlier);
    });
    const isMade = parts.some(
      (part) => isOfUrl(part) && (!("template" in part) || part.template.some(isFromStep)),
    );
    const hrefs = call.calls.map(({ url }) => withoutHash(url));
    return { call, split: split!, parts, links: isMade ? stepSources(earlier, hrefs, this.#inputs) : [] };
  }

  #explainPart(
    id: PartId,
    wanted: readonly string[],
    call: PairedCall,
    earlier: readonly PairedCall[],
  ): ExplainedPart {
    const fromInput = inputSource(this.#inputs, wanted);
    const constant = constantOf(wanted);
    // Equal in every run because the inputs are: then it comes from the input, unless it is so short that this may be chance.
    if (fromInput !== undefined && (constant === undefined || (wanted[0] ?? "").length > 2))
      return { ...id, template: [fromInput] };
    if (constant !== undefined) return { ...id, template: constant };
    const choices = stepSources(earlier, wanted, this.#inputs);
    if (choices.length > 0) return { ...id, choices };
    const template = this.#templateOf(wanted, earlier, MOST_SOURCES);
    if (template !== undefined) return { ...id, template };
    return {
      ...id,
      why: "changes between runs and comes from no earlier response",
      clock: clockSource(call.calls, wanted),
    };
  }

  /** Sources within a longer text, for example `APN='0100'`. */
  #templateOf(wanted: readonly string[], earlier: readonly PairedCall[], most: number): Template | undefined {
    const constant = constantOf(wanted);
    if (constant !== undefined) return constant;
    const input = inputSource(this.#inputs, wanted);
    if (input !== undefined) return [input];
    const [choice] = stepSources(earlier, wanted, this.#inputs);
    if (choice !== undefined) return [choice];
    if (most === 0) return undefined;
    for (const cut of [aroundInput(this.#inputs, wanted), aroundStep(earlier, wanted)]) {
      const before = cut && this.#templateOf(cut.before, earlier, most - 1);
      const after = before && cut && this.#templateOf(cut.after, earlier, most - 1);
      if (before && after && cut) return [...before, cut.source, ...after];
    }
    return undefined;
  }

  #chooseLink({ links }: Explained, needed: Map<number, ChainStep["reason"]>): StepSource | undefined {
    const sound = links.filter(({ step }) => this.#sound(step));
    const link = sound.find(({ step }) => needed.has(step)) ?? sound[0];
    if (link !== undefined && needed.get(link.step) !== "fields") needed.set(link.step, "values");
    return link;
  }

  /** Takes values from answers that are needed anyway, and adds as few others as it can. */
  #choose(
    { parts }: Explained,
    needed: Map<number, ChainStep["reason"]>,
    hasLink: boolean,
  ): (TemplatePart | UnexplainedPart)[] {
    const need = (step: number): void => void (needed.get(step) === "fields" || needed.set(step, "values"));
    const wanted = parts.filter((part) => !(hasLink && isOfUrl(part)));
    const open = wanted.flatMap((part) =>
      "choices" in part ? [soundChoices(part.choices, (at) => this.#sound(at))] : [],
    );
    for (const part of wanted)
      if ("template" in part) for (const one of part.template) if (isFromStep(one)) need(one.step);
    for (;;) {
      const left = open.filter((choices) => !choices.some(({ step }) => needed.has(step)));
      if (left.length === 0) break;
      const steps = [...new Set(left.flat().map(({ step }) => step))].toSorted((a, b) => b - a);
      const worth = (step: number): number => {
        const explains = left.filter((choices) => choices.some((one) => one.step === step)).length;
        return explains / this.#requestsFor(step).difference(needed).size;
      };
      need(steps.reduce((best, step) => (worth(step) > worth(best) ? step : best)));
    }
    return wanted.map((part) => {
      if (!("choices" in part)) return part;
      const { choices, ...id } = part;
      const source = soundChoices(choices, (at) => this.#sound(at)).find(({ step }) => needed.has(step))!;
      need(source.step);
      return { ...id, template: [source] };
    });
  }

  #written(
    order: readonly number[],
    {
      needed: reasons,
      done,
      links,
      targets,
    }: {
      readonly needed: ReadonlyMap<number, ChainStep["reason"]>;
      readonly done: ReadonlyMap<number, readonly (TemplatePart | UnexplainedPart)[]>;
      readonly links: ReadonlyMap<number, StepSource>;
      readonly targets: ReadonlyMap<string, number>;
    },
  ): FoundSteps {
    const renumbered = <S extends Source>(source: S): S =>
      source.from === "step" ? { ...source, step: order.indexOf(source.step) } : source;
    const unexplained: Unexplained[] = [];
    const names = new Set<string>();
    const steps = order.map((at, step): ChainStep => {
      const { call, split } = this.#explained.get(at)!;
      const parts = done.get(at)!.map((part): TemplatePart => {
        const { in: place, name, nth } = part;
        if ("template" in part)
          return {
            in: place,
            name,
            nth,
            template: part.template.map((one) => (typeof one === "string" ? one : renumbered(one))),
          };
        unexplained.push({ step, part: { in: place, name, nth }, why: part.why, clock: part.clock });
        return {
          in: place,
          name,
          nth,
          template: [split.parts.find((one) => partKey(one) === partKey(part))!.value],
        };
      });
      const [first] = call.calls;
      const link = links.get(at);
      return {
        name: stepName(first!, names),
        call: at + 1,
        method: first!.method as ChainStep["method"],
        origin: first!.url.origin,
        path: shownPath(call.calls),
        ...(link && { link: renumbered(link) }),
        parts,
        bodyKind: split.bodyKind,
        ...(split.mediaType !== undefined && { mediaType: split.mediaType }),
        ...(split.json !== undefined && { json: split.json }),
        ...keptAs(targets, at),
        reason: reasons.get(at)!,
        cookies: setCookies(first!.responseHeaders).map(([name]) => name),
      };
    });
    return { steps, unexplained };
  }
}

const keptAs = (targets: ReadonlyMap<string, number>, at: number): Pick<ChainStep, "keeps"> => {
  const [name] = [...targets].find(([, target]) => target === at) ?? [];
  return name === undefined ? {} : { keeps: name };
};

/** Sources in one part of a request. */
const MOST_SOURCES = 3;

const isOfUrl = ({ in: place }: Pick<PartId, "in">): boolean => place === "path" || place === "query";
const isFromStep = (one: string | Source): one is StepSource =>
  typeof one !== "string" && one.from === "step";

const soundChoices = (
  choices: readonly StepSource[],
  isSound: (at: number) => boolean,
): readonly StepSource[] => {
  const sound = choices.filter(({ step }) => isSound(step));
  return sound.length > 0 ? sound : choices;
};

const withoutHash = (url: URL): string => {
  const bare = new URL(url);
  bare.hash = "";
  return bare.href;
};

/** By the last word of its path: `search`, `parcel`. */
const stepName = ({ url }: Call, taken: Set<string>): string => {
  const words = url.pathname.split("/").filter((word) => /^[A-Za-z][A-Za-z_.-]*$/.test(word));
  return variableName((words.at(-1) ?? "").replace(/\.[A-Za-z]+$/, ""), "start", taken);
};

/** `request 3 GET /api/parcel/…: query \`sig\` changes between runs and comes from no earlier response` */
export const unexplainedText = ({ steps }: FoundSteps, { step, part, why }: Unexplained): string =>
  `${requestText(steps[step]!)}: ${partName(part)} ${why}`;

export const requestText = ({ call, method, path }: ChainStep): string => `request ${call} ${method} ${path}`;

/** Segments that change are shown as `…`. */
const shownPath = (calls: readonly Call[]): string => {
  const [first = [], ...others] = calls.map(({ url }) => url.pathname.split("/"));
  return first
    .map((segment, at) => (others.every((other) => other[at] === segment) ? segment : "…"))
    .join("/");
};
