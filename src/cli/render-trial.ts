import { redactSecrets } from "../domain/redact-secrets.ts";
import { FIELD_STATUSES } from "../domain/record.ts";
import type { CompiledScraper } from "../scrapers/compiled-scraper.ts";
import { explainEach, explainField, explainPages } from "../devtools/explain-field.ts";
import type { FoundRecord } from "../devtools/fixture.ts";
import type { Tried } from "../devtools/try-item.ts";
import { colors } from "./colors.ts";
import { failureAdvice } from "./failure-advice.ts";
import { fitText, plainText } from "./fit-text.ts";
import { bytesText, counted, countText } from "./number-text.ts";
import { dataFlag } from "./next-steps.ts";
import { renderExplanation } from "./render-explanation.ts";
import { renderRecord, statusPaint } from "./render-record.ts";
import { screenWidth } from "./trial-view.ts";

interface TrialReport {
  readonly ready: CompiledScraper;
  readonly tried: Tried;
  readonly job: string;
  readonly data: string;
}

const MOST_RECORDS = 3;
const MOST_EMITTED = 5;
const MOST_EXPLAINED = 12;

/** What came of the item: what it kept, its records, what is wrong with them, and how it ended. */
export const renderTrial = (report: TrialReport): string[] => {
  const sections = [
    keptLines(report),
    recordLines(report),
    problemLines(report),
    emittedLines(report),
    endLines(report),
  ];
  return sections.filter((lines) => lines.length > 0).flatMap((lines) => ["", ...lines]);
};

const keptLines = ({ tried: { pages, files } }: TrialReport): string[] => [
  ...pages.map(({ name, mediaType, text }) => keptLine("page", name, mediaType, Buffer.byteLength(text))),
  ...files.map(({ name, mediaType, size }) => keptLine("file", name, mediaType, size)),
];

const keptLine = (what: string, name: string, mediaType: string, bytes: number): string =>
  `  kept ${what} ${colors.bold(plainText(name))}  ${colors.dim(`${mediaType}, ${bytesText(bytes)}`)}`;

const recordLines = ({ ready, tried: { records, pages } }: TrialReport): string[] => {
  const width = screenWidth();
  const required = ready.extraction?.required ?? [];
  const shown = records.slice(0, MOST_RECORDS).flatMap((record, index) => {
    const text = pages.find(({ name }) => name === record.from)?.text;
    const title = records.length === 1 ? [] : [colors.bold(`  record ${index + 1}`)];
    const look = { width, colors, required, ...(text !== undefined && { text }) };
    return [...(index > 0 ? [""] : []), ...title, ...renderRecord(record, look)];
  });
  return records.length > MOST_RECORDS ? [...shown, "", ...overview(records)] : shown;
};

/** Of many records, how often each field has each status. */
const overview = (records: readonly FoundRecord[]): string[] => {
  const names = [...new Set(records.flatMap(({ fields }) => Object.keys(fields)))];
  const longest = Math.max(...names.map((name) => name.length));
  return [
    `  all ${countText(records.length)} records`,
    ...names.map((name) => {
      const counts = FIELD_STATUSES.flatMap((status) => {
        const count = records.filter(({ fields }) => (fields[name]?.status ?? "missing") === status).length;
        return count === 0 ? [] : [statusPaint(status, colors)(`${countText(count)} ${status}`)];
      });
      return `  ${name.padEnd(longest)}  ${counts.join(colors.dim(" · "))}`;
    }),
  ];
};

/** Fields that are not as they should be: each once, in the first record where it is so. */
const problemLines = ({ ready, tried }: TrialReport): string[] => {
  const { records, pages, failure } = tried;
  const isChanged = failure?.kind === "structure-changed";
  const look = { indent: 4, width: screenWidth(), colors };
  if (records.length === 0) {
    const explanation = isChanged ? (explainEach(ready, pages) ?? explainPages(ready, pages)) : undefined;
    const what = ready.extraction === undefined ? "  nothing on the page" : "  no record";
    return explanation === undefined ? [] : [what, ...renderExplanation(explanation, look)];
  }
  const whole = isChanged ? explainPages(ready, pages) : undefined;
  const required = new Set(ready.extraction?.required);
  const seen = new Set<string>();
  const lines = whole === undefined ? [] : ["  none of its fields", ...renderExplanation(whole, look)];
  for (const [record, { fields }] of records.entries())
    for (const [field, { status }] of Object.entries(fields)) {
      const isWrong = status === "malformed" || (status === "missing" && required.has(field));
      if (!isWrong || seen.has(field)) continue;
      seen.add(field);
      if (seen.size > MOST_EXPLAINED) continue;
      const where = records.length === 1 ? "" : colors.dim(` in record ${record + 1}`);
      const explanation = explainField(ready, pages, records, { record, field });
      lines.push(
        ...(lines.length > 0 ? [""] : []),
        `  ${statusPaint(status, colors)(status)} ${colors.bold(plainText(field))}${where}`,
        ...(explanation === undefined ? [] : renderExplanation(explanation, look)),
      );
    }
  const rest = seen.size - MOST_EXPLAINED;
  if (rest > 0) lines.push("", `  and ${counted(rest, "more field")} missing or malformed`);
  return lines;
};

const emittedLines = ({ tried: { emitted } }: TrialReport): string[] =>
  [...Map.groupBy(emitted, ({ scraper }) => scraper)].flatMap(([scraper, items]) => {
    const rest = items.length - MOST_EMITTED;
    return [
      `  leads to ${counted(items.length, "item")} of ${colors.bold(scraper)}, not run here`,
      ...items
        .slice(0, MOST_EMITTED)
        .map(
          ({ input }) =>
            `    ${colors.dim(fitText(plainText(redactSecrets(JSON.stringify(input))), screenWidth() - 4))}`,
        ),
      ...(rest > 0 ? [colors.dim(`    and ${countText(rest)} more`)] : []),
    ];
  });

const endLines = ({ ready, tried, job, data }: TrialReport): string[] => {
  const kept = colors.dim(`job ${job}${dataFlag(data)}`);
  switch (tried.outcome) {
    case "done": {
      const isPartial = tried.records.some(({ quality }) => quality === "partial");
      if (ready.extraction === undefined)
        return [`  ${colors.green("done")}, the scraper extracts nothing  ${kept}`];
      const count = counted(tried.records.length, "record");
      const quality = isPartial ? colors.yellow("partial") : colors.green("complete");
      return [`  ${colors.green("done")}, ${count}, ${quality}  ${kept}`];
    }
    case "absent":
      return [`  ${colors.cyan("absent")}: the scraper says that the site has no such thing  ${kept}`];
    case "interrupted":
      return [`  ${colors.yellow("interrupted")} before its end  ${kept}`];
    case "failed": {
      const { kind, detail, url, status } = tried.failure!;
      const unanswered =
        tried.unanswered === undefined || url !== undefined ? "" : ` (${redactSecrets(tried.unanswered)})`;
      return [
        `  ${colors.red(`failed: ${kind}`)}  ${kept}`,
        `  ${plainText(detail)}${unanswered}`,
        ...(url === undefined ? [] : [colors.dim(`  ${plainText(redactSecrets(url))}`)]),
        `  ${failureAdvice({ kind, ...(status !== undefined && { status }) })}`,
      ];
    }
    default:
      return tried.outcome satisfies never;
  }
};
