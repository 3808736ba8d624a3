import type { Failure } from "../domain/failure.ts";
import { type RecordFields, sameRecords } from "../domain/same-records.ts";
import { ABSENT_STATUSES, findSign } from "./absent-sign.ts";
import type { AbsentSign, Chain, ChainStep, FieldSource, TemplatePart } from "./chain.ts";
import {
  CHAIN_LEVELS,
  type FoundSteps,
  findSteps,
  requestText,
  type Unexplained,
  unexplainedText,
} from "./find-chain.ts";
import type { Target } from "./find-target.ts";
import type { RecordedAnswer } from "./location.ts";
import { hasSign } from "./run-chain.ts";
import { partKey, type PartId, partName } from "./request-parts.ts";
import type { Run } from "./run.ts";

/** The result of a chain for one input, over HTTP. */
export interface Probed {
  /** In the order of the steps; fewer if it ended early. */
  readonly answers: readonly RecordedAnswer[];
  /** Sent, answered or not. */
  readonly requests: number;
  readonly end:
    | { readonly records: readonly RecordFields[] }
    | { readonly absent: true }
    | { readonly failure: Failure };
}

export interface ProbeOptions {
  readonly steps: readonly ChainStep[];
  readonly fields: FieldSource;
  readonly input: Run["input"];
  /** Statuses that are answers. */
  readonly accept?: readonly number[];
}

export interface Settling {
  readonly present: readonly Run[];
  readonly absent: readonly Run[];
  readonly required: readonly string[];
  /** Sends a chain's requests. Each is a request to the site. */
  readonly probe: (options: ProbeOptions) => Promise<Probed>;
  /** Requests that may be sent here. */
  readonly budget: number;
  readonly onProgress: (text: string) => void;
}

/** Why no chain was written, in a sentence for people. */
export class DistillError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "DistillError";
  }
}

export interface SettledChain extends Chain {
  /** Requests that were sent to find it. */
  readonly requests: number;
}

/**
 * Turns what was found in the recordings into a chain that the site answers: tries it over HTTP, repeats more of the session if it must, leaves out
 * what the site does not need, and finds the sign of `absent`. Throws `DistillError` with the part that has no explanation.
 */
export const settleChain = async (target: Target, settling: Settling): Promise<SettledChain> =>
  await new Settler(target, settling).settle();

class Settler {
  readonly #target: Target;
  readonly #settling: Settling;
  readonly #dropped: string[] = [];
  #requests = 0;
  /** Of the last chain that gave the right record: its answers in each run, by step. */
  readonly #answers = new Map<Run, readonly RecordedAnswer[]>();
  #lastEnd: Probed["end"] | undefined;

  constructor(target: Target, settling: Settling) {
    this.#target = target;
    this.#settling = settling;
  }

