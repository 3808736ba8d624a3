import { encodeForm, encodeQuery } from "./encode-form.ts";
import { formEntries, redactedEntries } from "./form-values.ts";
import { HtmlForm } from "./form.ts";
import type { Form, FormValues, SubmitOptions } from "../../ports/collector.ts";

interface Submission {
  readonly method: Form["method"];
  readonly action: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** The body with passwords struck out, for the archive. */
  readonly archivedBody?: Buffer;
}

/** The request that a browser makes when a form is filled in like this and the button is pressed. */
export const formSubmission = (
  form: Form,
  values: FormValues | undefined,
  pressed: SubmitOptions["button"],
): Submission => {
  if (!(form instanceof HtmlForm)) throw new TypeError("http.submit takes a form that page.form gave");
  const button = form.button(pressed);
  const { action, method, enctype } = form.target(button);
  const entries = formEntries(form, values ?? {}, button);
  const url = new URL(action);
  const page = new URL(form.page.url);
  // Some sites turn away a form that does not say where it was filled in.
  const referer = url.origin === page.origin ? page.href : `${page.origin}/`;
  if (url.protocol === "javascript:")
    throw form.failure("the form is sent by a script, it has no action of its own");
  if (method === "GET") {
    url.search = encodeQuery(entries, form.charset);
    return { method, action: url.href, headers: { referer } };
  }
  const { mediaType, bytes } = encodeForm(entries, enctype, form.charset);
  const redacted = redactedEntries(form, entries);
  return {
    method,
    action,
    headers: { referer, origin: page.origin, "content-type": mediaType },
    body: bytes,
    ...(redacted && { archivedBody: encodeForm(redacted, enctype, form.charset).bytes }),
  };
};
