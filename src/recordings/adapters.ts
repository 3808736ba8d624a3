import { type OptionNames, unknownOption } from "../domain/known-options.ts";
import { allAt, textOf, type Template, type TemplateScope } from "./adapter-template.ts";
import { ActionConverter, type Refusal } from "./convert-actions.ts";
import { isObject, parseRecording } from "./parse-recording.ts";
import type { Recording } from "./recording.ts";
import { RecordingError } from "./recording-error.ts";
import { RECORDING_LIMITS } from "./step-fields.ts";

/** Turns a list of recorded actions of any kind into a recording. Data, no code: paths are `$.a.b` from an action, or from the file where it says so. */
export interface Adapter {
  readonly name?: string;
  /** Paths that every file of this format has. */
  readonly detect?: readonly string[];
  /** The file is JSON lines; this many of them are a header. The file is then `{ header, lines }`. */
  readonly lines?: number;
  /** Where a file has several recordings: their list, in the file. `title` and `steps` are then paths in one of them. */
  readonly recordings?: string;
  readonly title?: string;
  /** In the file: addresses are relative to it. */
  readonly base?: string;
  /** The list of actions. */
  readonly steps: string;
  /** Actions are sorted by it. */
  readonly order?: string;
  /** The kind of an action. */
  readonly type: string;
  /** Steps by kind; `a|b` is for two kinds. Of a list, the first whose `when` matches. */
  readonly map: Readonly<Record<string, Template>>;
  /** Kinds that are left out; with stars. */
  readonly ignore?: readonly string[];
  /** Kinds that have no equivalent, with the reason; with stars. */
  readonly refuse?: Readonly<Record<string, string>>;
  readonly frame?: Template;
  /** The page of an action: `main`, a URL, or any name; pages with names are numbered as they appear. Of a list, the first that is there. */
  readonly target?: Template;
  /** What templates mean by `$selectors`. */
  readonly selectors?: Template;
  /** Prefixes of selectors in the file, and what each becomes; `$rest` is the rest of the selector. Others are dropped. */
  readonly locators?: Readonly<Record<string, string>>;
  readonly tables?: TemplateScope["tables"];
  readonly placeholders?: Readonly<Record<string, string>>;
  /** How variables are written in the file, `${*}`: they become placeholders. */
  readonly variables?: string;
}

const ADAPTER_OPTIONS: OptionNames<Adapter> = {
  name: true,
  detect: true,
  lines: true,
  recordings: true,
  title: true,
  base: true,
  steps: true,
  order: true,
  type: true,
  map: true,
  ignore: true,
  refuse: true,
  frame: true,
  target: true,
  selectors: true,
  locators: true,
  tables: true,
  placeholders: true,
  variables: true,
};

/** Throws `RecordingError` if it is not an adapter. */
export const checkAdapter = (found: unknown): Adapter => {
  const unknown = unknownOption(found ?? null, ADAPTER_OPTIONS, "An adapter");
  if (unknown !== undefined) throw new RecordingError(unknown);
  const { steps, type, map } = found as Record<string, unknown>;
  if (typeof steps !== "string" || typeof type !== "string" || !isObject(map))
    throw new RecordingError(
      'An adapter needs `steps` and `type`, paths such as "$.actions" and "$.kind", and `map`, an object of steps by kind.',
    );
  return found as Adapter;
};

const SHOWN_REFUSALS = 100;

/** A recording from a file of another format. `which` names one of several in it. Throws `RecordingError` with all actions that have no equivalent. */
export const adaptRecording = (file: unknown, adapter: Adapter, which?: string): Recording => {
  const { title, source } = chooseRecording(file, adapter, which);
  const [list] = allAt(source, adapter.steps);
  if (!Array.isArray(list))
    throw new RecordingError(
      `The file has no list at ${adapter.steps}, where the adapter looks for the actions.`,
    );
  if (list.length > RECORDING_LIMITS.steps)
    throw new RecordingError(
      `The file has ${list.length} actions; at most ${RECORDING_LIMITS.steps} are allowed. Record a shorter flow.`,
    );
  const converter = new ActionConverter(
    adapter,
    adapter.base === undefined ? undefined : allAt(file, adapter.base)[0],
  );
  for (const { action, number } of inOrder(list, adapter.order)) converter.add(action, number);
  const { steps, numbers, refusals } = converter;
  if (refusals.length > 0) throw refused(refusals, list.length);
  return parseRecording({ title, steps }, numbers);
};

const refused = (refusals: readonly Refusal[], count: number): RecordingError => {
  const shown = refusals
    .slice(0, SHOWN_REFUSALS)
    .map(({ number, kind, why }) => `action ${number} "${kind}" (${why})`);
  const more = refusals.length > SHOWN_REFUSALS ? ` and ${refusals.length - SHOWN_REFUSALS} more` : "";
  return new RecordingError(
    `${refusals.length} of ${count} actions have no equivalent: ${shown.join(", ")}${more}. Remove them from the recording, or add them to \`map\` or \`ignore\` of an adapter.`,
  );
};

const chooseRecording = (
  file: unknown,
  { recordings, title = "$.title" }: Adapter,
  which: string | undefined,
): { readonly title: string; readonly source: unknown } => {
  const titleOf = (source: unknown): string => {
    const [text] = allAt(source, title);
    return typeof text === "string" && text !== "" ? text : "Recording";
  };
  if (recordings === undefined) return { title: titleOf(file), source: file };
  const list = allAt(file, recordings).flat();
  const found =
    which === undefined && list.length === 1 ? list : list.filter((one) => titleOf(one) === which);
  const names = list.map((one) => JSON.stringify(titleOf(one))).join(", ") || "none";
  if (found.length !== 1)
    throw new RecordingError(
      which === undefined
        ? `The file has ${list.length} recordings: ${names}. Choose one by its name.`
        : `The file has ${found.length} recordings named ${JSON.stringify(which)}. It has: ${names}.`,
    );
  return { title: titleOf(found[0]), source: found[0] };
};

/** Numbers are those of the file, whatever the order. */
const inOrder = (
  list: readonly unknown[],
  order: string | undefined,
): readonly { readonly action: unknown; readonly number: number }[] => {
  const numbered = list.map((action, at) => ({ action, number: at + 1 }));
  if (order === undefined) return numbered;
  const keyed = numbered.map((one) => ({ ...one, key: allAt(one.action, order)[0] }));
  const compare = (a: unknown, b: unknown): number =>
    typeof a === "number" && typeof b === "number"
      ? a - b
      : textOf(a) < textOf(b)
        ? -1
        : textOf(a) > textOf(b)
          ? 1
          : 0;
  return keyed.sort((a, b) => compare(a.key, b.key) || a.number - b.number);
};
