/** A test reporter: which tests were skipped and why, which files took longest, and one line with the counts. */
import type { TestEvent } from "node:test/reporters";

const SLOWEST_SHOWN = 10;

export default async function* summary(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const seconds = new Map<string, number>();
  const skipped = new Map<string, string[]>();
  let [passed, failed, numSkipped] = [0, 0, 0];
  for await (const { type, data } of events) {
    if (type === "test:pass" || type === "test:fail") {
      // A file that shares a process is a suite named after it.
      if (data.details.type === "suite" && data.nesting === 0 && data.name.endsWith(".test.ts"))
        seconds.set(data.name, data.details.duration_ms / 1000);
      if (type === "test:fail" && !data.todo && !hasOnlyFailedSubtests(data.details.error)) failed += 1;
      if (data.skip !== undefined) {
        const reason = typeof data.skip === "string" ? data.skip : "no reason given";
        skipped.set(reason, [...(skipped.get(reason) ?? []), data.name]);
      }
    }
    if (type !== "test:summary") continue;
    if (data.file === undefined) [passed, numSkipped] = [data.counts.passed, data.counts.skipped];
    else if (data.file.endsWith(".test.ts"))
      seconds.set(data.file.replace(`${process.cwd()}/`, ""), data.duration_ms / 1000);
  }
  if (seconds.size > SLOWEST_SHOWN) {
    yield "\nSlowest files:\n";
    const slowest = [...seconds].sort(([, a], [, b]) => b - a).slice(0, SLOWEST_SHOWN);
    for (const [file, took] of slowest) yield `${took.toFixed(1).padStart(7)} s  ${file}\n`;
  }
  if (skipped.size > 0) yield "\nSkipped:\n";
  for (const [reason, names] of skipped)
    yield `  ${reason}: ${names.map((name) => `"${name}"`).join(", ")}\n`;
  yield `\n${passed} passed, ${failed} failed, ${numSkipped} skipped\n`;
}

/** A suite, or a test with subtests, fails with them. It is not counted again. */
const hasOnlyFailedSubtests = (error: Error): boolean =>
  "failureType" in error && error.failureType === "subtestsFailed";
