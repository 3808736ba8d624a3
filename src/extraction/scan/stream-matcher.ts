import { foldSpace } from "../folded-text.ts";
import { compileSelector } from "../selector.ts";
import { answerByDocument } from "./answer-by-document.ts";
import { decodeEntities, foldBreaks } from "./markup.ts";
import { HtmlScanner } from "./html-scanner.ts";
import { MatchMachine, MatchProgram, WORD_BITS } from "./match-machine.ts";
import { OpenElement } from "./open-element.ts";
import { linkAttributeOf, type Match, type PageQuery, type Row } from "./page-query.ts";
import { type Chain, type Reach, streamSelector } from "./stream-selector.ts";
import type { TagKind } from "./tag-kind.ts";
import { type OpenMatch, TextCapture } from "./text-capture.ts";
import type { LateBody, ScanSink } from "./tree-state.ts";

export interface StreamSpec {
  readonly page: readonly PageQuery[];
  /** Selects the rows for the queries in `row`. */
  readonly each?: string;
  readonly row?: readonly PageQuery[];
}

export interface StreamMatcher {
  /** For each query: false if it needs the document. */
  readonly canStream: readonly boolean[];
  readonly canStreamEach: boolean;
  readonly canStreamRow: readonly boolean[];
  /** The answers in the order of the queries; undefined for those that cannot be streamed. */
  run(text: string): {
    readonly page: readonly (readonly Match[] | undefined)[];
    readonly rows: readonly Row[];
  };
}

/** Throws `SelectorError` if a selector is invalid. */
export function compileStream({ page, each, row = [] }: StreamSpec): StreamMatcher {
  const pageChains = page.map(({ css }) => chainsOf(css, "page"));
  const rowChains = row.map(({ css }) => chainsOf(css, "row"));
  const eachChains = each === undefined ? undefined : chainsOf(each, "page");
  const plan: StreamPlan = {
    page: page.map((query, at) => (pageChains[at] === undefined ? undefined : query)),
    pageProgram: new MatchProgram([...pageChains, eachChains]),
    hasRows: eachChains !== undefined,
    row: row.map((query, at) => (rowChains[at] === undefined ? undefined : query)),
    rowProgram: new MatchProgram(rowChains),
    pageMachines: [],
    rowMachines: [],
  };
  return {
    canStream: pageChains.map((chains) => chains !== undefined),
    canStreamEach: eachChains !== undefined,
    canStreamRow: rowChains.map((chains) => chains !== undefined),
    run(text) {
      let run = new StreamRun(plan, text);
      let answers = run.run();
      if (run.needsDocument && run.lateBody !== undefined) {
        run = new StreamRun(plan, text, run.lateBody);
        answers = run.run();
      }
      return run.needsDocument
        ? answerByDocument(text, plan.page, plan.hasRows ? each : undefined, plan.row)
        : answers;
    },
  };
}

function chainsOf(css: string, reach: Reach): readonly Chain[] | undefined {
  compileSelector(css);
  const chains = streamSelector(css, reach);
  return chains?.every(({ compounds }) => compounds.length <= WORD_BITS) === true ? chains : undefined;
}

/** The queries of every page. In `pageProgram`, the query after the last of `page` finds the rows. */
interface StreamPlan {
  readonly page: readonly (PageQuery | undefined)[];
  readonly pageProgram: MatchProgram;
  readonly hasRows: boolean;
  readonly row: readonly (PageQuery | undefined)[];
  readonly rowProgram: MatchProgram;
  /** Machines that no page is using. */
  readonly pageMachines: MatchMachine[];
  readonly rowMachines: MatchMachine[];
}

type Answers = (OpenMatch[] | undefined)[];

interface OpenRow {
  readonly machine: MatchMachine;
  readonly depth: number;
  readonly answers: Answers;
}

/** Nested rows: each costs work for every element. Beyond this, the document is faster. */
const MOST_OPEN_ROWS = 32;

/** Nested texts: how many at a time, and the source characters of all that end inside others. */
const MOST_OPEN_CAPTURES = 16;
const MOST_NESTED = 8_000_000;

/** Matches one page. */
class StreamRun implements ScanSink {
  readonly #plan: StreamPlan;
  readonly #text: string;
  readonly #scanner: HtmlScanner;
  readonly #element: OpenElement;
  readonly #machine: MatchMachine;
  readonly #openRows: OpenRow[] = [];
  readonly #captures: TextCapture[] = [];
  #depth = 0;
  /** By depth: the child elements so far, and how many of each tag. */
  readonly #counts: number[] = [0];
  readonly #typeCounts: Map<string, number>[] = [];
  readonly #countsTypes: boolean;
  /** Queries that may still find something. */
  #unanswered: number;
  /** Characters of captures that ended inside others. */
  #nested = 0;
  #isTooNested = false;
  readonly #page: Answers;
  readonly #rows: Row[] = [];

  constructor(plan: StreamPlan, text: string, lateBody?: LateBody) {
    this.#plan = plan;
    this.#text = text;
    this.#scanner = new HtmlScanner(text, this, { lateBody });
    this.#element = new OpenElement(this.#scanner.attributes);
    this.#machine = plan.pageMachines.pop() ?? new MatchMachine(plan.pageProgram);
    this.#machine.beginPage();
    this.#countsTypes = plan.pageProgram.countsTypes || plan.rowProgram.countsTypes;
    this.#page = plan.page.map(emptyAnswer);
    this.#unanswered = plan.page.filter((query) => query !== undefined).length + (plan.hasRows ? 1 : 0);
  }

