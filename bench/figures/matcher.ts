import { isDeepStrictEqual } from "node:util";
import type { BenchKit } from "../bench-kit.ts";
import type { BenchOptions } from "../bench-options.ts";
import type { Figure } from "../figure.ts";
import { installPeers, peerScript } from "../peers-folder.ts";
import { runChild } from "../run-child.ts";
import { runScript } from "../run-job.ts";
import type { MatchTask } from "../runs/match-pages.ts";
import type { MatchRun } from "../site/timed-pages.ts";
import { rounded, spreadOf } from "../spread.ts";

const OWN: readonly MatchTask["way"][] = ["stream", "whole", "document"];
const PEERS = ["htmlparser2", "cheerio"] as const;

/** Eight fields from the bytes of the county page in one thread: a single pass and the document, against their peers. */
export const measureMatcher = async (_kit: BenchKit, { rounds }: BenchOptions): Promise<Figure[]> => {
  await installPeers();
  const contenders = [
    ...OWN.map((way) => ({ way, script: runScript("match-pages.ts") })),
    ...PEERS.map((way) => ({ way, script: peerScript("match-pages.mjs") })),
  ];
  const perSecond = new Map<string, number[]>(contenders.map(({ way }) => [way, []]));
  let sample: MatchRun["sample"] | undefined;
  for (let round = 0; round < rounds; round++) {
    for (const { way, script } of contenders) {
      const run = await runChild<MatchRun>(script, { way });
      sample ??= run.sample;
      if (sample.includes("") || !isDeepStrictEqual(sample, run.sample))
        throw new Error(`${way} found other fields: ${JSON.stringify(run.sample)}`);
      perSecond.get(way)?.push(run.perSecond);
    }
  }
  const spreads = Object.fromEntries([...perSecond].map(([way, runs]) => [way, spreadOf(runs)]));
  const ratio = (way: string, peer: string): number =>
    rounded((spreads[way]?.median ?? 0) / (spreads[peer]?.median ?? 1));
  const figure = { unit: "ratio", rounds, from: { pagesPerCpuSecond: spreads } } as const;
  return [
    {
      ...figure,
      figure: "streaming ÷ htmlparser2 + css-select",
      value: ratio("stream", "htmlparser2"),
      goal: { atLeast: 5 },
      note: "eight fields of the county page, decoding included; after the last field, two thirds through the page, only the parts of tables are followed. `whole` reads to the end",
    },
    {
      ...figure,
      figure: "streaming ÷ cheerio",
      value: ratio("stream", "cheerio"),
      goal: { atLeast: 20 },
      note: "cheerio as it is used by default, on parse5",
    },
    {
      ...figure,
      figure: "document ÷ htmlparser2 + css-select",
      value: ratio("document", "htmlparser2"),
      note: "for fields that cannot be streamed: Sluice's tree, the same selectors",
    },
  ];
};
