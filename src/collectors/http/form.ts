import { FailureError } from "../../domain/failure.ts";
import { isButton, readControls } from "./form-controls.ts";
import { formEntries } from "./form-values.ts";
import type { HtmlElement } from "../../extraction/html-document.ts";
import type { Form } from "../../ports/collector.ts";
import type { Button, Control } from "./form-controls.ts";
import type { HttpPage } from "./page.ts";

/** A form together with the page it stands on: what is needed to fill it in and send it. */
export class HtmlForm implements Form {
  readonly action: string;
  readonly method: Form["method"];
  readonly enctype: Form["enctype"];
  readonly controls: readonly Control[];
  readonly page: HttpPage;
  /** Encoding that the site reads the form in. */
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

  /** The button by its name, id or label; without one, the first. None for `false`: a script sends the form. */
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

/** An empty action means the page itself, whatever its base is. */
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
