/** Submit a job: choose a scraper, enter inputs in a form, as text or as a file, see which are invalid, and start. */
import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import { api } from "../api.ts";
import { bytes, number, percent } from "../format.ts";
import { useLoad } from "../load.ts";
import { Problem, Rows } from "../parts/table.tsx";
import { tell } from "../parts/toasts.tsx";
import { hrefWith, navigate, value } from "../router.ts";
import { InputForm, inputOf, type InputSchema, type Typed } from "./submit/input-form.tsx";
import { JobOptionFields, optionsOf } from "./submit/options.tsx";
import { type Format, formatOf, type Piece, piecesOf } from "./submit/pieces.ts";
import type { InputCheck, Scraper } from "../../../src/client.ts";

/** What was typed stays while other pages are looked at. */
const typed = signal<Typed>({});
const text = signal("");
const file = signal<File | undefined>(undefined);

const WAYS = { form: "Fill in a form", text: "Paste rows", file: "Choose a file" } as const;
type Way = keyof typeof WAYS;

const Submit = (): VNode => {
  const name = value("scraper");
  const scrapers = useLoad("scraper names", () => api.listScrapers({ limit: 500 }));
  const usable = (scrapers.data?.data ?? []).filter(({ problem }) => problem === undefined);
  // The one that the URL names is there before the list has arrived.
  const names = [
    ...new Set([...usable.map((scraper) => scraper.name), ...(name === undefined ? [] : [name])]),
  ];
  return (
    <div class="submit">
      <h1>Submit a job</h1>
      {scrapers.error !== undefined && <Problem error={scrapers.error} retry={scrapers.reload} />}
      <label>
        Scraper
        <select
          value={name ?? ""}
          onChange={(event) => navigate(hrefWith({ scraper: event.currentTarget.value }))}
        >
          <option value="">Choose…</option>
          {names.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </label>
      {name === undefined ? (
        <p class="empty">Choose a scraper. The inputs are checked before anything starts.</p>
      ) : (
        <Chosen key={name} name={name} />
      )}
    </div>
  );
};

const Chosen = ({ name }: { readonly name: string }): VNode => {
  const { data, error, reload } = useLoad(`scraper alone ${name}`, () => api.getScraper(name));
  if (error !== undefined && !data) return <Problem error={error} retry={reload} />;
  return data ? <Inputs scraper={data} /> : <p class="loading">Loading…</p>;
};

/** The rows that the page has now. */
const sourceOf = (way: Way, schema: InputSchema): Blob =>
  way === "file"
    ? (file.value ?? new Blob())
    : new Blob([way === "text" ? text.value : JSON.stringify(inputOf(schema, typed.value))]);

interface Checked {
  readonly check: InputCheck;
  /** The rows that were checked, to show the bad ones. */
  readonly rows: readonly string[];
  readonly format: Format;
  readonly source: Blob;
  readonly isPart: boolean;
}

/** A job that was created, and how far its inputs were sent. */
interface Sending {
  readonly job: string;
  readonly source: Blob;
  offset: number;
  piece: number;
}

const Inputs = ({ scraper }: { readonly scraper: Scraper }): VNode => {
  const schema = (scraper.input ?? {}) as InputSchema;
  const hasForm = Object.keys(schema.properties ?? {}).length > 0;
  const asked = value("from") as Way | undefined;
  const way: Way = asked && asked in WAYS ? asked : hasForm ? "form" : "text";
  const [checked, setChecked] = useState<Checked | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const [busy, setBusy] = useState<string | undefined>(undefined);
  const sending = useRef<Sending | undefined>(undefined);
  const form = useRef<HTMLFormElement>(null);
  const changed = (): void => setChecked(undefined);

  const attempt = async (what: string, work: () => Promise<void>): Promise<void> => {
    setBusy(what);
    setError(undefined);
    try {
      await work();
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(undefined);
    }
  };
  const check = (): Promise<void> =>
    attempt("Checking…", async () => {
      const source = sourceOf(way, schema);
      const format = formatOf(await source.slice(0, 200).text());
      const { value: first } = (await piecesOf(source, format).next()) as { readonly value: Piece };
      const answer = await api.checkInputs(scraper.name, encode(first.text), { format });
      const isPart = !first.isLast || answer.isMore;
      setChecked({ check: answer, rows: first.text.split("\n"), format, source, isPart });
    });
  const start = ({ source, format }: Checked): Promise<void> =>
    attempt("Starting…", async () => {
      const options = optionsOf(new FormData(form.current!));
      if (sending.current?.source !== source) {
        const { job } = await api.createJob({ scraper: scraper.name, seal: false, ...options });
        sending.current = { job: job.id, source, offset: 0, piece: 0 };
      }
      await send(sending.current, format, (share) => setBusy(`Sending… ${percent(share)}`));
      tell(`Job ${sending.current.job} has started.`);
      text.value = "";
      file.value = undefined;
      typed.value = {};
      navigate(`/jobs/${sending.current.job}`);
    });

  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        void (checked && checked.check.accepted > 0 ? start(checked) : check());
      }}
    >
      <nav class="tabs" aria-label="Source of the inputs">
        {(Object.keys(WAYS) as Way[])
          .filter((one) => one !== "form" || hasForm)
          .map((one) => (
            <a
              key={one}
              href={hrefWith({ from: one })}
              aria-current={one === way ? "page" : undefined}
              onClick={changed}
            >
              {WAYS[one]}
            </a>
          ))}
      </nav>
      {way === "form" && (
        <InputForm
          schema={schema}
          typed={typed.value}
          onType={(to) => {
            typed.value = to;
            changed();
          }}
        />
      )}
      {way === "text" && <TextField schema={schema} onChange={changed} />}
      {way === "file" && <FileField onChange={changed} />}
      <JobOptionFields />
      {error !== undefined && <Problem error={error} />}
      {checked && <Verdict checked={checked} />}
      <div class="buttons">
        {checked && checked.check.accepted > 0 ? (
          <button type="submit" class="main" disabled={busy !== undefined}>
            {busy ?? startLabel(checked)}
          </button>
        ) : (
          <button type="submit" class="main" disabled={busy !== undefined || isEmpty(way)}>
            {busy ?? "Check inputs"}
          </button>
        )}
      </div>
    </form>
  );
};

