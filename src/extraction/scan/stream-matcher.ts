import { compileSelector } from "../selector.ts";
import { answerByDocument } from "./answer-by-document.ts";
import { MatchProgram, WORD_BITS } from "./match-program.ts";
import type { Match, PageQuery, Row } from "./page-query.ts";
import { StreamRun } from "./stream-run.ts";
import type { StreamPlan } from "./stream-run.ts";
import { streamSelector } from "./stream-selector.ts";
import type { Chain, Reach } from "./stream-selector.ts";

export interface StreamSpec {
  readonly page: readonly PageQuery[];
  /** The rows that `row` is asked of, one by one. */
  readonly each?: string;
  readonly row?: readonly PageQuery[];
}

export interface StreamMatcher {
  /** For each query: false when it needs the document. */
  readonly canStream: readonly boolean[];
  readonly canStreamEach: boolean;
  readonly canStreamRow: readonly boolean[];
  /** The answers of the queries in order; undefined for those that cannot be streamed. */
  run(text: string): {
    readonly page: readonly (readonly Match[] | undefined)[];
    readonly rows: readonly Row[];
  };
}

/** Throws `SelectorError` when a selector cannot be read. */
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
