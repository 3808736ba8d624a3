import { createReadStream, openSync, readSync, closeSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { ProblemError, type SluiceClient, type Upload } from "../../client.ts";
import { type InputFormat, formatByName } from "../../inputs/input-format.ts";
import type { BytesOnce } from "../../inputs/open-inputs.ts";
import { readInputs } from "../../inputs/read-inputs.ts";
import type { InputRow } from "../../pipeline/plan.ts";
import { UsageError } from "../exit.ts";
import type { Submission } from "./verbs.ts";

const TRIES = 10;
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 15_000;
/** Codes after which sending the rest may succeed. */
const BREAKS = new Set([
  "unreachable",
  "timeout",
  "bad-inputs",
  "upload-in-progress",
  "unavailable",
  "internal",
]);

/**
 * Streams a file's inputs into a job and seals it. If the connection breaks or the server restarts, it continues where the server stopped. Input that can be
 * read only once (`once`) cannot be sent again, so a break is final.
 */
export const sendInputs = async (
  client: SluiceClient,
  job: string,
  submission: Pick<Submission, "input" | "format" | "onProgress" | "onBreak">,
  once?: BytesOnce,
): Promise<Upload> => {
  const { input, format, onProgress, onBreak } = submission;
  let offset = (await client.readUpload(job)).offset;
  for (let failures = 0; ;) {
    try {
      const upload = await client.addInputs(job, ...bodyFrom(input, format, offset, once));
      onProgress(upload.offset);
      return upload;
    } catch (error) {
      const isBreak = error instanceof ProblemError && BREAKS.has(error.code);
      if (!isBreak || ++failures >= TRIES) throw error;
      if (once) throw brokenPipe(job, error);
      onBreak(error.message);
      await delay(Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), MAX_WAIT_MS));
      const reached = (await client.readUpload(job)).offset;
      // Unreadable inputs fail every time; as long as the upload advances, it is retried.
      if (error.code === "bad-inputs" && reached === offset && failures > 2) throw error;
      if (reached > offset) failures = 0;
      offset = reached;
      onProgress(offset);
    }
  }
};

type Body = Parameters<SluiceClient["addInputs"]> extends [string, ...infer Rest] ? Rest : never;

/** CSV and NDJSON are sent unchanged, so that the server's messages name the lines of the file. Other formats are sent as NDJSON. */
const bodyFrom = (input: string, given: InputFormat | undefined, offset: number, once?: BytesOnce): Body => {
  const format = given ?? formatByName(input);
  const sent = { seal: true, offset };
  if (format === "csv" || format === "ndjson") {
    const isGzip = once?.isGzip ?? isGzipped(input); // first, because it may throw: an open stream would leak
    const bytes = once?.bytes ?? createReadStream(input, { highWaterMark: 256 * 1024 });
    // From the beginning: the server skips what it has.
    return [bytes, { ...sent, offset: 0, format, isGzip }];
  }
  const rows = readInputs(once?.bytes ?? input, { name: input, ...(format && { format }) });
  return [asNdjson(rows, offset), { ...sent, format: "ndjson" }];
};

async function* asNdjson(
  batches: AsyncIterable<readonly InputRow[]>,
  offset: number,
): AsyncGenerator<Uint8Array> {
  let skips = offset;
  for await (const rows of batches) {
    const left = rows.slice(skips);
    skips -= rows.length - left.length;
    if (left.length > 0) yield Buffer.from(left.map(lineOf).join(""));
  }
}

/** A row that cannot be read is sent as a line that cannot be read either: the server counts it, and so does the offset. */
const lineOf = (row: InputRow): string =>
  "problem" in row ? `# ${row.problem.replaceAll(/\s+/g, " ")}\n` : `${JSON.stringify(row.value)}\n`;

const isGzipped = (input: string): boolean => {
  let file: number;
  try {
    file = openSync(input, "r");
  } catch {
    throw new UsageError(`${input}: cannot read this file. Check the path, or use - for stdin.`);
  }
  const head = Buffer.alloc(2);
  readSync(file, head);
  closeSync(file);
  return head[0] === 0x1f && head[1] === 0x8b;
};

const brokenPipe = (job: string, cause: ProblemError): UsageError =>
  Object.assign(
    new UsageError(
      `${job}: the upload was interrupted, and standard input or a pipe cannot be read twice. ` +
        `Put the inputs into a file and send that. The cause: ${cause.message}`,
    ),
    { cause },
  );
