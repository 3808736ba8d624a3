import { similarNames, unknownOption } from "../domain/known-options.ts";
import type { Recording, Step } from "./recording.ts";
import { RecordingError } from "./recording-error.ts";
import {
  blockId,
  BLOCKS,
  COMMON_FIELDS,
  PARAMETERS,
  readFields,
  RECORDING_LIMITS,
  STEP_FIELDS,
} from "./step-fields.ts";

type JsonObject = Readonly<Record<string, unknown>>;

const OWN_PREFIX = "sluice.";
/** Default maximum of pages of `sluice.paginate`. */
const DEFAULT_PAGES = 100;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** JSON of any format; throws `RecordingError` for a text that is too long or no JSON. */
export const parseJson = (text: string): unknown => {
  if (Buffer.byteLength(text) > RECORDING_LIMITS.bytes)
    throw new RecordingError(
      `The file is larger than ${RECORDING_LIMITS.bytes / 1e6} MB. Record a shorter flow, or split it into several.`,
    );
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RecordingError(
      `This is not valid JSON: ${(error as Error).message}. Export the recording again, as JSON.`,
      { cause: error },
    );
  }
};

/**
 * A recording from the JSON of Chrome's Recorder. Throws `RecordingError`, which names the step. `numbers` are those of the source, where the steps
 * were made from another format.
 */
export const parseRecording = (data: unknown, numbers?: readonly number[]): Recording => {
  if (!isObject(data) || !Array.isArray(data["steps"]))
    throw new RecordingError(
      'This is not a recording of Chrome\'s Recorder: expected an object with a list `steps`. In DevTools, open Recorder and choose "Export as JSON"; for other formats use an adapter.',
    );
  const { title = "Recording", timeout, steps, ...rest } = data;
  if (typeof title !== "string" || title.length > RECORDING_LIMITS.selector)
    throw new RecordingError("`title` is not a string. Give the recording a title.");
  const { known } = readFields({ timeout }, { timeout: COMMON_FIELDS["timeout"]! }, "The recording");
  if (steps.length > RECORDING_LIMITS.steps)
    throw new RecordingError(
      `The recording has ${steps.length} steps; at most ${RECORDING_LIMITS.steps} are allowed. Use sluice.forEach or sluice.paginate for what repeats.`,
    );
  return {
    title,
    ...known,
    steps: nest((steps as readonly unknown[]).map((step, at) => readStep(step, numbers?.[at] ?? at + 1))),
    ...extraOf(rest),
  };
};

const extraOf = (rest: JsonObject): { extra?: JsonObject } =>
  Object.keys(rest).length > 0 ? { extra: rest } : {};

/** A step of the flat list: one of the model, or the mark of a block. */
type FlatStep = { readonly step: Step } | BlockMark;

interface BlockMark {
  readonly mark: "begin" | "otherwise" | "end";
  readonly name: string;
  readonly id: string;
  readonly number: number;
  /** The block's own fields, from its begin. */
  readonly fields: JsonObject;
}

const readStep = (given: unknown, number: number): FlatStep => {
  if (!isObject(given))
    throw new RecordingError(`Step ${number} is not an object. Remove it, or export the recording again.`);
  const { type, ...fields } = given;
  const known = typeof type === "string" && Object.hasOwn(STEP_FIELDS, type) ? STEP_FIELDS[type] : undefined;
  if (!known) throw new RecordingError(`Step ${number}: ${unknownType(type)}`);
  const place = `Step ${number} (${String(type)})`;
  const read = readFields(fields, { ...COMMON_FIELDS, ...known }, place);
  const common = { number, ...extraOf(read.rest) };
  const { name, parameters, ...others } = read.known;
  if (type !== "customStep") return { step: { type, ...common, ...read.known } as unknown as Step };
  if (typeof name === "string" && name.startsWith(OWN_PREFIX))
    return readOwnStep(name, parameters, { ...common, ...others }, number);
  return { step: { type, ...common, ...read.known } as unknown as Step };
};

const unknownType = (type: unknown): string => {
  if (type === undefined) return "has no `type`. Remove it, or export the recording again.";
  const names = Object.keys(STEP_FIELDS);
  const [similar] = similarNames(typeof type === "string" ? type : "", names, 1);
  const meant = similar === undefined ? "" : ` Did you mean ${similar}?`;
  return `the type ${JSON.stringify(type)} is unknown.${meant} Known types are ${names.join(", ")}. Remove the step, or import the file with an adapter.`;
};

