import { ResponseSerializationError, hasZodFastifySchemaValidationErrors } from "fastify-type-provider-zod";
import { withoutPlaces } from "../domain/record.ts";
import { Problem, type ProblemCode } from "../services/problem.ts";

/** What was thrown, by name and code: the ports' errors come from any backend. */
const BY_NAME: Readonly<Record<string, Readonly<Record<string, ProblemCode>>>> = {
  LedgerError: {
    "no-such-job": "not-found",
    "job-ended": "job-ended",
    "lower-cap": "lower-limit",
    "job-running": "job-running",
    "job-removed": "job-removed",
    locked: "unavailable",
    "no-space": "unavailable",
    "read-only": "unavailable",
    unavailable: "unavailable",
    "damaged-row": "damaged",
  },
  InputError: { "*": "bad-inputs" },
  ScraperLoadError: {
    "*": "broken-scraper",
    "unknown-scraper": "unknown-scraper",
    "changed-scraper": "scraper-changed",
  },
  ReextractError: {
    "no-such-extraction": "no-such-extraction",
    "does-not-fit": "new-version-refused",
    "still-in-hand": "still-in-hand",
  },
  OutputError: { "no-such-field": "no-such-field", "no-changes": "no-changes" },
  ArchiveError: { damaged: "damaged" },
  BlobError: { "no-space": "unavailable", "read-only": "unavailable", unavailable: "unavailable" },
};

const BY_STATUS: Readonly<Record<number, ProblemCode>> = {
  400: "invalid-request",
  404: "not-found",
  413: "too-large",
  414: "too-large",
  415: "unsupported-media-type",
  431: "too-large",
};

const MEDIA_TYPE =
  "The body is of another kind than is taken here. Send JSON with `content-type: application/json`; inputs as `text/csv` or `application/x-ndjson`.";

/** Any error as the problem that is answered. What nobody foresaw is `internal` and described nothing of itself. */
export const problemOf = (error: unknown): Problem => {
  if (error instanceof Problem) return error;
  if (hasZodFastifySchemaValidationErrors(error)) {
    const part = error.validationContext ?? "request";
    const errors = error.validation.map(({ instancePath, message }) => ({
      path: `${part}${instancePath === "/" ? "" : instancePath}`,
      message: message ?? "does not fit",
    }));
    return new Problem("invalid-request", `The ${part} does not fit its schema.`, { errors });
  }
  if (!(error instanceof Error) || error instanceof ResponseSerializationError) return internal(error);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const codes = BY_NAME[error.name];
  const known = codes?.[code] ?? codes?.["*"];
  if (known === "unavailable")
    return new Problem(
      known,
      "The storage cannot answer now. Try again.",
      { retryAfterSeconds: 5 },
      { cause: error },
    );
  if (known) return new Problem(known, withoutPlaces(error.message), {}, { cause: error });
  const status = "statusCode" in error && typeof error.statusCode === "number" ? error.statusCode : 500;
  const byStatus = code.startsWith("FST_") || status < 500 ? BY_STATUS[status] : undefined;
  if (byStatus === "unsupported-media-type") return new Problem(byStatus, MEDIA_TYPE, {}, { cause: error });
  return byStatus ? new Problem(byStatus, `${error.message}.`, {}, { cause: error }) : internal(error);
};

const internal = (cause: unknown): Problem =>
  new Problem("internal", "Something broke here. The log has it under this request's id.", {}, { cause });
