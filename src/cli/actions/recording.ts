import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { checkAdapter } from "../../recordings/adapters.ts";
import { nameRecordedValues, placeholdersOf } from "../../recordings/bind-inputs.ts";
import { describeStep, describeSteps, likelyInputs, remarksOn } from "../../recordings/describe-steps.ts";
import { parseJson } from "../../recordings/parse-recording.ts";
import { readRecording } from "../../recordings/read-recording.ts";
import { allSteps, type Recording } from "../../recordings/recording.ts";
import { RecordingError } from "../../recordings/recording-error.ts";
import { recordingText } from "../../recordings/write-recording.ts";
import { EXIT, UsageError } from "../exit.ts";
import { print } from "../terminal.ts";
import { counted, shellWord } from "../text.ts";

interface SourceOptions {
  readonly adapter?: string;
  readonly which?: string;
  readonly bind?: Readonly<Record<string, unknown>>;
}

export interface ImportOptions extends SourceOptions {
  readonly output?: string;
  readonly scraper?: string;
  readonly force: boolean;
}

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const SHOWN_VALUES = 5;

export const checkCommand = async (
  file: string,
  { json, ...options }: SourceOptions & { readonly json: boolean },
): Promise<number> => {
  const recorded = readSource(file, options);
  const recording = within(file, () => nameRecordedValues(recorded, bindingsOf(options.bind)));
  const inputs = [...placeholdersOf(recording)].map(([name, step]) => ({ name, step }));
  const remarks = remarksOn(recording);
  const steps = [...allSteps(recording.steps)];
  if (json) {
    const shown = steps.map((step) => ({ number: step.number, type: step.type, text: describeStep(step) }));
    print([JSON.stringify({ title: recording.title, steps: shown, inputs, remarks })]);
    return EXIT.ok;
  }
  print([
    `${recording.title}: ${counted(steps.length, "step")}`,
    "",
    ...describeSteps(recording.steps),
    "",
    inputs.length === 0
      ? `No inputs. ${inputAdvice(recording)}`
      : `Inputs: ${inputs.map(({ name, step }) => `${name} (from step ${step})`).join(", ")}`,
    ...remarks,
  ]);
  return EXIT.ok;
};

export const importCommand = async (file: string, options: ImportOptions): Promise<number> => {
  const { output, scraper, force } = options;
  const recorded = readSource(file, options);
  const bind = bindingsOf(options.bind);
  if (scraper !== undefined) return await writeScraper(file, recorded, bind, scraper, options);
  const text = recordingText(within(file, () => nameRecordedValues(recorded, bind)));
  if (output === undefined || output === "-") process.stdout.write(text);
  else {
    writeNew(output, text, force);
    print([`Wrote ${output}: ${counted([...allSteps(recorded.steps)].length, "step")}`]);
  }
  return EXIT.ok;
};

const readText = (file: string): string => {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`${file}: cannot be read: ${(error as Error).message}. Check the path.`);
  }
};

const within = <Result>(file: string, work: () => Result): Result => {
  try {
    return work();
  } catch (error) {
    if (error instanceof RecordingError)
      throw new RecordingError(`${file}: ${error.message}`, { cause: error });
    throw error;
  }
};

const readSource = (file: string, { adapter, which }: SourceOptions): Recording => {
  const own =
    adapter === undefined ? undefined : within(adapter, () => checkAdapter(parseJson(readText(adapter))));
  return within(file, () =>
    readRecording(readText(file), { ...(own && { adapter: own }), ...(which !== undefined && { which }) }),
  );
};

const bindingsOf = (bind: SourceOptions["bind"] = {}): Readonly<Record<string, string>> => {
  for (const [name, value] of Object.entries(bind))
    if (typeof value !== "string") throw new UsageError(`--bind ${name}: the value must be a string.`);
  return bind as Record<string, string>;
};

const inputAdvice = (recording: Recording): string => {
  const values = likelyInputs(recording).slice(0, SHOWN_VALUES);
  return values.length === 0
    ? "Write a placeholder such as {{parcel}} into a step."
    : `Name the recorded value that changes from item to item: ${values.map((value) => `--bind NAME=${shellWord(value)}`).join(" or ")}.`;
};

const writeNew = (file: string, text: string, force: boolean): void => {
  if (!force && existsSync(file))
    throw new UsageError(
      `${file}: this file exists. Choose another name with -o FILE, or replace it with --force.`,
    );
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new UsageError(
      `${file}: cannot be written: ${(error as Error).message}. Choose another file with -o FILE.`,
    );
  }
};

/** The recording stays a separate file, which Chrome can open; the scraper names it. */
const writeScraper = async (
  file: string,
  recorded: Recording,
  bind: Readonly<Record<string, string>>,
  name: string,
  { output = `${name}.scraper.yaml`, force }: ImportOptions,
): Promise<number> => {
  if (!NAME.test(name) || name === "page")
    throw new UsageError(
      `${name}: not a valid scraper name. Use 1 to 64 of a-z, 0-9, ., - and _; the name page is reserved.`,
    );
  if (!/\.scraper\.ya?ml$/.test(output))
    throw new UsageError(`${output}: the name of a scraper's file ends in .scraper.yaml.`);
  const recording = within(file, () => nameRecordedValues(recorded, bind));
  const inputs = [...placeholdersOf(recording).keys()];
  if (inputs.length === 0)
    throw new UsageError(`${file}: the recording has no inputs. ${inputAdvice(recording)}`);
  const recordingFile = join(dirname(output), `${name}.recording.json`);
  const { stringify } = await import("yaml");
  const text = [
    "# A scraper without code. See docs/recordings.md.",
    stringify({
      kind: "recording",
      name,
      input: Object.fromEntries(inputs.map((input) => [input, { type: "string" }])),
      key: inputs.map((input) => `{{${input}}}`).join(" "),
      recording: basename(recordingFile),
      ...(Object.keys(bind).length > 0 && { bind }),
    }).trimEnd(),
    "# One line per field: text, number, money, date, url, list, table and others, found by select, label, json …",
    stringify({ extract: { fields: { title: { type: "text", select: "h1" } } } }).trimEnd(),
    "",
  ].join("\n");
  for (const one of [output, recordingFile]) if (!force && existsSync(one)) writeNew(one, "", false);
  writeNew(recordingFile, recordingText(recorded), true);
  writeNew(output, text, true);
  const example = inputs.map((input) => `--input ${input}=${shellWord(bind[input] ?? "VALUE")}`).join(" ");
  print([
    `Wrote ${output} and ${recordingFile}.`,
    "Describe the fields in its `extract` block, then try it:",
    `  sluice try ${shellWord(output)} ${example}`,
  ]);
  return EXIT.ok;
};
