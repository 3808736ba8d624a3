import type { ComponentChildren, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { problemText } from "../api.ts";
import type { Loaded } from "../load.ts";
import { href, hrefWith, path, search, value } from "../router.ts";
import type { Page } from "../../../src/client.ts";

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly isNumber?: boolean;
  /** Hidden on narrow screens. */
  readonly isMinor?: boolean;
}

interface TableProps<Row> {
  /** What the table lists, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly list: Loaded<Page<Row>>;
  readonly keyOf: (row: Row) => string;
  /** What to do first, where there is nothing to show. */
  readonly empty: ComponentChildren;
  /** Nothing to show is good news. */
  readonly isEmptyGood?: boolean;
}

/** A page of a list. Its position is the `cursor` of the URL, so it costs the same wherever it is, and back leads to the page before. */
export const Table = <Row,>({ label, columns, list, keyOf, empty, isEmptyGood }: TableProps<Row>): VNode => {
  const { data, error } = list;
  if (error !== undefined && !data) return <Problem error={error} retry={list.reload} />;
  if (!data) return <p class="loading">Loading…</p>;
  return (
    <>
      {error !== undefined && <Problem error={error} retry={list.reload} />}
      {data.data.length === 0 && value("cursor") === undefined && data.next === undefined ? (
        <div class={isEmptyGood ? "empty good" : "empty"}>{empty}</div>
      ) : (
        <>
          <Rows label={label} columns={columns} rows={data.data} keyOf={keyOf} />
          {data.data.length === 0 && data.next !== undefined && (
            <p class="quiet after">None so far. The next page continues the search.</p>
          )}
        </>
      )}
      <Pager next={data.next} />
    </>
  );
};

interface RowsProps<Row> extends Pick<TableProps<Row>, "label" | "columns" | "keyOf"> {
  readonly rows: readonly Row[];
  /** On phones, each row is a block of names and values; default: if it has more columns than fit. */
  readonly isStacked?: boolean;
}

/** Columns that fit a phone. */
const MOST_ON_PHONES = 3;

/** The first table after loading is drawn in two steps, so that its first rows are seen sooner. */
const FIRST_ROWS = 20;
let isFirstTable = true;

const useRowCount = (): number => {
  const [count, setCount] = useState(() => (isFirstTable ? FIRST_ROWS : Infinity));
  useEffect(() => {
    isFirstTable = false;
    const frame = requestAnimationFrame(() => setCount(Infinity));
    return () => cancelAnimationFrame(frame);
  }, []);
  return count;
};

/** The table alone, for rows that are already there. */
export const Rows = <Row,>({
  label,
  columns,
  rows,
  keyOf,
  isStacked = columns.filter(({ isMinor }) => !isMinor).length > MOST_ON_PHONES,
}: RowsProps<Row>): VNode => {
  const count = useRowCount();
  const classOf = ({ isNumber, isMinor }: Column<Row>): string =>
    [isNumber && "number", isMinor && "minor"].filter(Boolean).join(" ");
  return (
    // Scrolls by itself where it is too wide; the keyboard must reach that too.
    <div class={isStacked ? "table stacked" : "table"} role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" class={classOf(column)}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, count).map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.name} class={classOf(column)} data-name={column.name}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

const Pager = ({ next }: { readonly next: string | undefined }): VNode | null => {
  const isFirst = value("cursor") === undefined;
  if (isFirst && next === undefined) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {!isFirst && <a href={hrefWith({})}>First page</a>}
      {next !== undefined && (
        <a href={hrefWith({ cursor: next })} rel="next">
          Next page →
        </a>
      )}
      {next === undefined && <span class="quiet">End of the list</span>}
    </nav>
  );
};

/** Filters of a list as links that keep the rest of the URL: choosing one again removes it. */
export const Chips = ({
  name,
  label,
  options,
}: {
  readonly name: string;
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly label?: ComponentChildren }[];
}): VNode => {
  const chosen = search.value.getAll(name);
  return (
    <div class="chips" role="group" aria-label={label}>
      {options.map((option) => {
        const isOn = chosen.includes(option.value);
        const then = isOn ? chosen.filter((one) => one !== option.value) : [...chosen, option.value];
        return (
          <a
            key={option.value}
            href={hrefWith({ [name]: then })}
            class={isOn ? "chip on" : "chip"}
            aria-current={isOn ? "true" : undefined}
          >
            {option.label ?? option.value}
          </a>
        );
      })}
      {chosen.length > 0 && (
        <a class="chip clear" href={hrefWith({ [name]: undefined })}>
          clear
        </a>
      )}
    </div>
  );
};

export const Problem = ({
  error,
  retry,
}: {
  readonly error: unknown;
  readonly retry?: () => void;
}): VNode => (
  <div class="problem" role="alert">
    <p>{problemText(error)}</p>
    {retry && (
      <button type="button" onClick={retry}>
        Try again
      </button>
    )}
  </div>
);

/** The way to a page, above its title. */
export const Crumbs = ({
  steps,
}: {
  readonly steps: readonly (readonly [label: string, to: string])[];
}): VNode => (
  <nav class="crumbs" aria-label="Breadcrumb">
    {steps.map(([label, to]) => (
      <a key={to} href={href(to)} aria-current={to === path.value ? "page" : undefined}>
        {label}
      </a>
    ))}
  </nav>
);
