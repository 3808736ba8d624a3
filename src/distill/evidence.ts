import type { Distilled } from "./distill.ts";
import type { Proof } from "./prove.ts";
import { stepLines } from "./explain-chain.ts";

interface Evidence extends Distilled {
  readonly proof: Proof;
  /** Path of the browser's scraper. */
  readonly source: string;
  readonly software: string;
}

/**
 * What was found, tried and compared, for a review of the scraper. Without values of the site, because some of them are tokens.
 */
export const evidenceOf = ({ chain, inputs, lostFiles, proof, source, software }: Evidence): string => {
  const { differences: _, ...compared } = proof;
  const evidence = {
    software,
    source,
    comparedRuns: inputs,
    requestsSent: chain.requests,
    chain: chain.steps.map((step) => ({
      request: `${step.method} ${step.origin}${step.path}`,
      answer: step.name,
      why: stepLines(step, chain.steps),
    })),
    fields: chain.fields,
    dropped: chain.dropped,
    files: chain.files,
    filesNotKept: lostFiles,
    proof: compared,
  };
  return `${JSON.stringify(evidence, null, 2)}\n`;
};
