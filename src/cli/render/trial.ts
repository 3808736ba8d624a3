import type { StorageLocation } from "../../ports/storage.ts";
import type { CapturedCase } from "../../devtools/capture-case.ts";
import { explainEach, explainField, explainPages } from "../../devtools/explain-field.ts";
import type { FoundRecord } from "../../devtools/fixture.ts";
import type { Tried } from "../../devtools/try-item.ts";
import type { Step, Watcher } from "../../devtools/watch-collector.ts";
import { FIELD_STATUSES } from "../../domain/record.ts";
import { redactSecrets } from "../../domain/redact-secrets.ts";
import type { CompiledScraper } from "../../scrapers/compiled-scraper.ts";
import { colors, commandName, print, screenWidth } from "../terminal.ts";
import { bytesText, counted, countText, fitText, padText, plainText, shellWord } from "../text.ts";
import { dataFlag } from "../options.ts";
import { failureAdvice } from "./next-steps.ts";
import { renderExplanation, renderRecord, statusPaint } from "./record.ts";

interface TrialReport {
  readonly ready: CompiledScraper;
  readonly tried: Tried;
  readonly job: string;
  readonly location: Pick<StorageLocation, "data">;
}

const MOST_RECORDS = 3;
const MOST_EMITTED = 5;
const MOST_EXPLAINED = 12;

/** What the item stored, its records, the problems with them, and how it ended. */
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
  `  stored ${what} ${colors.bold(plainText(name))}  ${colors.dim(`${mediaType}, ${bytesText(bytes)}`)}`;

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

/** For many records: how often each field has each status. */
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

/** Missing and malformed fields: each once, in the first record that has the problem. */
const problemLines = ({ ready, tried }: TrialReport): string[] => {
  const { records, pages, failure } = tried;
  const isChanged = failure?.kind === "structure-changed";
  const look = { indent: 4, width: screenWidth(), colors };
  if (records.length === 0) {
    const explanation = isChanged ? (explainEach(ready, pages) ?? explainPages(ready, pages)) : undefined;
    const what = ready.extraction === undefined ? "  nothing found on the page" : "  no record";
    return explanation === undefined ? [] : [what, ...renderExplanation(explanation, look)];
  }
  const whole = isChanged ? explainPages(ready, pages) : undefined;
  const required = new Set(ready.extraction?.required);
  const seen = new Set<string>();
  const lines = whole === undefined ? [] : ["  no field found", ...renderExplanation(whole, look)];
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
      `  emits ${counted(items.length, "item")} for ${colors.bold(scraper)}, not run here`,
      ...items
        .slice(0, MOST_EMITTED)
        .map(
          ({ input }) =>
            `    ${colors.dim(fitText(plainText(redactSecrets(JSON.stringify(input))), screenWidth() - 4))}`,
        ),
      ...(rest > 0 ? [colors.dim(`    and ${countText(rest)} more`)] : []),
    ];
  });

const endLines = ({ ready, tried, job, location }: TrialReport): string[] => {
  const where = colors.dim(`job ${job}${dataFlag(location)}`);
  switch (tried.outcome) {
    case "done": {
      const isPartial = tried.records.some(({ quality }) => quality === "partial");
      if (ready.extraction === undefined)
        return [`  ${colors.green("done")}, the scraper extracts nothing  ${where}`];
      const count = counted(tried.records.length, "record");
      const quality = isPartial ? colors.yellow("partial") : colors.green("complete");
      return [`  ${colors.green("done")}, ${count}, ${quality}  ${where}`];
    }
    case "absent":
      return [`  ${colors.cyan("absent")}: the site has no such item  ${where}`];
    case "interrupted":
      return [`  ${colors.yellow("interrupted")}  ${where}`];
    case "failed": {
      const { kind, detail, url, status } = tried.failure!;
      const unanswered =
        tried.unanswered === undefined || url !== undefined ? "" : ` (${redactSecrets(tried.unanswered)})`;
      return [
        `  ${colors.red(`failed: ${kind}`)}  ${where}`,
        `  ${plainText(detail)}${unanswered}`,
        ...(url === undefined ? [] : [colors.dim(`  ${plainText(redactSecrets(url))}`)]),
        `  ${failureAdvice({ kind, ...(status !== undefined && { status }) })}`,
      ];
    }
    default:
      return tried.outcome satisfies never;
  }
};

/** Shorter waits would end before anyone could read about them. */
const LONG_WAIT_MS = 1000;