/** A custom step of Sluice, whose parameters are checked like the fields of a step. */
const readOwnStep = (name: string, parameters: unknown, common: JsonObject, number: number): FlatStep => {
  const place = `Step ${number} (${name})`;
  const fields = Object.hasOwn(PARAMETERS, name) ? PARAMETERS[name] : undefined;
  if (!fields) {
    const [similar] = similarNames(name, Object.keys(PARAMETERS), 1);
    const meant = similar === undefined ? "" : ` Did you mean ${similar}?`;
    throw new RecordingError(
      `${place}: there is no such custom step.${meant} Known ones are ${Object.keys(PARAMETERS).join(", ")}.`,
    );
  }
  const given = parameters ?? {};
  const isBlock = (BLOCKS as readonly string[]).includes(name);
  const marks = isBlock ? { id: true, begin: true, otherwise: true, end: true } : {};
  const names = Object.fromEntries(Object.keys(fields).map((one) => [one, true as const]));
  const unknown = unknownOption(given, { ...names, ...marks } as Record<string, true>, place);
  if (unknown !== undefined) throw new RecordingError(unknown);
  if (isBlock) return readMark(name, given as JsonObject, common, number);
  const { known } = readFields(given as JsonObject, fields, place);
  return { step: { type: name, ...common, ...ownFields(name, known, place) } as unknown as Step };
};

const ownFields = (name: string, known: JsonObject, place: string): JsonObject => {
  if (name === "sluice.extract") return { name: "page", ...known };
  if (name === "sluice.download") return { name: "file", ...known };
  if (name !== "sluice.set") return known;
  const { selectors, ...to } = known;
  if (Object.keys(to).length !== 1)
    throw new RecordingError(
      `${place}: expected one of \`checked\`, \`label\`, \`index\` and \`focused\`, and found ${Object.keys(to).join(", ") || "none"}.`,
    );
  return { selectors, to };
};

const readMark = (name: string, given: JsonObject, common: JsonObject, number: number): BlockMark => {
  const place = `Step ${number} (${name})`;
  const { id, begin, otherwise, end, ...own } = given;
  const marks = Object.entries({ begin, otherwise, end }).filter(([, value]) => value === true);
  const [mark] = marks;
  if (!mark || marks.length > 1 || (mark[0] === "otherwise" && name !== "sluice.ifPresent"))
    throw new RecordingError(
      `${place}: a block is a pair of steps with the same \`id\`, the first with "begin": true and the last with "end": true` +
        (name === "sluice.ifPresent" ? ', and "otherwise": true between them.' : "."),
    );
  const fields = mark[0] === "begin" ? PARAMETERS[name]! : {};
  const { known: asked } = readFields({ id }, { id: { isRequired: true, read: blockId } }, place);
  const { known } = readFields(own, fields, place);
  const most = name === "sluice.paginate" ? { most: DEFAULT_PAGES } : {};
  return {
    mark: mark[0] as BlockMark["mark"],
    name,
    id: asked["id"] as string,
    number,
    fields: { ...common, ...most, ...known },
  };
};

interface OpenBlock {
  readonly begin: BlockMark;
  readonly steps: Step[];
  otherwise?: Step[];
}

/** Blocks are pairs of marks in Chrome's flat list; here they hold their steps. */
const nest = (flat: readonly FlatStep[]): Step[] => {
  const top: Step[] = [];
  const open: OpenBlock[] = [];
  const add = (step: Step): void => {
    const block = open.at(-1);
    (block ? (block.otherwise ?? block.steps) : top).push(step);
  };
  for (const one of flat) {
    if ("step" in one) {
      add(one.step);
      continue;
    }
    const place = `Step ${one.number} (${one.name})`;
    if (one.mark === "begin") {
      if (open.length >= RECORDING_LIMITS.nesting)
        throw new RecordingError(
          `${place}: blocks are nested deeper than ${RECORDING_LIMITS.nesting} levels. Take the inner ones out.`,
        );
      open.push({ begin: one, steps: [] });
      continue;
    }
    const block = open.at(-1);
    if (!block || block.begin.id !== one.id || block.begin.name !== one.name)
      throw new RecordingError(
        `${place}: it ends the block "${one.id}", ` +
          (block
            ? `but the block that is open is "${block.begin.id}" (${block.begin.name}) of step ${block.begin.number}. End that one first.`
            : `but no block is open. Add its begin before it, or remove it.`),
      );
    if (one.mark === "otherwise") {
      if (block.otherwise)
        throw new RecordingError(`${place}: the block "${one.id}" has \`otherwise\` twice. Remove one.`);
      block.otherwise = [];
      continue;
    }
    open.pop();
    const { begin, steps, otherwise } = block;
    add({
      type: begin.name,
      id: begin.id,
      number: begin.number,
      ...begin.fields,
      steps,
      ...(otherwise && { otherwise }),
    } as unknown as Step);
  }
  const [left] = open;
  if (left)
    throw new RecordingError(
      `Step ${left.begin.number} (${left.begin.name}): the block "${left.begin.id}" has no end. Add a customStep "${left.begin.name}" with { "id": "${left.begin.id}", "end": true } after its last step.`,
    );
  return top;
};
