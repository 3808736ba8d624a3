import { type DriftOptions, type Finding, judgeDrift, learnPriors } from "../../src/domain/drift.ts";
import { type MadeScraper, makeScrapers, type Scenario } from "./histories.ts";

export interface DriftRates {
  /** Runs of fields in which nothing is wrong, and the findings about them. */
  readonly innocent: number;
  readonly falseFindings: number;
  /** Of these, about a whole run. */
  readonly falseOfRuns: number;
  readonly broken: number;
  readonly found: number;
}

/** Judges the tested week of every scraper with what the histories of all of them have taught. */
export const driftRates = (scenario: Scenario, options: DriftOptions = {}): DriftRates => {
  const scrapers = makeScrapers(scenario);
  const priors = learnPriors(scrapers.map(({ history }) => history));
  const sums = { innocent: 0, falseFindings: 0, falseOfRuns: 0, broken: 0, found: 0 };
  for (const { history, tested, broken } of scrapers) {
    const { findings } = judgeDrift(tested, history, { ...options, priors });
    const found = new Set(findings.flatMap(fieldsOf));
    const ofRun = findings.filter(({ field }) => field === undefined).length;
    sums.innocent += scenario.fields - broken.size;
    sums.broken += broken.size;
    sums.found += [...broken].filter((name) => found.has(name)).length;
    sums.falseOfRuns += ofRun;
    sums.falseFindings += ofRun + falseFields(findings, broken);
  }
  return sums;
};

const fieldsOf = ({ field, fields = [] }: Finding): readonly string[] =>
  field === undefined ? fields : [field];

/** A field with several findings counts once. */
const falseFields = (findings: readonly Finding[], broken: MadeScraper["broken"]): number =>
  new Set(findings.flatMap(({ field }) => (field === undefined || broken.has(field) ? [] : [field]))).size;
