import type { VNode } from "preact";
import { textOf } from "../../format.ts";
import type { NewJob } from "../../../../src/client.ts";

/** The options of a job that people set by hand; the API has more. */
export const JobOptionFields = (): VNode => (
  // A field that cannot be seen could not say what is wrong with it.
  <details onInvalidCapture={(event) => (event.currentTarget.open = true)}>
    <summary>Options</summary>
    <div class="grid2">
      <label>
        Label
        <input name="label" placeholder="name=value" pattern="[^=]+=.+" title="name=value" />
      </label>
      <label>
        Maximum number of items
        <input name="maxItems" inputMode="numeric" pattern="[0-9]+" title="A whole number" />
      </label>
      <label>
        Maximum requests per second
        <input name="perSecond" inputMode="decimal" pattern="[0-9]*\.?[0-9]+" title="A number" />
      </label>
      <label>
        Deadline, in local time
        <input name="deadline" type="datetime-local" />
      </label>
      <label>
        Priority among your jobs
        <input name="priority" inputMode="numeric" pattern="-?[0-9]+" title="A whole number" />
      </label>
    </div>
  </details>
);

export const optionsOf = (form: FormData): Partial<NewJob> => {
  const [label, maxItems, perSecond, deadline, priority] = [
    "label",
    "maxItems",
    "perSecond",
    "deadline",
    "priority",
  ].map((name) => textOf(form, name)) as [string, string, string, string, string];
  const equals = label.indexOf("=");
  return {
    ...(label !== "" && { labels: { [label.slice(0, equals)]: label.slice(equals + 1) } }),
    ...(maxItems !== "" && { maxItems: Number(maxItems) }),
    ...(perSecond !== "" && { pace: { perSecond: Number(perSecond) } }),
    ...(deadline !== "" && { deadlineAt: new Date(deadline).toISOString() }),
    ...(priority !== "" && { priority: Number(priority) }),
  };
};
