import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { dirname, extname, isAbsolute, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type OptionNames, unknownOption } from "../domain/known-options.ts";
import { isSecretParameter } from "../domain/redact-secrets.ts";
import { declaredExtract } from "../extraction/declared-fields.ts";
import { checkAdapter } from "../recordings/adapters.ts";
import {
  bindInputs,
  checkPlaceholders,
  type InputValues,
  nameRecordedValues,
  placeholdersOf,
} from "../recordings/bind-inputs.ts";
import { fillIn, PLACEHOLDER } from "../recordings/escape-value.ts";
import { parseJson } from "../recordings/parse-recording.ts";
import { readRecording, recordingOf } from "../recordings/read-recording.ts";
import { allSteps, codeStep, type Recording, type Step } from "../recordings/recording.ts";
import { RECORDING_LIMITS } from "../recordings/step-fields.ts";
import { checkScraper, ScraperLoadError } from "./check-scraper.ts";
import { noteFilesRead } from "./declared-files.ts";
import { inputSchema, type InputSchema } from "./declared-input.ts";
import type { LoadedScraper } from "./load-scraper.ts";
import type { AnyScraper } from "./scraper.ts";

/** A scraper without code: a recording, and an `extract` block as data. */
interface DeclaredScraper extends Omit<
  AnyScraper,
  "kind" | "owner" | "input" | "key" | "collect" | "extract" | "emit" | "checkAgainst" | "identity"
> {
  readonly kind: "recording";
  readonly input: unknown;
  /** A text with placeholders: `{{parcel}}`. */
  readonly key?: string;
  /** The steps, or `{ file, adapter, which }`, or the path of a file. */
  readonly recording: unknown;
  /** Recorded values that are inputs: `{ parcel: "0012345678" }`. */
  readonly bind?: Readonly<Record<string, string>>;
  readonly extract?: unknown;
}

const DECLARED_OPTIONS: OptionNames<DeclaredScraper> = {
  kind: true,
  name: true,
  site: true,
  input: true,
  key: true,
  lane: true,
  pace: true,
  proxies: true,
  proxySession: true,
  robots: true,
  once: true,
  limits: true,
  failures: true,
  headers: true,
  archive: true,
  retention: true,
  browser: true,
  recording: true,
  bind: true,
  extract: true,
};

interface DeclareOptions {
  /** Begins the messages of errors. */
  readonly place: string;
  /** An operator's file may have expressions and patterns, and name other files. */
  readonly isTrusted: boolean;
  /** Reads a file that the scraper names. */
  readonly readFile?: (path: string) => string;
}

const loaded = new Map<string, { readonly version: string; readonly scraper: AnyScraper }>();

/** A scraper from a `.json` or `.yaml` file. Its version is that of the files' content. */
export const loadDeclared = async (url: string): Promise<LoadedScraper> => {
  const place = fileURLToPath(url);
  const texts: string[] = [];
  const others: string[] = [];
  const readFile = (path: string): string => {
    const text = readText(path);
    if (texts.push(text) > 1) others.push(pathToFileURL(path).href);
    return text;
  };
  const declared = await parseDeclared(readFile(place), extname(place), place);
  const scraper = declareScraper(declared, {
    place,
    isTrusted: true,
    readFile(path) {
      if (isAbsolute(path))
        throw new TypeError(
          `${path}: use a path relative to the scraper's folder, so that the project can be moved`,
        );
      return readFile(resolve(dirname(place), path));
    },
  });
  noteFilesRead(url, others);
  const version = versionOf(texts);
  // The same version is the same object, as it is for code.
  const last = loaded.get(url);
  const same = last?.version === version ? last : { version, scraper };
  loaded.set(url, same);
  return { ...same, source: url, targets: new Map() };
};

export const versionOf = (texts: readonly string[]): string => {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(text);
  return hash.digest("hex").slice(0, 16);
};

