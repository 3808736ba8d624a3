import { foldSpace, foldedText } from "../folded-text.ts";
import type { TreeElement } from "../html-tree.ts";

const TYPED = /^(?:text|number|tel|email|url|date|search|month|week|time|datetime-local|)$/;

/** What stands in a form's control, or in the only one inside of an element without text. Undefined: there is none. */
export function controlText(element: TreeElement): string | undefined {
  const control = isControl(element) ? element : onlyControl(element);
  if (control === undefined) return undefined;
  if (control.tag === "input") return foldSpace(control.attribute("value") ?? "");
  if (control.tag === "textarea") return foldedText(control);
  const options = elementsBelow(control).filter(({ tag }) => tag === "option");
  const chosen = options.find((option) => option.attribute("selected") !== undefined) ?? options[0];
  return chosen === undefined ? "" : foldedText(chosen);
}

function isControl(element: TreeElement): boolean {
  if (element.tag === "input") return TYPED.test((element.attribute("type") ?? "").toLowerCase());
  return element.tag === "textarea" || element.tag === "select";
}

function onlyControl(element: TreeElement): TreeElement | undefined {
  const controls = elementsBelow(element).filter(isControl);
  const [only] = controls;
  if (controls.length !== 1 || only === undefined) return undefined;
  const around = foldedText(element);
  return around === "" || around === foldedText(only) ? only : undefined;
}

function elementsBelow(element: TreeElement): readonly TreeElement[] {
  const found: TreeElement[] = [];
  const rest: TreeElement[] = [element];
  for (let one = rest.pop(); one !== undefined; one = rest.pop()) {
    if (one !== element) found.push(one);
    for (let at = one.children.length - 1; at >= 0; at--) {
      const child = one.children[at];
      if (typeof child === "object") rest.push(child);
    }
  }
  return found;
}
