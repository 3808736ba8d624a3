import { FailureError } from "../../domain/failure.ts";
import { type OptionNames, refuseUnknownOptions } from "../../domain/known-options.ts";
import type { HtmlElement } from "../../extraction/html-document.ts";
import type { Form, FormFile, FormValue, FormValues, SubmitOptions } from "../../ports/collector.ts";
import { encodeForm, encodeQuery } from "./encode-form.ts";
import { type Button, type Control, type Field, isButton, readControls } from "./form-controls.ts";
import type { HttpPage } from "./page.ts";
import { REDACTED } from "./secrets.ts";

/** A form with its page: all that is needed to fill it in and send it. */
export class HtmlForm implements Form {
  readonly action: string;
  readonly method: Form["method"];
  readonly enctype: Form["enctype"];
  readonly controls: readonly Control[];
  readonly page: HttpPage;
  /** The encoding in which the site expects the form. */
  readonly charset: string;

  constructor(page: HttpPage, controls: readonly Control[], attr: (name: string) => string | undefined) {
    this.page = page;
    this.controls = controls;
    this.action = resolveAction(page, attr("action"));
    this.method = readMethod(attr("method"));
    this.enctype = readEnctype(attr("enctype"));
    this.charset =
      attr("accept-charset")
        ?.trim()
        .split(/[\s,]+/)[0] || page.charset;
  }

  get values(): readonly (readonly [string, string])[] {
    const entries = formEntries(this, {}, this.#defaultButton());
    return entries.map(([name, value]) => [name, typeof value === "string" ? value : value.filename]);
  }

  /** The button with this name, id or label; by default the first. None for `false`: a script sends the form. */
  button(wanted: string | false | undefined): Button | undefined {
    if (wanted === false) return undefined;
    if (wanted === undefined) return this.#defaultButton();
    const buttons = this.controls.filter(isButton);
    const found =
      buttons.find(({ name }) => name === wanted) ??
      buttons.find(({ id }) => id === wanted) ??
      buttons.find(({ label }) => label === wanted.trim());
    if (found) return found;
    const known = buttons.map(({ name, id, label }) => JSON.stringify(label || name || id)).join(", ");
    throw this.failure(`the form has no button ${JSON.stringify(wanted)}; it has ${known || "none"}`);
  }

  /** Where and how the form goes when this button is pressed. */
  target(button: Button | undefined): Pick<Form, "action" | "method" | "enctype"> {
    return {
      action: button?.action === undefined ? this.action : resolveAction(this.page, button.action),
      method: button?.method === undefined ? this.method : readMethod(button.method),
      enctype: button?.enctype === undefined ? this.enctype : readEnctype(button.enctype),
    };
  }

  failure(detail: string): FailureError {
    return new FailureError({ kind: "navigation", detail, url: this.page.url });
  }

  #defaultButton(): Button | undefined {
    return this.controls.find(isButton);
  }
}

export const readForm = (page: HttpPage, element: HtmlElement): HtmlForm => {
  const { document } = page;
  return new HtmlForm(page, readControls(document, element), (name) => document.attr(element, name));
};

/** An empty action means the page itself, regardless of its base. */
const resolveAction = (page: HttpPage, action: string | undefined): string => {
  if (!action?.trim()) return page.url;
  const url = page.resolve(action);
  if (url) return url.href;
  const detail = `the form's action is not a URL: ${action.slice(0, 200)}`;
  throw new FailureError({ kind: "navigation", detail, url: page.url });
};

const readMethod = (method: string | undefined): Form["method"] =>
  method?.trim().toLowerCase() === "post" ? "POST" : "GET";

const readEnctype = (enctype: string | undefined): Form["enctype"] => {
  const wanted = enctype?.trim().toLowerCase();
  return wanted === "multipart/form-data" || wanted === "text/plain"
    ? wanted
    : "application/x-www-form-urlencoded";
};

export type FormEntry = readonly [name: string, value: string | FormFile];

/** The values that a control sends, in order. */
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