const readText = (path: string): string => {
  try {
    if (statSync(path).size > RECORDING_LIMITS.bytes)
      throw new Error(`it is larger than ${RECORDING_LIMITS.bytes / 1e6} MB`);
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new ScraperLoadError("broken-scraper", `${path}: cannot be read: ${(error as Error).message}.`, {
      cause: error,
    });
  }
};

/** The data of a scraper file; YAML by its extension. */
export const parseDeclared = async (text: string, extension: string, place: string): Promise<unknown> => {
  try {
    if (extension === ".json") return JSON.parse(text);
    const { parse } = await import("yaml");
    return parse(text, { maxAliasCount: 100 });
  } catch (error) {
    throw new ScraperLoadError(
      "broken-scraper",
      `${place}: cannot be read: ${(error as Error).message.split("\n")[0]}. Correct the file and run again.`,
      { cause: error },
    );
  }
};

/** Checks the data and turns it into a scraper. Throws `ScraperLoadError`. */
export const declareScraper = (declared: unknown, options: DeclareOptions): AnyScraper => {
  try {
    return checkScraper(scraperOf(declared, options), options.place);
  } catch (error) {
    if (error instanceof ScraperLoadError) throw error;
    const problem = (error as Error).message.replace(/\.?$/, ".");
    throw new ScraperLoadError("bad-scraper", `${options.place}: ${problem}`, { cause: error });
  }
};

const scraperOf = (declared: unknown, options: DeclareOptions): AnyScraper => {
  const unknown = unknownOption(declared ?? null, DECLARED_OPTIONS, "a scraper file");
  if (unknown !== undefined) throw new TypeError(unknown);
  const { kind, input, key, recording, bind, extract, ...rest } = declared as DeclaredScraper;
  if (kind !== "recording")
    throw new TypeError("`kind` must be recording: other scrapers are written in TypeScript");
  refuseSecrets(rest.headers);
  const trust = { allowsPatterns: options.isTrusted };
  const inputs = inputSchema(input, trust);
  const steps = keepingPage(boundRecording(recording, bind, inputs, options));
  const site = rest.site ?? siteOf(steps);
  return {
    ...rest,
    kind,
    ...(site !== undefined && { site }),
    input: inputs.schema,
    ...(key !== undefined && { key: keyOf(key, inputs) }),
    ...(extract !== undefined && { extract: declaredExtract(extract, trust) }),
    collect: ({ input: values, player }) =>
      player.replay(bindInputs(steps, values as InputValues), { allowsCode: options.isTrusted }),
  };
};

/** A scraper file is copied and shown: what opens doors does not belong in it. */
const refuseSecrets = (headers: unknown): void => {
  if (headers === undefined) return;
  if (
    typeof headers !== "object" ||
    headers === null ||
    Object.values(headers).some((value) => typeof value !== "string")
  )
    throw new TypeError("`headers` must be an object of strings");
  const secret = Object.entries(headers as Record<string, string>).find(([name, value]) =>
    isSecretParameter(name, value),
  );
  if (secret)
    throw new TypeError(
      `\`headers\` has ${secret[0]}, which is a secret and does not belong in a scraper file. Write a .ts scraper that reads it from the environment`,
    );
};

const boundRecording = (
  given: unknown,
  bind: unknown,
  { names, always }: InputSchema,
  options: DeclareOptions,
): Recording => {
  const recorded = recordingFrom(given, options);
  const code = options.isTrusted ? undefined : codeStep(recorded);
  if (code)
    throw new TypeError(
      `Step ${code.number} (${code.type}) runs code in the page, which only scrapers of operators may. Use waitForElement instead`,
    );
  const named = bind === undefined ? recorded : nameRecordedValues(recorded, bindingsOf(bind, names));
  checkPlaceholders(named, names);
  const used = [...placeholdersOf(named)];
  const unsure = used.find(([name]) => !always.includes(name));
  if (unsure)
    throw new TypeError(
      `Step ${unsure[1]}: {{${unsure[0]}}} may have no value. Make \`input.${unsure[0]}\` required, or give it a \`default\``,
    );
  if (used.length === 0)
    throw new TypeError(
      `no step uses an input, so every item would be the same. Write {{${names[0]}}} into a step, or name its recorded value in \`bind\``,
    );
  return named;
};

