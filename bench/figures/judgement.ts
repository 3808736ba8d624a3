import type { BenchKit } from "../bench-kit.ts";
import type { BenchOptions } from "../bench-options.ts";
import type { Figure } from "../figure.ts";
import { judgePages } from "../judgement/judge-pages.ts";
import { judgementReport } from "../judgement/report.ts";

const GOAL = { atLeast: 0.99 };
/** Every locale in every layout, twice. */
const SITES = 360;
const PAGES_A_SITE = 60;
const SEED = 20_260_101;

/** Judges generated pages against what was drawn for each of their cells. One round: the same pages give the same judgement. */
export const measureJudgement = (_kit: BenchKit, { full }: BenchOptions): Promise<Figure[]> => {
  const run = judgePages({ seed: SEED, sites: SITES, pagesASite: full ? PAGES_A_SITE * 5 : PAGES_A_SITE });
  console.error(judgementReport(run));
  const about = { unit: "share", goal: GOAL, rounds: 1 } as const;
  const figures: Figure[] = run.all.scores().flatMap(({ status, cells, precision, recall }) => [
    {
      ...about,
      figure: `judgement: precision of ${status}`,
      value: floored(precision),
      from: { pages: run.pages, cells: run.all.cells, judged: run.all.matrix },
      note: `of the generated cells that were judged ${status}, the share that really are ${status}`,
    },
    {
      ...about,
      figure: `judgement: recall of ${status}`,
      value: floored(recall),
      from: { cells },
      note: `of the generated cells that are ${status}, the share that were judged ${status}`,
    },
  ]);
  figures.push({
    ...about,
    figure: "judgement: values read right",
    value: floored(run.all.rightShare),
    from: { present: run.all.present, right: run.all.rightValues },
    note: "of the cells correctly judged present, the share with the value that a person would read",
  });
  return Promise.resolve(figures);
};

/** Never rounds up to the goal. */
const floored = (share: number): number => Math.floor(share * 10_000) / 10_000;
