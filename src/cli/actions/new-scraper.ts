import type { StorageLocation } from "../../ports/storage.ts";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { laneOf, openStorage } from "../../compose.ts";
import { loadConfig, type Project } from "../../config/load-config.ts";
import { type Draft, draftScraper, fetchPage, savedPage } from "../../devtools/draft/draft-scraper.ts";
import { whereText } from "../../devtools/draft/write-scraper.ts";
import { folderProblem, makeFolder } from "../../devtools/make-project.ts";
import type { KeptPage } from "../../domain/capture.ts";
import { jobId } from "../../domain/job.ts";
import { EXIT, UsageError } from "../exit.ts";
import { dataFlag } from "../options.ts";
import { print, printWidth } from "../terminal.ts";
import { fitText, plainText, shellWord, textTable } from "../text.ts";

export interface NewScraperOptions {
  readonly url: string;
  readonly location: StorageLocation;
  /** A saved page, used instead of fetching one. */
  readonly html?: string;
  readonly dir?: string;
  readonly input?: string;
  readonly json: boolean;
}

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

export const newScraperCommand = async (name: string, options: NewScraperOptions): Promise<number> => {
  if (!NAME.test(name) || name === "page")
    throw new UsageError(
      `${name}: not a valid scraper name. Use 1 to 64 of a-z, 0-9, ., - and _; the name page is reserved.`,
    );
  if (!/^https?:/i.test(options.url) || !URL.canParse(options.url))
    throw new UsageError(`${options.url}: not an http or https URL. Use the URL of one page of the site.`);
  const project = await loadConfig();
  const file = join(options.dir ?? project?.scrapers[0] ?? ".", name, `${name}.scraper.ts`);
  if (existsSync(file))
    throw new UsageError(`${file}: this file exists. Choose another name, or move the file.`);
  const problem = folderProblem(dirname(file));
  if (problem !== undefined)
    throw new UsageError(
      `${file}: cannot write this file: ${problem}. Choose another folder with --dir DIR.`,
    );
  const page = await getPage(options);
  if (!/html/.test(page.mediaType))
    throw new UsageError(
      `${page.url}: not an HTML page (${page.mediaType}). Use the URL of an HTML page; for feeds and APIs, start from the scrapers in docs/xml-and-json.md.`,
    );
  const draft = draftScraper(page, {
    name,
    asked: options.url,
    ...(options.input !== undefined && { input: options.input }),
  });
  if (draft.fields.length === 0)
    throw new UsageError(
      `${page.url}: no fields found on this page. It may be rendered by a script; ` +
        "if so, save the page from a browser and use it with --html FILE.",
    );
  write(file, draft.source);
  print(
    options.json
      ? [JSON.stringify(draftJson(draft, file))]
      : report(draft, file, { project, location: options.location }),
  );
  return EXIT.ok;
};

const write = (file: string, source: string): void => {
  try {
    makeFolder(dirname(file));
    writeFileSync(file, source, { flag: "wx" });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${file}: cannot write this file: ${reason}. Choose another folder with --dir DIR.`);
  }
};

const getPage = async ({ url, location, html }: NewScraperOptions): Promise<KeptPage> => {
  if (html !== undefined) {
    if (!existsSync(html)) throw new UsageError(`${html}: no such file. Check the path of the saved page.`);
    return savedPage(readFileSync(html), url);
  }
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  const got = await fetchPage({
    url,
    openStorage: () => openStorage(location),
    laneOf,
    job: jobId(new Date()),
    signal: stop.signal,
  });
  if (!("problem" in got)) return got;
  throw new UsageError(
    `${url}: cannot fetch this page: ${got.problem}. Use another URL, or a saved page with --html FILE.`,
  );
};

const draftJson = ({ name, input, leftOut, each, fields }: Draft, file: string) => ({
  scraper: name,
  file,
  input: input.name,
  ...(each !== undefined && { each }),
  leftOut,
  fields: fields.map(({ name: field, isOptional, draft, candidate, sample }) => ({
    field,
    isOptional,
    type: draft.type,
    from: candidate.from,
    foundBy: whereText(draft),
    value: sample,
  })),
});

const SHOWN_VALUE = 80;
const COLUMNS = ["field", "type", "from", "found by", "value"];

const report = (
  { name, input, leftOut, each, fields }: Draft,
  file: string,
  { project, location }: { readonly project: Project | undefined; readonly location: StorageLocation },
): string[] => {
  const short = relative(process.cwd(), file);
  const isFound = project?.scrapers.some((folder) => !relative(folder, file).startsWith(".."));
  const named = isFound ? name : shellWord(short);
  const given = shellWord("before" in input ? `${input.name}=${input.value}` : input.value);
  const rows = fields.map((field) => [
    field.name + (field.isOptional ? "?" : ""),
    field.draft.type,
    field.candidate.from,
    plainText(whereText(field.draft)),
    fitText(plainText(field.sample), SHOWN_VALUE),
  ]);
  return [
    `Wrote ${short}: ${fields.length} fields, each checked against this page${each === undefined ? "" : `, for each ${each}`}.`,
    "",
    ...textTable(COLUMNS, rows, printWidth()),
    "",
    ...(leftOut.length === 0
      ? []
      : [
          `Removed from the URL, because they look like secrets: ${plainText(leftOut.join(", "))}.`,
          "If the site needs them, let the scraper read them from a page, or send them in its `headers`.",
          "",
        ]),
    "Next:",
    `  sluice try ${named} --input ${given}${dataFlag(location)}`,
    `  sluice capture ${named} --input ${given}${dataFlag(location)}`,
    `  sluice test ${named}`,
  ];
};
