import { stripVTControlCharacters } from "node:util";
import { EXIT, type ExitCode } from "./exit.ts";
import { redactSecrets } from "../domain/redact-secrets.ts";

export interface Explanation {
  /** Undefined if nothing is to be printed. */
  readonly message?: string;
  readonly exitCode: ExitCode;
}

/** By name and code, because an error from a worker process arrives without its class. `*` is for all other codes. */
const EXIT_CODES: Readonly<Record<string, Readonly<Record<string, ExitCode>>>> = {
  UsageError: { "*": EXIT.usage },
  InputError: { "*": EXIT.usage },
  ScraperLoadError: { "*": EXIT.usage },
  ConfigError: { "*": EXIT.usage },
  RecordingError: { "*": EXIT.usage },
  MissingPackageError: { "*": EXIT.usage },
  ReextractError: { "*": EXIT.usage, interrupted: EXIT.interrupted },
  SelectorError: { "*": EXIT.usage },
  ExtractionError: { "*": EXIT.usage },
  OutputError: { "*": EXIT.usage, closed: EXIT.ok, "no-space": EXIT.storage, failed: EXIT.storage },
  LedgerError: {
    "*": EXIT.storage,
    "no-such-job": EXIT.usage,
    "job-exists": EXIT.usage,
    "job-ended": EXIT.usage,
    "lower-cap": EXIT.usage,
    "job-running": EXIT.usage,
    "job-removed": EXIT.usage,
    "no-access": EXIT.usage,
    "other-version": EXIT.usage,
  },
  BlobError: { "*": EXIT.storage, "bad-name": EXIT.unexpected },
  DistillError: { "*": EXIT.someFailed },
  BackupError: { "*": EXIT.usage },
  RebuildError: { "*": EXIT.usage },
  MigrateError: { "*": EXIT.usage, differs: EXIT.storage, changed: EXIT.storage, "bad-row": EXIT.storage },
  ArchiveError: { "*": EXIT.storage },
  ChannelError: { "*": EXIT.usage },
  Problem: { "*": EXIT.usage, unavailable: EXIT.unexpected },
  ProblemError: {
    "*": EXIT.usage,
    unreachable: EXIT.unexpected,
    timeout: EXIT.unexpected,
    unavailable: EXIT.unexpected,
    internal: EXIT.unexpected,
  },
};

/** Error codes of the operating system for problems with disks and folders. */
const STORAGE_FAULTS: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full. Free some space, then continue with `sluice resume`",
  EDQUOT: "your disk quota is used up. Free some space, then continue with `sluice resume`",
  EACCES: "no permission. Give this user write access, or choose another folder with --data DIR",
  EPERM: "no permission. Give this user write access, or choose another folder with --data DIR",
  EROFS: "the disk is read-only. Choose another folder with --data DIR",
  EMFILE: "too many open files. Raise the limit (`ulimit -n`), or use fewer --processes",
};

/** The message and the exit code for anything thrown. The stack is shown only when debugging. */
export const explainError = (error: unknown, isDebugging = false): Explanation => {
  const { exitCode, message } = explain(error);
  if (message === undefined) return { exitCode };
  const shown = isDebugging && error instanceof Error ? `${message}\n${stackOf(error)}` : message;
  return { exitCode, message: redactSecrets(stripVTControlCharacters(shown)) };
};

const explain = (error: unknown): Explanation => {
  if (!(error instanceof Error)) return unexpected(String(error));
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const codes = EXIT_CODES[error.name];
  if (codes) {
    const exitCode = codes[code] ?? codes["*"] ?? EXIT.unexpected;
    return exitCode === EXIT.ok
      ? { exitCode }
      : { exitCode, message: messageOf(error, code) + hintOf(error.name, code) };
  }
  const fault = STORAGE_FAULTS[code];
  if (fault === undefined) return unexpected(`${error.name}: ${error.message}`);
  const path = "path" in error && typeof error.path === "string" ? error.path : "the data folder";
  return { exitCode: EXIT.storage, message: `${path}: ${fault} (${code}).` };
};

const unexpected = (what: string): Explanation => ({
  exitCode: EXIT.unexpected,
  message: `unexpected: ${what}. Run again with --log-level debug to see the stack.`,
});

/** Some messages of a server are for programs, not for users of a command. */
const messageOf = (error: Error, code: string): string => {
  if (error.name !== "ProblemError") return error.message;
  if (code === "unauthorized")
    return "the server needs a valid API key. Store one with `sluice login --server URL`, or set SLUICE_KEY.";
  if (code === "internal" && "requestId" in error && typeof error.requestId === "string")
    return `internal error on the server. Its log has the details under ${error.requestId}.`;
  return error.message;
};

/** What to do, for errors that cannot know it. */
const hintOf = (name: string, code: string): string => {
  if (name === "ProblemError" && code === "unreachable")
    return " Check the URL, and that `sluice serve` is running.";
  if (name === "ProblemError" && code === "timeout")
    return " The server may be overloaded, or the network may block the connection. Try again, or wait longer with --timeout 10m.";
  if (name === "SelectorError" || name === "ExtractionError")
    return ". Correct the scraper's `extract` block, then run again.";
  return code === "job-ended"
    ? " `sluice jobs show` shows its report; `sluice run` or `sluice submit` starts a new job."
    : "";
};

const stackOf = (error: Error): string => {
  const stack = error.stack ?? String(error);
  return error.cause instanceof Error ? `${stack}\ncaused by ${stackOf(error.cause)}` : stack;
};
