import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { BenchKit } from "../bench-kit.ts";
import type { BenchOptions } from "../bench-options.ts";
import type { Figure } from "../figure.ts";
import { writeInputs } from "../inputs-csv.ts";
import { runChild } from "../run-child.ts";
import { runScript } from "../run-job.ts";
import type { UploadRun, UploadTask } from "../runs/upload-inputs.ts";
import { rounded, spreadOf } from "../spread.ts";

const ITEMS = 1_000_000;

/** The same inputs each time, as they are sent. */
const FORMS = {
  csv: { format: "csv", isGzip: false },
  "csv, gzip": { format: "csv", isGzip: true },
  ndjson: { format: "ndjson", isGzip: false },
} as const;
type Form = keyof typeof FORMS;

/** A million inputs through the API of a service whose worker runs the first of them meanwhile. */
export const measureUpload = async (kit: BenchKit, { rounds }: BenchOptions): Promise<Figure[]> => {
  const { origin } = await kit.site();
  const runs: (UploadRun & { readonly form: Form })[] = [];
  for (let round = 0; round < rounds; round++)
    for (const form of Object.keys(FORMS) as Form[])
      runs.push({ ...(await kit.inFolder((folder) => uploadOnce(folder, origin, form))), form });
  const of = (form: Form, value: (run: UploadRun) => number) =>
    spreadOf(runs.filter((run) => run.form === form).map(value));
  const from = Object.fromEntries(
    (Object.keys(FORMS) as Form[]).map((form) => [
      form,
      {
        seconds: of(form, ({ seconds }) => seconds),
        controllerCpuSeconds: of(form, ({ controllerCpuSeconds }) => controllerCpuSeconds),
        controllerPeakMb: of(form, ({ controllerPeakMb }) => controllerPeakMb),
        itemsEnded: of(form, ({ ended }) => ended),
      },
    ]),
  );
  return [
    {
      figure: "uploading 1,000,000 inputs",
      value: of("csv", ({ seconds }) => seconds).median,
      unit: "s",
      goal: { atMost: 30 },
      rounds,
      from,
      note: "a CSV stream in scattered order over the API, while one worker process runs items at full speed",
    },
    {
      figure: "the controller's memory meanwhile",
      value: rounded(Math.max(...runs.map(({ controllerPeakMb }) => controllerPeakMb))),
      unit: "MB",
      goal: { atMost: 300 },
      rounds,
      from,
      note: "largest resident set of the process that `sluice serve` starts, the worst of all runs: CSV, gzip of it, NDJSON",
    },
    {
      figure: "items that had ended before the upload did",
      value: Math.min(...runs.map(({ ended }) => ended)),
      unit: "items",
      goal: { atLeast: 1 },
      rounds,
      from,
      note: "the fewest of all runs",
    },
  ];
};

const uploadOnce = async (folder: string, origin: string, form: Form): Promise<UploadRun> => {
  const file = join(folder, "inputs");
  const { format, isGzip } = FORMS[form];
  writeInputs(file, ITEMS, "scattered");
  if (format === "ndjson") writeFileSync(file, toNdjson(readFileSync(file, "utf8")));
  if (isGzip) writeFileSync(file, gzipSync(readFileSync(file)));
  const task: UploadTask = { folder, origin, file, format, isGzip };
  const run = await runChild<UploadRun>(runScript("upload-inputs.ts"), task);
  if (run.accepted !== ITEMS) throw new Error(`${run.accepted} of ${ITEMS} inputs were taken`);
  return run;
};

const toNdjson = (csv: string): string => {
  const [name, ...values] = csv.trimEnd().split("\n");
  return values.map((value) => `{"${name}":"${value}"}\n`).join("");
};
