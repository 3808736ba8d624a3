import { spawn } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pageText, viewable } from "../../devtools/viewable-page.ts";
import { similarNames } from "../../domain/known-options.ts";
import { EXIT, UsageError } from "../exit.ts";
import { checkScraperName } from "../find-job.ts";
import type { PlaceOptions } from "../options.ts";
import { renderItem } from "../render/item.ts";
import { openVerbs } from "../service/open-verbs.ts";
import type { ShownCapture, ShownItem, Verbs } from "../service/verbs.ts";
import { colors, print, printWidth } from "../terminal.ts";
import { plainText, shellWord } from "../text.ts";

export interface ShowItemOptions extends PlaceOptions {
  readonly scraper?: string;
  /** Name or number of a capture. */
  readonly capture?: string;
  readonly html: boolean;
  readonly open: boolean;
}

export const showItemCommand = async (
  named: string,
  key: string,
  { scraper, capture, html, open, ...place }: ShowItemOptions,
): Promise<number> => {
  const { json } = place;
  if (Number(html) + Number(open) + Number(json) > 1)
    throw new UsageError("--html, --open and --json cannot be combined. Use only one of them.");
  if (capture !== undefined && !html && !open)
    throw new UsageError("--capture selects what --html or --open shows. Add one of them.");
  await using verbs = await openVerbs(place);
  const { spec } = await verbs.findJob(named);
  checkScraperName(spec, scraper);
  const item = await findItem(verbs, spec.id, key, scraper);
  if (html || open) return await showPage(item, capture, open);
  if (json) {
    const { dueAt, endedAt, attempts, read: _, ...rest } = item;
    const iso = (at: number | undefined): string | undefined =>
      at === undefined ? at : new Date(at).toISOString();
    const shown = attempts.map((attempt) => ({ ...attempt, at: iso(attempt.at) }));
    print([
      JSON.stringify({ job: spec.id, ...rest, dueAt: iso(dueAt), endedAt: iso(endedAt), attempts: shown }),
    ]);
    return EXIT.ok;
  }
  const texts = await pageTexts(item);
  const required = spec.scrapers.find(({ name }) => name === item.scraper)?.required ?? [];
  const look = { width: printWidth(), colors, required, textOf: (page: string) => texts.get(page) };
  print([...renderItem(item, look), ...hints(item, spec.id, verbs.flag)]);
  return EXIT.ok;
};

const hints = ({ captures, key }: ShownItem, job: string, flag: string): string[] =>
  captures.some(({ isFile, problem }) => !isFile && problem === undefined)
    ? [
        "",
        "To open the stored page in a browser:",
        `  sluice items show ${job} ${shellWord(key)} --open${flag}`,
      ]
    : [];

/** Keys that are searched for similar ones. */
const MOST_KEYS = 5000;

const findItem = async (
  verbs: Verbs,
  job: string,
  key: string,
  scraper: string | undefined,
): Promise<ShownItem> => {
  const all = await verbs.findItems(job, key);
  const [item, ...others] = all.filter((one) => scraper === undefined || one.scraper === scraper);
  if (item && others.length === 0) return item;
  if (item)
    throw new UsageError(
      `${plainText(key)}: items of several scrapers have this key. Choose one with --scraper: ${all.map((one) => one.scraper).join(", ")}.`,
    );
  const keys: string[] = [];
  for await (const page of verbs.items(job, scraper === undefined ? {} : { scraper })) {
    keys.push(...page.map((one) => one.key));
    if (keys.length >= MOST_KEYS) break;
  }
  const near = similarNames(key, keys).map((name) => plainText(name));
  throw new UsageError(
    `${plainText(key)}: job ${job} has no item with this key. ` +
      (near.length > 0
        ? `Did you mean ${near.join(" or ")}?`
        : `\`sluice items ls ${job}${verbs.flag}\` lists its items.`),
  );
};

