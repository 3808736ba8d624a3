import type { TestEvent } from "node:test/reporters";

const SHOWN = 10;

/** A reporter for `npm test`: the files that took the longest, for whoever wants to shorten the whole. */
export default async function* slowestFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const took: { readonly file: string; readonly seconds: number }[] = [];
  for await (const { type, data } of events)
    if (type === "test:summary" && data.file)
      took.push({ file: data.file.replace(`${process.cwd()}/`, ""), seconds: data.duration_ms / 1000 });
  if (took.length <= SHOWN) return;
  yield "slowest files:\n";
  for (const { file, seconds } of took.sort((a, b) => b.seconds - a.seconds).slice(0, SHOWN))
    yield `${seconds.toFixed(1).padStart(7)} s  ${file}\n`;
}
