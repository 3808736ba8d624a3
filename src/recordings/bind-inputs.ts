import { fillIn, nameValue, PLACEHOLDER, type TextContext } from "./escape-value.ts";
import { allSteps, type Recording, type Selector, type Step } from "./recording.ts";
import { RecordingError } from "./recording-error.ts";
import { isBlankPage } from "./step-fields.ts";

type MapText = (text: string, context: TextContext) => string;

/** The kinds of text in a step's own fields; all other texts are plain. Names, ids and unknown fields stay as they are. */
const FIELD_CONTEXTS: Readonly<Record<string, TextContext | "fixed">> = {
  url: "url",
  target: "url",
  expression: "code",
  type: "fixed",
  id: "fixed",
  name: "fixed",
  extra: "fixed",
};

const SELECTOR_CONTEXTS: readonly (readonly [string, TextContext])[] = [
  ["aria/", "aria"],
  ["text/", "text"],
  ["xpath/", "xpath"],
  ["pierce/", "css"],
  ["pw/", "playwright"],
  ["", "css"],
];

const mapSelector = (selector: Selector, map: MapText): Selector =>
  selector.map((part) => {
    const [prefix, context] = SELECTOR_CONTEXTS.find(([start]) => part.startsWith(start))!;
    return prefix + map(part.slice(prefix.length), context);
  });

const mapValue = (value: unknown, context: TextContext, map: MapText): unknown => {
  if (typeof value === "string") return map(value, context);
  if (Array.isArray(value)) return value.map((one) => mapValue(one, context, map));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapValue(one, context, map)]));
};

/** The step with each of its texts mapped. Errors name the step. */
const mapStep = (step: Step, map: MapText): Step => {
  const mapField = ([name, value]: readonly [string, unknown]): readonly [string, unknown] => {
    if (name === "steps" || name === "otherwise")
      return [name, (value as readonly Step[]).map((one) => mapStep(one, map))];
    if (name === "selectors")
      return [name, (value as readonly Selector[]).map((one) => mapSelector(one, map))];
    if (name === "assertedEvents")
      return [
        name,
        (value as readonly object[]).map((event) =>
          Object.fromEntries(
            Object.entries(event).map(([key, one]) => [
              key,
              key === "type" ? one : mapValue(one, key === "url" ? "url" : "text", map),
            ]),
          ),
        ),
      ];
    const context = FIELD_CONTEXTS[name] ?? "text";
    return [name, context === "fixed" ? value : mapValue(value, context, map)];
  };
  try {
    return Object.fromEntries(Object.entries(step).map(mapField)) as unknown as Step;
  } catch (error) {
    if (!(error instanceof RecordingError) || error.message.startsWith("Step ")) throw error;
    throw new RecordingError(`Step ${step.number} (${step.type}): ${error.message}`, { cause: error });
  }
};

const mapTexts = (recording: Recording, map: MapText): Recording => ({
  ...recording,
  steps: recording.steps.map((step) => mapStep(step, map)),
});

/** The names of all placeholders, each with the number of the first step that has it. */
export const placeholdersOf = (recording: Recording): ReadonlyMap<string, number> => {
  const found = new Map<string, number>();
  for (const step of allSteps(recording.steps)) {
    const { steps: _, otherwise: __, ...own } = step as Step & { steps?: unknown; otherwise?: unknown };
    mapStep(own as Step, (text) => {
      for (const [, name = ""] of text.matchAll(PLACEHOLDER))
        if (!found.has(name.trim())) found.set(name.trim(), step.number);
      return text;
    });
  }
  return found;
};

/** Throws `RecordingError` for a placeholder that is not the name of an input. */
export const checkPlaceholders = (recording: Recording, inputs: readonly string[]): void => {
  for (const [name, number] of placeholdersOf(recording))
    if (!inputs.includes(name))
      throw new RecordingError(
        `Step ${number}: {{${name}}} is not an input. ${inputs.length === 0 ? "There are no inputs" : `Inputs are ${inputs.join(", ")}`}. Correct the name, or add the input.`,
      );
};

/** The recording with recorded values replaced by placeholders: `{ parcel: "0012345678" }` names that value `parcel` wherever it is used. */
export const nameRecordedValues = (
  recording: Recording,
  bind: Readonly<Record<string, string>>,
): Recording => {
  const names = Object.entries(bind);
  const twice = names.find(([, value], at) => names.findIndex(([, other]) => other === value) < at);
  if (twice)
    throw new RecordingError(
      `\`bind\` gives the value ${JSON.stringify(twice[1])} two names. Record with different values, or use a placeholder such as {{${twice[0]}}} in the steps.`,
    );
  return names.reduce((before, [name, value]) => {
    let count = 0;
    const after = mapTexts(before, (text, context) => {
      const named = nameValue(text, context, value, name);
      if (named !== text) count++;
      return named;
    });
    if (value === "" || count === 0)
      throw new RecordingError(
        `\`bind.${name}\` is ${JSON.stringify(value)}, which no step of the recording uses as a whole value or as a part of a URL. Use the value as it was recorded, or write {{${name}}} into the steps.`,
      );
    return after;
  }, recording);
};

/** Allowed values of an item: placeholders take texts, numbers and booleans. */
export type InputValues = Readonly<Record<string, unknown>>;

/** The recording of one item: no placeholders, and no steps that only open an empty page. */
export const bindInputs = (recording: Recording, input: InputValues): Recording => {
  const valueOf = (name: string): string => {
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    if (typeof value === "string") return value;
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    throw new RecordingError(
      `{{${name}}} has no value: the input ${JSON.stringify(name)} is ${value === undefined ? "missing" : "not a string, a number or a boolean"}.`,
    );
  };
  const bound = mapTexts(recording, (text, context) => fillIn(text, context, valueOf));
  return {
    ...bound,
    steps: bound.steps.filter((step) => step.type !== "navigate" || !isBlankPage(step.url)),
  };
};