const isEmpty = (way: Way): boolean =>
  way === "file" ? file.value === undefined : way === "text" && text.value.trim() === "";

const startLabel = ({ check, isPart }: Checked): string => {
  if (isPart) return "Start with all valid rows";
  const items = check.accepted - check.folded;
  return `Start with ${number(items)} ${items === 1 ? "item" : "items"}`;
};

const encode = (content: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(content);

/** Continues with the first piece that was not accepted: the server skips inputs that it has. */
const send = async (sent: Sending, format: Format, onProgress: (share: number) => void): Promise<void> => {
  let at = 0;
  let bytesSent = 0;
  for await (const { text: rows, isLast } of piecesOf(sent.source, format)) {
    bytesSent += rows.length;
    if (at++ < sent.piece) continue;
    const { offset } = sent;
    const upload = await api.addInputs(sent.job, encode(rows), { format, offset, seal: isLast });
    sent.offset = upload.offset;
    sent.piece = at;
    onProgress(Math.min(1, bytesSent / Math.max(1, sent.source.size)));
  }
};

const TextField = ({
  schema,
  onChange,
}: {
  readonly schema: InputSchema;
  readonly onChange: () => void;
}): VNode => {
  const names = Object.keys(schema.properties ?? {});
  return (
    <label>
      CSV with a header{names.length > 0 && `: ${names.join(", ")}`}. Or one JSON object per line.
      <textarea
        value={text.value}
        spellcheck={false}
        placeholder={names.length > 0 ? `${names.join(",")}\n…` : "url\nhttps://example.com/"}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          onChange();
        }}
      />
    </label>
  );
};

const FileField = ({ onChange }: { readonly onChange: () => void }): VNode => {
  const [isOver, setOver] = useState(false);
  const take = (given: File | undefined): void => {
    if (!given) return;
    file.value = given;
    onChange();
  };
  return (
    <div
      class={isOver ? "drop over" : "drop"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer?.files[0]);
      }}
    >
      <label>
        Drop a CSV file or a file of JSON lines here, or choose one
        <input
          type="file"
          accept=".csv,.jsonl,.ndjson,.txt,text/csv"
          onChange={(event) => take(event.currentTarget.files?.[0])}
        />
      </label>
      {file.value && (
        <p>
          <b>{file.value.name}</b> {bytes(file.value.size)}
        </p>
      )}
    </div>
  );
};

const Verdict = ({ checked: { check, rows, isPart } }: { readonly checked: Checked }): VNode => (
  <section role="status">
    <p>
      {number(check.accepted)} of {isPart && "the first "}
      {number(check.checked)} {check.checked === 1 ? "row is valid" : "rows are valid"}
      {check.folded > 0 && `, ${number(check.folded)} of them duplicates`}.
      {check.keys.length > 0 && (
        <span class="quiet">
          {" "}
          Keys: {check.keys.join(", ")}
          {check.accepted - check.folded > check.keys.length && " …"}
        </span>
      )}
    </p>
    {check.rejected > 0 && (
      <>
        <p class="state s-failed">
          ✕ {number(check.rejected)} {check.rejected === 1 ? "row is" : "rows are"} not valid
          {check.accepted > 0 && ". They are left out"}:
        </p>
        <Rows
          label="Invalid rows"
          rows={check.rejects}
          keyOf={({ line }) => String(line)}
          columns={[
            { name: "Line", isNumber: true, cell: ({ line }) => number(line) },
            { name: "Row", cell: ({ line }) => <code>{(rows[line - 1] ?? "").slice(0, 200)}</code> },
            { name: "Problem", cell: ({ problem }) => problem },
          ]}
        />
      </>
    )}
  </section>
);

export default Submit;
