import type { JobSpec } from "../../domain/job.ts";
import { parseSpec } from "../../domain/job-version.ts";

/** A job's text seldom changes, and a few jobs are asked for again and again. */
const parsed = new Map<string, JobSpec>();
const MOST_PARSED = 200;

export const readSpec = (text: string): JobSpec => {
  const known = parsed.get(text);
  if (known) return known;
  const spec = parseSpec(text);
  if (parsed.size >= MOST_PARSED) parsed.delete(parsed.keys().next().value!);
  parsed.set(text, spec);
  return spec;
};
