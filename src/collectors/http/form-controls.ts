import { compileSelector } from "../../extraction/selector.ts";
import type { HtmlDocument, HtmlElement } from "../../extraction/html-document.ts";

interface SelectOption {
  readonly value: string;
  readonly label: string;
  readonly isSelected: boolean;
}

/** A control that can be part of a submission: enabled, and named unless it is a button. */
export type Control =
  | {
      readonly kind: "text" | "hidden";
      readonly name: string;
      readonly value: string;
      /** A password: sent, never stored. */
      readonly isSecret?: boolean;
    }
  | {
      readonly kind: "checkbox" | "radio";
      readonly name: string;
      readonly value: string;
      readonly isChecked: boolean;
    }
  | {
      readonly kind: "select";
      readonly name: string;
      readonly isMultiple: boolean;
      readonly options: readonly SelectOption[];
    }
  | { readonly kind: "file"; readonly name: string }
  | Button;

export interface Button {
  readonly kind: "button" | "image";
  readonly name: string;
  readonly value: string;
  readonly id: string;
  readonly label: string;
  /** `formaction`, `formmethod` and `formenctype`, as written. */
  readonly action?: string;
  readonly method?: string;
  readonly enctype?: string;
}

export type Field = Exclude<Control, Button>;
export const isButton = (control: Control): control is Button =>
  control.kind === "button" || control.kind === "image";

const CONTROLS = compileSelector("input, select, textarea, button");
const OPTIONS = compileSelector("option");
const LEGENDS = compileSelector("> legend");

/** The controls of a form in page order: those inside it, and those elsewhere that name its id in `form=`. */
export const readControls = (document: HtmlDocument, form: HtmlElement): Control[] => {
  const id = document.attr(form, "id");
  const isOwn = (element: HtmlElement): boolean => {
    const owner = document.attr(element, "form");
    return owner === undefined ? document.formOf(element) === form : owner === id && id !== undefined;
  };
  return document
    .all(CONTROLS)
    .filter(
      (element) =>
        isOwn(element) && !isDisabled(document, element) && !nearest(document, element, "datalist"),
    )
    .flatMap((element) => readControl(document, element) ?? []);
};

const nearest = (document: HtmlDocument, element: HtmlElement, tag: string): HtmlElement | undefined => {
  for (let up = document.parentOf(element); up; up = document.parentOf(up)) if (up.tag === tag) return up;
  return undefined;
};

/** By itself, or inside a disabled fieldset other than in its first legend. */
const isDisabled = (document: HtmlDocument, element: HtmlElement): boolean => {
  if (document.attr(element, "disabled") !== undefined) return true;
  let below = element;
  for (let up = document.parentOf(element); up; below = up, up = document.parentOf(up)) {
    if (up.tag !== "fieldset" || document.attr(up, "disabled") === undefined) continue;
    if (document.first(LEGENDS, up) !== below) return true;
  }
  return false;
};

const readControl = (document: HtmlDocument, element: HtmlElement): Control | undefined => {
  const attr = (name: string): string | undefined => document.attr(element, name);
  const name = attr("name") ?? "";
  const type = (attr("type") ?? "").trim().toLowerCase();
  if (element.tag === "button")
    return type === "button" || type === "reset" ? undefined : readButton(document, element);
  if (element.tag === "input") {
    if (type === "submit" || type === "image") return readButton(document, element);
    if (type === "button" || type === "reset") return undefined;
  }
  if (name === "") return undefined;
  if (element.tag === "select") return readSelect(document, element, name);
  if (element.tag === "textarea") return { kind: "text", name, value: document.rawTextOf(element) };
  switch (type) {
    case "checkbox":
    case "radio":
      return { kind: type, name, value: attr("value") ?? "on", isChecked: attr("checked") !== undefined };
    case "file":
      return { kind: "file", name };
    case "hidden":
      return { kind: "hidden", name, value: attr("value") ?? "" };
    default: {
      const value = (attr("value") ?? "").replace(/[\r\n]/g, "");
      return { kind: "text", name, value, ...(type === "password" && { isSecret: true }) };
    }
  }
};

const readButton = (document: HtmlDocument, element: HtmlElement): Button => {
  const attr = (name: string): string | undefined => document.attr(element, name);
  const isImage = element.tag === "input" && attr("type")?.trim().toLowerCase() === "image";
  const shown =
    element.tag === "button" ? document.textOf(element) : (attr(isImage ? "alt" : "value") ?? "Submit");
  const [action, method, enctype] = [attr("formaction"), attr("formmethod"), attr("formenctype")];
  return {
    kind: isImage ? "image" : "button",
    name: attr("name") ?? "",
    value: attr("value") ?? "",
    id: attr("id") ?? "",
    label: shown.replace(/\s+/g, " ").trim(),
    ...(action !== undefined && { action }),
    ...(method !== undefined && { method }),
    ...(enctype !== undefined && { enctype }),
  };
};

const readSelect = (document: HtmlDocument, element: HtmlElement, name: string): Control => {
  const isMultiple = document.attr(element, "multiple") !== undefined;
  const options = document
    .all(OPTIONS, element)
    .filter((option) => !isDisabledOption(document, option))
    .map((option) => {
      const text = document.textOf(option);
      const isSelected = document.attr(option, "selected") !== undefined;
      return {
        value: document.attr(option, "value") ?? text,
        label: document.attr(option, "label") ?? text,
        isSelected,
      };
    });
  if (isMultiple) return { kind: "select", name, isMultiple, options };
  // A closed list shows one option: the last selected one, or else the first.
  const shown = Math.max(
    0,
    options.findLastIndex(({ isSelected }) => isSelected),
  );
  return {
    kind: "select",
    name,
    isMultiple,
    options: options.map((one, at) => ({ ...one, isSelected: at === shown })),
  };
};

const isDisabledOption = (document: HtmlDocument, option: HtmlElement): boolean => {
  const group = nearest(document, option, "optgroup");
  return [option, group].some((one) => one && document.attr(one, "disabled") !== undefined);
};