  async settle(): Promise<SettledChain> {
    const found = await this.#firstThatWorks();
    const small = await this.#withoutHeaders(await this.#withoutSteps(found));
    await this.#check(small);
    const steps = await this.#withAbsent(small);
    const calls = this.#settling.present[0]!.calls;
    const used = new Set(steps.map(({ call }) => call));
    const left = calls
      .slice(0, Math.max(...this.#target.calls.values()))
      .flatMap(({ method, url }, at) => (used.has(at + 1) ? [] : [`${method} ${url.pathname}`]));
    return {
      steps,
      fields: this.#target.fields,
      dropped: [...new Set([...left, ...this.#dropped])],
      requests: this.#requests,
    };
  }

  /** Whether the chain gives the browser's record. */
  async #works(steps: readonly ChainStep[], run = this.#settling.present[0]!): Promise<boolean> {
    const { required } = this.#settling;
    const probed = await this.#probe(steps, run);
    const isRight = "records" in probed.end && sameRecords(run.records ?? [], probed.end.records, required);
    if (isRight) this.#answers.set(run, probed.answers);
    else this.#lastEnd = probed.end;
    return isRight;
  }

  /** The same for a smaller chain. False if the rest of the budget is needed for requests that must still be sent. */
  async #worksToo(steps: readonly ChainStep[]): Promise<boolean> {
    const { budget, present, absent } = this.#settling;
    const needed = steps.length * (present.length - 1 + absent.length);
    return this.#requests + steps.length + needed <= budget && (await this.#works(steps));
  }

  async #probe(steps: readonly ChainStep[], { input }: Run, accept: readonly number[] = []): Promise<Probed> {
    const { probe, budget } = this.#settling;
    if (this.#requests + steps.length > budget)
      throw new DistillError(`the budget of ${budget} requests is used up. Allow more with --budget`);
    const probed = await probe({ steps, fields: this.#target.fields, input, accept });
    this.#requests += probed.requests;
    return probed;
  }

  async #firstThatWorks(): Promise<readonly ChainStep[]> {
    let unexplained: { readonly found: FoundSteps; readonly what: Unexplained } | undefined;
    let tried: string | undefined;
    for (const level of CHAIN_LEVELS) {
      const found = findSteps(this.#settling.present, this.#target.calls, level);
      if (found === undefined) continue;
      const text = JSON.stringify(found);
      // A chain without the input would give the same record for all.
      if (text === tried || (level !== "all" && !usesInput(found.steps))) continue;
      tried = text;
      const [what] = found.unexplained;
      if (what !== undefined) unexplained ??= { found, what };
      for (const { steps, left } of variants(found)) {
        this.#settling.onProgress(
          `Trying ${steps.length} plain request${steps.length === 1 ? "" : "s"}${left.length === 0 ? "" : `, without ${left.join(", ")}`}`,
        );
        if (!(await this.#works(steps))) continue;
        this.#dropped.push(...left);
        return steps;
      }
    }
    if (unexplained !== undefined)
      throw new DistillError(unexplainedText(unexplained.found, unexplained.what));
    throw new DistillError(this.#refusal());
  }

  /** Nothing is left unexplained, and yet the site answers otherwise. */
  #refusal(): string {
    const end = this.#lastEnd;
    if (end === undefined)
      return "no request contains the input, so the site's responses do not depend on it";
    if ("failure" in end)
      return `the site answers the browser's requests differently over HTTP (${end.failure.kind}: ${end.failure.detail}). It may recognize browsers by their connection, or ask for cookies that a script sets`;
    if ("absent" in end) return "over HTTP the site says that the input does not exist";
    return "over HTTP the same requests give a different record than in the browser";
  }

  /** Requests that give no value: cookies and state may turn out not to be needed. */
  async #withoutSteps(all: readonly ChainStep[]): Promise<readonly ChainStep[]> {
    let steps = all;
    for (const step of all.toReversed()) {
      const at = steps.indexOf(step);
      const isUsed = steps.some(({ parts, link }) =>
        [...parts.flatMap(({ template }) => template), link].some(
          (one) => typeof one === "object" && one.from === "step" && one.step === at,
        ),
      );
      if (isUsed || step.keeps !== undefined) continue;
      const fewer = without(steps, at);
      if (!usesInput(fewer)) continue;
      this.#settling.onProgress(`Trying without ${requestText(step)}`);
      if (await this.#worksToo(fewer)) steps = fewer;
    }
    return steps;
  }

  /** All extra headers at once; if the site needs some, one by one. */
  async #withoutHeaders(all: readonly ChainStep[]): Promise<readonly ChainStep[]> {
    const headers = all.flatMap(({ parts }, step) =>
      parts.filter(({ in: place }) => place === "header").map((part) => ({ step, part })),
    );
    if (headers.length === 0) return all;
    this.#settling.onProgress("Trying without extra headers");
    const none = headers.reduce((steps, { step, part }) => withoutPart(steps, step, part), all);
    if (await this.#worksToo(none)) return await this.#withoutSteps(none);
    let steps = all;
    for (const { step, part } of headers) {
      const fewer = withoutPart(steps, step, part);
      if (await this.#worksToo(fewer)) steps = fewer;
    }
    return steps;
  }

  /** What was left out for the first input must not be needed for the others. */
  async #check(steps: readonly ChainStep[]): Promise<void> {
    for (const run of this.#settling.present.slice(1)) {
      if (!(await this.#works(steps, run)))
        throw new DistillError(
          `the chain found for ${JSON.stringify(this.#settling.present[0]!.input)} gives a wrong record for ${JSON.stringify(run.input)}: ${this.#refusal()}`,
        );
    }
  }

  async #withAbsent(steps: readonly ChainStep[]): Promise<readonly ChainStep[]> {
    const seen: (readonly RecordedAnswer[])[] = [];
    for (const run of this.#settling.absent) {
      this.#settling.onProgress(`Requesting ${JSON.stringify(run.input)}, which is absent`);
      seen.push((await this.#probe(steps, run, ABSENT_STATUSES)).answers);
    }
    const signs = new Map<number, AbsentSign>();
    for (const answers of seen) {
      const isKnown = [...signs].some(
        ([at, sign]) => answers[at] !== undefined && hasSign(sign, answers[at]),
      );
      if (isKnown) continue;
      const found = this.#signOf(answers, seen) ?? this.#signOf(answers, [answers]);
      if (found === undefined) throw this.#noSign(steps, answers.length - 1);
      signs.set(found.at, found.sign);
    }
    return steps.map((step, at) => ({ ...step, ...(signs.has(at) && { absent: signs.get(at)! }) }));
  }

  /** A sign that all of these have, in the last step that one of them came to, or before it. */
  #signOf(
    { length }: readonly RecordedAnswer[],
    seen: readonly (readonly RecordedAnswer[])[],
  ): { readonly at: number; readonly sign: AbsentSign } | undefined {
    for (let at = length - 1; at >= 0; at--) {
      const there = seen.flatMap((answers) => answers[at] ?? []);
      const present = [...this.#answers.values()].flatMap((answers) => answers[at] ?? []);
      const sign = there.length < seen.length ? undefined : findSign(there, present);
      if (sign !== undefined) return { at, sign };
    }
    return undefined;
  }

  #noSign(steps: readonly ChainStep[], last: number): DistillError {
    const inputs = this.#settling.absent.map(({ input }) => JSON.stringify(input)).join(", ");
    return new DistillError(
      `${steps[last] === undefined ? "no request" : requestText(steps[last])} says that ${inputs} is absent: its response has no status, value, element or sentence that the others lack`,
    );
  }
}

const usesInput = (steps: readonly ChainStep[]): boolean =>
  steps.some(({ parts }) =>
    parts.some(({ template }) => template.some((one) => typeof one === "object" && one.from === "input")),
  );

/** Without the unexplained parts; then with the time, if they are timestamps. */
const variants = ({
  steps,
  unexplained,
}: FoundSteps): { readonly steps: readonly ChainStep[]; readonly left: readonly string[] }[] => {
  if (unexplained.length === 0) return [{ steps, left: [] }];
  const cannotGo = unexplained.some(({ part }) => part.in === "path" || part.in === "body");
  const bare = unexplained.reduce((all, { step, part }) => withoutPart(all, step, part), steps);
  const left = unexplained.map(({ step, part }) => `${partName(part)} of ${requestText(steps[step]!)}`);
  const isTime = unexplained.every(({ clock }) => clock !== undefined);
  const timed = unexplained.reduce(
    (all, { step, part, clock }) => withPart(all, step, { ...part, template: clock ? [clock] : [] }),
    steps,
  );
  return [...(cannotGo ? [] : [{ steps: bare, left }]), ...(isTime ? [{ steps: timed, left: [] }] : [])];
};

const isPart =
  (part: PartId) =>
  (other: PartId): boolean =>
    partKey(part) === partKey(other);

const withoutPart = (steps: readonly ChainStep[], at: number, part: PartId): readonly ChainStep[] =>
  steps.map((step, index) => {
    if (index !== at) return step;
    const parts = step.parts.filter((one) => !isPart(part)(one));
    return { ...step, parts, ...(part.in === "json" && { omitted: [...(step.omitted ?? []), part.name] }) };
  });

const withPart = (steps: readonly ChainStep[], at: number, part: TemplatePart): readonly ChainStep[] =>
  steps.map((step, index) =>
    index === at ? { ...step, parts: step.parts.map((one) => (isPart(part)(one) ? part : one)) } : step,
  );

/** Without one step; the others count on. */
const without = (steps: readonly ChainStep[], at: number): readonly ChainStep[] =>
  steps.toSpliced(at, 1).map((step) => {
    const moved = <T>(one: T): T =>
      typeof one === "object" && one !== null && "step" in one && Number(one.step) > at
        ? { ...one, step: Number(one.step) - 1 }
        : one;
    return {
      ...step,
      ...(step.link && { link: moved(step.link) }),
      parts: step.parts.map((part) => ({ ...part, template: part.template.map(moved) })),
    };
  });
