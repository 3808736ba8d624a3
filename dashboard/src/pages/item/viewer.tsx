/**
 * The stored page beside the record. A click on a field marks its element on the page; a click on a marked element shows the number and the name of its fields. The page is
 * hostile: it is shown in a frame without any rights, and the server does the marking (decision 33).
 */
import type { VNode } from "preact";
import { api } from "../../api.ts";
import { bytes, plain } from "../../format.ts";
import { useLoad } from "../../load.ts";
import { State } from "../../parts/state.tsx";
import { Problem } from "../../parts/table.tsx";
import { hrefWith, value } from "../../router.ts";
import type { Capture, Item, ItemRecords } from "../../../../src/client.ts";

type ItemRecord = ItemRecords["data"][number];

interface ViewerProps {
  readonly job: string;
  readonly item: Item;
  readonly records: readonly ItemRecord[];
  readonly isLoading: boolean;
}

const WAYS = [
  ["page", "Page"],
  ["source", "Source"],
  ["headers", "Headers"],
] as const;

export const Viewer = ({ job, item, records, isLoading }: ViewerProps): VNode => {
  const { captures } = item;
  const recordNumber = Number(value("record") ?? 0);
  const record = records[recordNumber] ?? records[0];
  const chosen =
    captures.find(({ number }) => String(number) === value("page")) ??
    captures.find(({ name, isFile }) => !isFile && name === record?.from) ??
    captures[0];
  return (
    <div class="viewer">
      <section>
        <h2>Record{records.length > 1 ? ` ${recordNumber + 1} of ${records.length}` : ""}</h2>
        {records.length > 1 && (
          <nav class="pager" aria-label="Records">
            {recordNumber > 0 && (
              <a href={hrefWith({ record: recordNumber - 1, field: undefined })}>Previous record</a>
            )}
            {recordNumber < records.length - 1 && (
              <a href={hrefWith({ record: recordNumber + 1, field: undefined })}>Next record</a>
            )}
          </nav>
        )}
        {record ? (
          <Fields record={record} captures={captures} />
        ) : (
          <p class="empty">{isLoading ? "Loading…" : "No record was read from this item."}</p>
        )}
      </section>
      <section>
        <h2>Stored pages and files</h2>
        {chosen ? (
          <Stored job={job} item={item} capture={chosen} recordNumber={recordNumber} />
        ) : (
          <p class="empty">Nothing is stored for this item. The attempts below say why.</p>
        )}
      </section>
    </div>
  );
};

const Fields = ({
  record,
  captures,
}: {
  readonly record: ItemRecord;
  readonly captures: readonly Capture[];
}): VNode => {
  const page = captures.find(({ name, isFile }) => !isFile && name === record.from);
  const chosen = value("field");
  return (
    <ol class="fields">
      {Object.entries(record.fields).map(([name, field], index) => {
        const isOn = name === chosen;
        return (
          <li key={name} class={isOn ? "on" : ""}>
            <a
              href={hrefWith({ field: isOn ? undefined : name, page: page?.number })}
              aria-current={isOn ? "true" : undefined}
            >
              <span class="badge">{index + 1}</span> <b>{name}</b>
            </a>
            {field.status !== "present" && <State of={field.status} />}
            <span class="value wrap">{plain(field.value)}</span>
            {isOn && (
              <p class="quiet small wrap">
                {field.by !== undefined && (
                  <>
                    found by <code>{field.by}</code>{" "}
                  </>
                )}
                {field.raw !== undefined && <>text “{field.raw}” </>}
                {field.why}
                {field.at === undefined && "It was not found on the page."}
              </p>
            )}
          </li>
        );
      })}
    </ol>
  );
};

interface StoredProps {
  readonly job: string;
  readonly item: Item;
  readonly capture: Capture;
  readonly recordNumber: number;
}

const Stored = ({ job, item, capture, recordNumber }: StoredProps): VNode => {
  const way = value("as") ?? "page";
  return (
    <>
      <div class="chips" role="group" aria-label="Stored pages and files">
        {item.captures.map(({ number, name, mediaType }) => (
          <a
            key={number}
            class={number === capture.number ? "chip on" : "chip"}
            aria-current={number === capture.number ? "true" : undefined}
            href={hrefWith({ page: number })}
          >
            {name} <span class="quiet">{mediaType}</span>
          </a>
        ))}
      </div>
      <div class="chips" role="group" aria-label="View">
        {WAYS.map(([name, label]) => (
          <a
            key={name}
            class={name === way ? "chip on" : "chip"}
            aria-current={name === way ? "true" : undefined}
            href={hrefWith({ as: name === "page" ? undefined : name })}
          >
            {label}
          </a>
        ))}
        <a class="chip" href={`/v1/jobs/${job}/items/${item.id}/captures/${capture.number}`} download>
          Download
        </a>
      </div>
      <p class="quiet small wrap">
        {capture.url} · {bytes(capture.storedBytes)} stored
      </p>
      {way === "headers" ? (
        <Headers job={job} item={item.id} number={capture.number} />
      ) : (
        <iframe
          // Without any right: no script, no form, no popup, an origin of its own.
          sandbox=""
          title={`Stored page ${capture.name}`}
          src={viewUrl(job, item.id, capture.number, { way, record: recordNumber })}
        />
      )}
    </>
  );
};

/** The mark is where the frame scrolls to. */
const viewUrl = (
  job: string,
  item: string,
  number: number,
  { way, record }: { readonly way: string; readonly record: number },
): string => {
  const query = new URLSearchParams({ record: String(record), as: way });
  const field = value("field");
  if (field !== undefined) query.set("field", field);
  const path = `/v1/jobs/${job}/items/${item}/captures/${number}/view?${query.toString()}`;
  return field === undefined ? path : `${path}#sluice-mark`;
};

const Headers = ({
  job,
  item,
  number,
}: {
  readonly job: string;
  readonly item: string;
  readonly number: number;
}): VNode => {
  const { data, error, reload } = useLoad(`headers ${job} ${item} ${number}`, () =>
    api.getCaptureHeaders(job, item, number),
  );
  if (error !== undefined) return <Problem error={error} retry={reload} />;
  return (
    <pre tabIndex={0} aria-label="Status and headers">
      {data &&
        `${data.status} ${data.url}\n\n${data.headers.map((one) => `${one.name}: ${one.value}`).join("\n")}`}
    </pre>
  );
};