  run(): { page: readonly (readonly Match[] | undefined)[]; rows: readonly Row[] } {
    if (this.#unanswered > 0) this.#scanner.run();
    this.#plan.pageMachines.push(this.#machine);
    this.#scanner.attributes.release();
    return { page: this.#page, rows: this.#rows };
  }

  opens(kind: TagKind, at: number, inside: number): void {
    if (this.#scanner.isDone) {
      this.#scanner.attributes.forget();
      return;
    }
    const element = this.#element;
    const parent = this.#depth++;
    const depth = this.#depth;
    const before = this.#counts[parent] ?? 0;
    this.#counts[parent] = before + 1;
    this.#counts[depth] = 0;
    element.begin(kind, parent === 0, before);
    if (this.#countsTypes) this.#countType(kind.lower, parent);
    for (const capture of this.#captures) capture.opens(kind.name, depth);

    this.#machine.open(kind, element, true);
    for (const { machine, answers } of this.#openRows) {
      machine.open(kind, element, false);
      for (const query of machine.hits) {
        if (!this.#found(this.#plan.row[query], answers[query], at, inside)) machine.drop(query);
      }
    }
    for (const query of this.#machine.hits) {
      if (query === this.#plan.page.length) this.#opensRow(kind, at);
      else if (!this.#found(this.#plan.page[query], this.#page[query], at, inside)) {
        this.#machine.drop(query);
        this.#unanswered--;
      }
    }
    this.#scanner.attributes.forget();
    this.#stopWhenDone();
  }

  closes(kind: TagKind, at: number): void {
    if (this.#scanner.isDone) return;
    const depth = this.#depth--;
    const captures = this.#captures;
    if (captures.length > 0) {
      for (let last = captures.at(-1); last?.depth === depth; last = captures.at(-1)) {
        captures.pop();
        last.ends(this.#text, at);
        if (captures.length > 0) this.#nested += at - last.inside;
      }
      if (this.#nested > MOST_NESTED) this.#giveUp();
      for (const capture of captures) capture.closes(kind.name, depth);
      this.#stopWhenDone();
    }
    this.#machine.close();
    if (this.#openRows.length === 0) return;
    if (this.#openRows.at(-1)?.depth === depth) {
      const ended = this.#openRows.pop();
      if (ended !== undefined) this.#plan.rowMachines.push(ended.machine);
    }
    for (const { machine } of this.#openRows) machine.close();
  }

  text(from: number, to: number, hasEntities: boolean): void {
    if (this.#captures.length === 0) return;
    let piece: string | undefined;
    for (const capture of this.#captures) {
      if (!capture.wantsText()) continue;
      piece ??= hasEntities
        ? decodeEntities(this.#text, from, to, "text")
        : foldBreaks(this.#text.slice(from, to));
      capture.add(piece);
    }
  }

  /** False if the query needs no more matches. */
  #found(query: PageQuery | undefined, answer: OpenMatch[] | undefined, at: number, inside: number): boolean {
    if (query === undefined || answer === undefined) return true;
    const { take } = query;
    const element = this.#element;
    const match: OpenMatch = { text: undefined, at, tag: element.tag };
    answer.push(match);
    if (take === "text" || take === "raw" || take === "html") {
      if (this.#captures.length === MOST_OPEN_CAPTURES) this.#giveUp();
      else this.#captures.push(new TextCapture(match, take, this.#depth, inside));
    } else {
      const value = element.attribute(take === "link" ? linkAttributeOf(element.tag) : take.attribute);
      if (value !== undefined) match.text = foldSpace(value);
    }
    return query.isMany;
  }

  #opensRow(kind: TagKind, at: number): void {
    if (this.#openRows.length === MOST_OPEN_ROWS) {
      this.#giveUp();
      return;
    }
    const machine = this.#plan.rowMachines.pop() ?? new MatchMachine(this.#plan.rowProgram);
    machine.beginRow(kind, this.#element);
    const answers = this.#plan.row.map(emptyAnswer);
    this.#rows.push({ at, answers });
    this.#openRows.push({ machine, depth: this.#depth, answers });
  }

  /** Whether the answers are invalid: the page needs repair, or matches are nested too deeply. */
  get needsDocument(): boolean {
    return this.#isTooNested || this.#scanner.reason !== undefined;
  }

  /** With this, a second run may succeed. */
  get lateBody(): LateBody | undefined {
    return this.#scanner.lateBody;
  }

  #giveUp(): void {
    this.#isTooNested = true;
    this.#scanner.isStopped = true;
  }

  #countType(tag: string, parent: number): void {
    const counts = (this.#typeCounts[parent] ??= new Map());
    const before = counts.get(tag) ?? 0;
    counts.set(tag, before + 1);
    this.#element.beforeOfType = before;
    this.#typeCounts[parent + 1]?.clear();
  }

  #stopWhenDone(): void {
    if (this.#unanswered === 0 && this.#captures.length === 0) this.#scanner.isDone = true;
  }
}

const emptyAnswer = (query: PageQuery | undefined): OpenMatch[] | undefined =>
  query === undefined ? undefined : [];