const pageTexts = async ({ captures, records, read }: ShownItem): Promise<ReadonlyMap<string, string>> => {
  const texts = new Map<string, string>();
  const wanted = new Set(records.map(({ from }) => from));
  for (const { number, name, isFile } of captures) {
    if (isFile || !wanted.has(name)) continue;
    try {
      texts.set(name, pageText(name, await read(number)));
    } catch {
      // The list of captures shows the problem.
    }
  }
  return texts;
};

const showPage = async (item: ShownItem, wanted: string | undefined, isOpened: boolean): Promise<number> => {
  const capture = chosen(item, wanted);
  const response = await item.read(capture.number);
  if (!isOpened) {
    // A file is printed byte by byte.
    process.stdout.write(capture.isFile ? response.body : pageText(capture.name, response));
    return EXIT.ok;
  }
  const stored = capture.blob ?? URL.parse(capture.url)?.pathname ?? "";
  const extension = capture.isFile ? (/\.([a-z0-9]{1,8})$/i.exec(stored)?.[1] ?? "bin") : undefined;
  const { content, extension: shown } = viewable(capture.name, response, extension);
  const folder = await mkdtemp(join(tmpdir(), "sluice-page-"));
  const path = join(folder, `page.${shown}`);
  await writeFile(path, content);
  print([`${plainText(capture.name)} of ${plainText(item.key)}: ${path}`]);
  await openInBrowser(path);
  return EXIT.ok;
};

/** By name or number; by default the page of the first record, else the first page, else the first capture. */
const chosen = ({ captures, records, key }: ShownItem, wanted: string | undefined): ShownCapture => {
  const from = records[0]?.from;
  const found =
    wanted === undefined
      ? (captures.find(({ name, isFile }) => !isFile && name === from) ??
        captures.find(({ isFile }) => !isFile) ??
        captures[0])
      : (captures.find(({ name }) => name === wanted) ??
        captures.find(({ number }) => String(number) === wanted));
  if (found) return found;
  if (captures.length === 0)
    throw new UsageError(
      `${plainText(key)}: nothing is stored for this item, so there is no page to show. Run without --html or --open to see why.`,
    );
  const names = captures.map(({ number, name }) => `${number} (${plainText(name)})`);
  throw new UsageError(
    `${plainText(wanted ?? "")}: the item has no such capture. It has ${names.join(", ")}.`,
  );
};

/** A launcher that has not failed within this time has succeeded. */
const PATIENCE_MS = 3000;

/** Uses `BROWSER`, or the system's way of opening files. The page must be safe to open. */
export const openInBrowser = async (path: string, env: NodeJS.ProcessEnv = process.env): Promise<void> => {
  const [command, ...args] = launcher(env);
  const problem = await launch(command, [...args, path]);
  if (problem !== undefined)
    throw new UsageError(
      `cannot open a browser (${command}: ${problem}). Open ${path} yourself, set BROWSER to a program, or print the page with --html.`,
    );
};

const launcher = ({ BROWSER = "" }: NodeJS.ProcessEnv): [string, ...string[]] => {
  // May list several, separated by colons.
  const [first = ""] = BROWSER.split(":");
  if (first.trim() !== "") return [first.trim()];
  if (process.platform === "darwin") return ["open"];
  return process.platform === "win32" ? ["explorer"] : ["xdg-open"];
};

/** The problem, or undefined if it started and did not fail at once. */
const launch = async (command: string, args: readonly string[]): Promise<string | undefined> => {
  const child = spawn(command, args, { stdio: "ignore", detached: true });
  const end = new Promise<string | undefined>((resolve) => {
    child.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    child.once("exit", (code) => resolve(code === 0 ? undefined : `exit code ${code}`));
  });
  const waited = new AbortController();
  try {
    return await Promise.race([
      end,
      delay(PATIENCE_MS, undefined, { signal: waited.signal }).catch(() => undefined),
    ]);
  } finally {
    waited.abort();
    child.unref();
  }
};