const bindingsOf = (bind: unknown, names: readonly string[]): Readonly<Record<string, string>> => {
  const known = Object.fromEntries(names.map((name) => [name, true as const]));
  const unknown = unknownOption(bind ?? null, known, "`bind`");
  if (unknown !== undefined) throw new TypeError(unknown);
  const bindings = bind as Record<string, unknown>;
  const other = Object.keys(bindings).find((name) => typeof bindings[name] !== "string");
  if (other !== undefined)
    throw new TypeError(
      `\`bind.${other}\` is not a string. Put the recorded value in quotes, so that it keeps its zeros`,
    );
  return bindings as Record<string, string>;
};

const FILE_OPTIONS = { file: true, adapter: true, which: true } as const;

/** Inline, or from a file. */
const recordingFrom = (given: unknown, { readFile }: DeclareOptions): Recording => {
  const told = typeof given === "string" ? { file: given } : given;
  if (typeof told !== "object" || told === null || !("file" in told)) return recordingOf(told);
  const unknown = unknownOption(told, FILE_OPTIONS, "`recording`");
  if (unknown !== undefined) throw new TypeError(unknown);
  const { file, adapter, which } = told as { file: unknown; adapter?: unknown; which?: unknown };
  if (!readFile) throw new TypeError("`recording` must have the steps themselves, not the name of a file");
  if (typeof file !== "string" || (which !== undefined && typeof which !== "string"))
    throw new TypeError("`recording.file` and `recording.which` must be strings");
  const read = typeof adapter === "string" ? parseJson(readFile(adapter)) : adapter;
  return readRecording(readFile(file), {
    ...(read !== undefined && { adapter: checkAdapter(read) }),
    ...(which !== undefined && { which }),
  });
};

/** A recording that keeps nothing keeps the page that it ends on. */
const keepingPage = (recording: Recording): Recording => {
  const keeps = ({ type }: Step): boolean => type === "sluice.extract" || type === "sluice.download";
  if (allSteps(recording.steps).some(keeps)) return recording;
  const { steps } = recording;
  const open = steps.findLastIndex(({ type, target = "main" }) => type !== "close" || target !== "main") + 1;
  const number = (steps.at(-1)?.number ?? 0) + 1;
  const target = steps[open - 1]?.target;
  const keep: Step = {
    type: "sluice.extract",
    number,
    name: "page",
    ...(target !== undefined && { target }),
  };
  return { ...recording, steps: [...steps.slice(0, open), keep] };
};

/** The origin of the first address, unless an input decides it. */
const siteOf = ({ steps }: Recording): string | undefined => {
  const urls = steps.map((step) => (step.type === "navigate" ? step.url : ""));
  const [origin] = urls.flatMap((url) => /^(https?:\/\/[^/?#{]+)(?:[/?#]|$)/i.exec(url)?.[1] ?? []);
  return origin !== undefined && URL.canParse(origin) ? new URL(origin).origin : undefined;
};

const keyOf = (key: unknown, { names, always }: InputSchema): AnyScraper["key"] & {} => {
  const used =
    typeof key === "string" ? [...key.matchAll(PLACEHOLDER)].map(([, name = ""]) => name.trim()) : [];
  const wrong = used.find((name) => !always.includes(name));
  if (used.length === 0 || wrong !== undefined)
    throw new TypeError(
      `\`key\` must be a string with inputs that are required, for example "{{${names[0]}}}"${wrong === undefined ? "" : `; ${wrong} is not one`}`,
    );
  return (input) => fillIn(key as string, "text", (name) => String((input as Record<string, unknown>)[name]));
};