/** The entries without the values of password fields; undefined if there are none. */
const redactedEntries = (form: HtmlForm, entries: readonly FormEntry[]): FormEntry[] | undefined => {
  const secrets = new Set(
    form.controls.flatMap((control) => ("isSecret" in control && control.isSecret ? [control.name] : [])),
  );
  if (secrets.size === 0) return undefined;
  return entries.map(([name, value]) => [name, secrets.has(name) ? REDACTED : value]);
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
  // A checkbox is often followed by a hidden field of the same name, for the unchecked case: that one stays as it is.
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
      if (!isFile(value)) throw refuse("expects a file");
      refuseUnknownOptions(value, FILE_OPTIONS, `the file for field ${JSON.stringify(name)}`);
      return void filled.set(first, [value]);
    case "text":
    case "hidden": {
      const texts = textsOf(value, refuse);
      if (texts.length > own.length) throw refuse(`occurs ${own.length} times, not ${texts.length}`);
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
  const unknown = wanted.find((one) => !known.includes(one));
  if (unknown !== undefined) throw refuse(`has no choice ${JSON.stringify(unknown)}; it has ${quote(known)}`);
  if (kind === "radio" && wanted.length > 1) throw refuse("accepts one choice");
  for (const box of boxes) filled.set(box, wanted.includes(box.value) ? [box.value] : []);
};

const wantedBoxes = (value: FormValue, known: readonly string[], refuse: Refuse): readonly string[] => {
  if (typeof value !== "boolean") return textsOf(value, refuse);
  if (value && known.length > 1) throw refuse(`has several choices; name one or more of ${quote(known)}`);
  return value ? known : [];
};

const chooseOptions = (select: Field & { kind: "select" }, value: FormValue, refuse: Refuse): Sent => {
  const wanted = textsOf(value, refuse);
  if (!select.isMultiple && wanted.length !== 1) throw refuse("accepts one choice");
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
  throw refuse(typeof value === "boolean" ? "expects text, not true or false" : "does not accept a file");
};

const isFile = (value: FormValue): value is FormFile => typeof value === "object" && !Array.isArray(value);

const fieldNames = (form: HtmlForm): string[] => [
  ...new Set(form.controls.filter((one) => !isButton(one)).map(({ name }) => name)),
];

/** Lists of hundreds of names (counties, streets) are shortened: the detail is one sentence. */
const quote = (names: readonly string[]): string => {
  const listed = names
    .slice(0, 30)
    .map((name) => JSON.stringify(name))
    .join(", ");
  return names.length > 30 ? `${listed} and ${names.length - 30} more` : listed || "none";
};

interface Submission {
  readonly method: Form["method"];
  readonly action: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** The body for the archive, without passwords. */
  readonly archivedBody?: Uint8Array;
}

/** The request that a browser makes when a form is filled in like this and the button is pressed. */
export const formSubmission = (
  form: Form,
  values: FormValues | undefined,
  pressed: SubmitOptions["button"],
): Submission => {
  if (!(form instanceof HtmlForm)) throw new TypeError("http.submit expects a form from page.form");
  const button = form.button(pressed);
  const { action, method, enctype } = form.target(button);
  const entries = formEntries(form, values ?? {}, button);
  const url = new URL(action);
  const page = new URL(form.page.url);
  // Some sites reject a form without a referer.
  const referer = url.origin === page.origin ? page.href : `${page.origin}/`;
  if (url.protocol === "javascript:")
    throw form.failure("the form is sent by a script and has no action URL");
  if (method === "GET") {
    url.search = encodeQuery(entries, form.charset);
    return { method, action: url.href, headers: { referer } };
  }
  const { mediaType, body } = encodeForm(entries, enctype, form.charset);
  const redacted = redactedEntries(form, entries);
  return {
    method,
    action,
    headers: { referer, origin: page.origin, "content-type": mediaType },
    body,
    ...(redacted && { archivedBody: encodeForm(redacted, enctype, form.charset).body }),
  };
};