/** Shows the requests of an item as they happen. */
export const openTrialView = (
  { scraper }: CompiledScraper,
  input: unknown,
  isJson: boolean,
): Omit<Watcher, "onEnd"> & Disposable => {
  const width = screenWidth();
  const home = scraper.site === undefined ? "" : new URL(scraper.site).origin;
  let timer: NodeJS.Timeout | undefined;
  let steps = 0;
  const wait = (url: URL): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const text = `  waiting for a slot for ${shortUrl(url.href, home)} …`;
      print([colors.dim(fitText(text, width))]);
    }, LONG_WAIT_MS);
  };
  if (!isJson) {
    const what = `${scraper.name} ${redactSecrets(plainText(JSON.stringify(input)))}`;
    print([colors.bold(fitText(what, width)), ...(home === "" ? [] : [colors.dim(home)])]);
  }
  return {
    onWait: (url) => (isJson ? undefined : wait(url)),
    onStep(step) {
      clearTimeout(timer);
      if (steps++ === 0 && !isJson) print([""]);
      print([isJson ? stepJson(step) : renderStep(step, home, width)]);
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
};

const stepJson = ({ url, redirectsTo, ...step }: Step): string =>
  JSON.stringify({
    type: "step",
    ...step,
    url: redactSecrets(url),
    ...(redirectsTo !== undefined && { redirectsTo: redactSecrets(redirectsTo) }),
  });

/** Shorter waits are within the precision of the clock. */
const MIN_WAIT_MS = 20;
const FACTS = 40;

/** `GET   /search                      200   3.1 kB    12 ms   waited 0.4 s`. */
const renderStep = (step: Step, home: string, width: number): string => {
  const { method, url, status, bytes, ms, waitedMs, redirectsTo } = step;
  const room = Math.max(20, Math.min(width, 120) - FACTS - 8);
  const where = padText(fitText(shortUrl(url, home), room), room);
  const size = padText(bytes === undefined ? "file" : bytesText(bytes), 9, "left");
  const facts = [
    `  ${colors.bold(padText(method, 5))} ${where}`,
    statusText(status),
    colors.dim(size),
    colors.dim(padText(`${Math.round(ms)} ms`, 8, "left")),
    ...(waitedMs >= MIN_WAIT_MS ? [colors.dim(`waited ${secondsText(waitedMs)}`)] : []),
  ];
  const line = facts.join("  ");
  return redirectsTo === undefined
    ? line
    : `${line}\n        ${colors.dim(`→ ${shortUrl(redirectsTo, home)}`)}`;
};

/** Without the origin of the scraper's own site, which is shown once at the top. */
const shortUrl = (url: string, home: string): string => {
  const shown = plainText(redactSecrets(url));
  return home !== "" && shown.startsWith(`${home}/`) ? shown.slice(home.length) : shown;
};

const statusText = (status: number): string =>
  status < 300
    ? colors.green(String(status))
    : status < 400
      ? colors.cyan(String(status))
      : colors.red(String(status));

const secondsText = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;

/** What was written, what was removed from it, and what to check before committing it. */
export const renderCapture = (captured: CapturedCase, scraper: string): string[] => {
  const { folder, files, expected, stripped, changed } = captured;
  const fields = expected.records.flatMap((record) => Object.values(record.fields));
  const counts = FIELD_STATUSES.flatMap((status) => {
    const count = fields.filter((field) => field.status === status).length;
    return count === 0 ? [] : [statusPaint(status, colors)(`${countText(count)} ${status}`)];
  });
  const lines = ["", `  fixture ${colors.bold(folder)}`, ...files.map((file) => `    ${file}`), ""];
  lines.push(
    stripped.length === 0
      ? colors.dim("  no secrets found in the pages")
      : `  removed: ${stripped.join(", ")}`,
    // Without the old value, which may be the secret.
    ...changed.map(
      ({ field, was, is }) =>
        `  ${colors.yellow("changed by the removal")}: ${field}${was === is ? "" : ` was ${was ?? "undefined"}, is ${is ?? "undefined"}`}`,
    ),
  );
  const failure = expected.failure === undefined ? "" : colors.red(`  ${expected.failure}`);
  const inputs = Object.entries(expected.emitted?.inputs ?? {});
  lines.push(
    ...(expected.records.length === 0 && inputs.length > 0
      ? []
      : [
          `  expects ${counted(expected.records.length, "record")}: ${counts.join(colors.dim(" · "))}${failure}`,
        ]),
    ...inputs.map(([target, found]) => `  expects ${counted(found.length, "input")} for ${target}`),
    "",
    colors.dim("  Check expected.json: `sluice test` compares the scraper with it."),
    colors.dim(`  ${commandName()} test ${shellWord(scraper)}`),
  );
  return lines;
};
