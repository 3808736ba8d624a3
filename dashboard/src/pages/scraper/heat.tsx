/** Fields down, runs across: how many records have a value. A cell leads to the items of that run that have none. */
import type { VNode } from "preact";
import { number, percent } from "../../format.ts";
import { Time } from "../../parts/time.tsx";
import { href } from "../../router.ts";
import type { Job } from "../../../../src/client.ts";

const WITHOUT_VALUE = ["missing", "malformed", "empty"] as const;

interface Cell {
  readonly present: number;
  readonly of: number;
  readonly isOptional: boolean;
}

const cellOf = (job: Job, field: string): Cell | undefined => {
  const counts = job.fields[field];
  if (!counts) return undefined;
  const { present, empty, missing, malformed, isOptional } = counts;
  return { present, of: present + empty + missing + malformed, isOptional };
};

const shareOf = (cell: Cell | undefined): number | undefined =>
  cell && cell.of > 0 ? cell.present / cell.of : undefined;

/** Where there is little room, older runs are to the left. */
const toNewest = (table: HTMLElement | null): void => {
  if (table) table.scrollLeft = table.scrollWidth;
};

/** `runs`: newest first, as lists have them. */
export const HeatMap = ({ runs }: { readonly runs: readonly Job[] }): VNode => {
  const shown = runs.filter(({ fields }) => Object.keys(fields).length > 0).toReversed();
  const fields = [...new Set(shown.toReversed().flatMap((job) => Object.keys(job.fields)))];
  if (shown.length === 0 || fields.length === 0)
    return <p class="empty">No run has records yet. Each run becomes a column, each field a row.</p>;
  return (
    <>
      <div
        class="table heat"
        role="region"
        aria-label="Share of records with a value"
        tabIndex={0}
        ref={toNewest}
      >
        <table>
          <thead>
            <tr>
              <th scope="col">Field</th>
              {shown.map((job) => (
                <th key={job.id} scope="col" class="number">
                  <a href={`/jobs/${job.id}`}>
                    <Time at={job.createdAt} />
                  </a>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {fields.map((field) => (
              <Row key={field} field={field} runs={shown} />
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint quiet">
        Share of records with a value; the newest run is on the right. Red means fewer than in the best run
        shown or, for a required field, fewer than all. Click a number to see the items without a value.
      </p>
    </>
  );
};

const Row = ({ field, runs }: { readonly field: string; readonly runs: readonly Job[] }): VNode => {
  const cells = runs.map((job) => cellOf(job, field));
  const isOptional = cells.at(-1)?.isOptional ?? true;
  const best = isOptional ? Math.max(0, ...cells.map((cell) => shareOf(cell) ?? 0)) : 1;
  return (
    <tr>
      <th scope="row">
        {field}
        {isOptional && <span class="quiet"> optional</span>}
      </th>
      {cells.map((cell, at) => {
        const share = shareOf(cell);
        const job = runs[at]!;
        if (!cell || share === undefined)
          return (
            <td key={job.id} class="number quiet">
              –
            </td>
          );
        const loss = Math.min(1, Math.max(0, best - share));
        const without = cell.of - cell.present;
        const text = percent(share);
        return (
          <td
            key={job.id}
            class="number"
            // Small losses must be seen too.
            style={{ "--loss": `${loss === 0 ? 0 : Math.round(8 + 37 * Math.sqrt(loss))}%` }}
          >
            {without === 0 ? (
              <span>{text}</span>
            ) : (
              <a
                href={href(`/jobs/${job.id}/items`, { field, status: WITHOUT_VALUE })}
                aria-label={`${text} of ${field} in ${job.id}: ${number(without)} records without a value`}
              >
                {text}
              </a>
            )}
          </td>
        );
      })}
    </tr>
  );
};
