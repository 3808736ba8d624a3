import { isButton } from "./form-controls.ts";
import { type OptionNames, refuseUnknownOptions } from "../../domain/known-options.ts";
import type { FormFile, FormValue, FormValues } from "../../ports/collector.ts";
import type { Button, Control, Field } from "./form-controls.ts";
import type { HtmlForm } from "./form.ts";

export type FormEntry = readonly [name: string, value: string | FormFile];

/** What a control sends: nothing, or one value after the other. */
type Sent = readonly (string | FormFile)[];

const NO_FILE: FormFile = { filename: "", mediaType: "application/octet-stream", bytes: new Uint8Array() };

const FILE_OPTIONS: OptionNames<FormFile> = { filename: true, mediaType: true, bytes: true };

/** The names and values that a browser would send, in the order of the page. */
export const formEntries = (form: HtmlForm, values: FormValues, pressed: Button | undefined): FormEntry[] => {
  const filled = new Map<Control, Sent>();
  for (const [name, value] of Object.entries(values)) fill(form, name, value, filled);
  return form.controls.flatMap((control): FormEntry[] => {
    if (isButton(control)) return control === pressed ? buttonEntries(control) : [];
    return (filled.get(control) ?? preset(control)).map((value) => [control.name, value]);
  });
};

/** The same with the values of password fields struck out; undefined when there are none. */
export const redactedEntries = (form: HtmlForm, entries: readonly FormEntry[]): FormEntry[] | undefined => {
  const secrets = new Set(
    form.controls.flatMap((control) => ("isSecret" in control && control.isSecret ? [control.name] : [])),
  );
  if (secrets.size === 0) return undefined;
  return entries.map(([name, value]) => [name, secrets.has(name) ? "[redacted]" : value]);
};

const buttonEntries = ({ kind, name, value }: Button): FormEntry[] => {
  if (kind === "button") return name === "" ? [] : [[name, value]];
  const prefix = name === "" ? "" : `${name}.`;
  return [
    [`${prefix}x`, "0"],
    [`${prefix}y`, "0"],
  ];
};

const preset = (control: Field): Sent => {
  switch (control.kind) {
    case "text":
    case "hidden":
      return [control.value];
    case "checkbox":
    case "radio":
      return control.isChecked ? [control.value] : [];
    case "select":
      return control.options.filter(({ isSelected }) => isSelected).map(({ value }) => value);
    case "file":
      return [NO_FILE];
    default:
      return control satisfies never;
  }
};

const fill = (form: HtmlForm, name: string, value: FormValue, filled: Map<Control, Sent>): void => {
  const fields = form.controls.filter((one): one is Field => !isButton(one) && one.name === name);
  // A box is often followed by a hidden field of the same name, for when it is not ticked: that one is left alone.
  const shown = fields.filter(({ kind }) => kind !== "hidden");
  const own = shown.length > 0 ? shown : fields;
  const [first] = own;
  if (!first)
    throw form.failure(`the form has no field ${JSON.stringify(name)}; it has ${quote(fieldNames(form))}`);
  const refuse = (why: string): Error => form.failure(`field ${JSON.stringify(name)} ${why}`);
  switch (first.kind) {
    case "checkbox":
    case "radio":
      return fillBoxes(own, first.kind, value, refuse, filled);
    case "select":
      return void filled.set(first, chooseOptions(first, value, refuse));
    case "file":
      if (!isFile(value)) throw refuse("takes a file");
      refuseUnknownOptions(value, FILE_OPTIONS, `the file for field ${JSON.stringify(name)}`);
      return void filled.set(first, [value]);
    case "text":
    case "hidden": {
      const texts = textsOf(value, refuse);
      if (texts.length > own.length) throw refuse(`is there ${own.length} times, not ${texts.length}`);
      for (const [at, text] of texts.entries()) filled.set(own[at]!, [text]);
    }
  }
};

type Box = Extract<Field, { readonly kind: "checkbox" | "radio" }>;
type Refuse = (why: string) => Error;

const fillBoxes = (
  own: readonly Field[],
  kind: "checkbox" | "radio",
  value: FormValue,
  refuse: Refuse,
  filled: Map<Control, Sent>,
): void => {
  const boxes = own.filter((one): one is Box => one.kind === kind);
  const known = boxes.map((box) => box.value);
  const wanted = wantedBoxes(value, known, refuse);
  const stranger = wanted.find((one) => !known.includes(one));
  if (stranger !== undefined)
    throw refuse(`has no choice ${JSON.stringify(stranger)}; it has ${quote(known)}`);
  if (kind === "radio" && wanted.length > 1) throw refuse("takes one choice");
  for (const box of boxes) filled.set(box, wanted.includes(box.value) ? [box.value] : []);
};

const wantedBoxes = (value: FormValue, known: readonly string[], refuse: Refuse): readonly string[] => {
  if (typeof value !== "boolean") return textsOf(value, refuse);
  if (value && known.length > 1) throw refuse(`has several choices, name them: ${quote(known)}`);
  return value ? known : [];
};

const chooseOptions = (select: Field & { kind: "select" }, value: FormValue, refuse: Refuse): Sent => {
  const wanted = textsOf(value, refuse);
  if (!select.isMultiple && wanted.length !== 1) throw refuse("takes one choice");
  const chosen = wanted.map((one) => {
    const option =
      select.options.find((each) => each.value === one) ??
      select.options.find(({ label }) => label === one.trim());
    if (option) return option;
    const known = select.options.map(({ value: own, label }) => (own === label ? own : `${own} (${label})`));
    throw refuse(`has no choice ${JSON.stringify(one)}; it has ${quote(known)}`);
  });
  return select.options.filter((option) => chosen.includes(option)).map((option) => option.value);
};

const textsOf = (value: FormValue, refuse: Refuse): readonly string[] => {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (Array.isArray(value)) return value;
  throw refuse(typeof value === "boolean" ? "takes a text, not true or false" : "does not take a file");
};

const isFile = (value: FormValue): value is FormFile => typeof value === "object" && !Array.isArray(value);

const fieldNames = (form: HtmlForm): string[] => [
  ...new Set(form.controls.filter((one) => !isButton(one)).map(({ name }) => name)),
];

/** Lists of hundreds (counties, streets) are cut: the detail is one sentence. */
const quote = (names: readonly string[]): string => {
  const listed = names
    .slice(0, 30)
    .map((name) => JSON.stringify(name))
    .join(", ");
  return names.length > 30 ? `${listed} and ${names.length - 30} more` : listed || "none";
};
