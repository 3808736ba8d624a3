import type { Page, PageQuery } from "../schemas/describe.ts";
import type { InputSet, SetChange, SetDiff, SetDiffQuery, UploadedSet } from "../schemas/inputs.ts";
import type {
  Backfill,
  Coming,
  Firing,
  NewSchedule,
  PreviewWish,
  Repeat,
  Schedule,
  ScheduleDefinition,
} from "../schemas/schedule.ts";
import type { Asking } from "./ask.ts";
import { queryText } from "./query.ts";
import type { InputStream } from "./streams.ts";

type Json = <Answer>(method: string, path: string, asking?: Asking) => Promise<Answer>;
type Stream = (path: string) => Promise<ReadableStream<Uint8Array>>;

/** What can be done with schedules; changes are for operators. */
export interface ScheduleCalls {
  list(query?: PageQuery): Promise<Page<Schedule>>;
  get(schedule: string): Promise<Schedule>;
  create(schedule: NewSchedule): Promise<Schedule>;
  change(schedule: string, definition: ScheduleDefinition): Promise<Schedule>;
  remove(schedule: string): Promise<Schedule>;
  /** The next five times of a schedule that need not exist. */
  preview(wish: PreviewWish): Promise<{ readonly data: readonly Coming[] }>;
  /** Newest first. */
  firings(schedule: string, query?: PageQuery): Promise<Page<Firing>>;
  run(schedule: string): Promise<Firing>;
  pause(schedule: string): Promise<Schedule>;
  resume(schedule: string, options?: { readonly catchUp?: boolean }): Promise<Schedule>;
  backfill(
    schedule: string,
    period: Backfill,
  ): Promise<{ readonly queued: readonly string[]; readonly fired: number }>;
  repeat(schedule: string, at: string, what: Repeat): Promise<Firing>;
}

export const scheduleCalls = (json: Json): ScheduleCalls => {
  const path = (schedule: string, part = ""): string =>
    `/v1/schedules/${encodeURIComponent(schedule)}${part}`;
  return {
    list: (query = {}) => json("GET", `/v1/schedules${queryText({ ...query })}`),
    get: (schedule) => json("GET", path(schedule)),
    create: (schedule) => json("POST", "/v1/schedules", { json: schedule }),
    change: (schedule, definition) => json("PUT", path(schedule), { json: definition, isRepeatable: true }),
    remove: (schedule) => json("DELETE", path(schedule)),
    preview: (wish) => json("POST", "/v1/schedules/preview", { json: wish, isRepeatable: true }),
    firings: (schedule, query = {}) => json("GET", path(schedule, `/firings${queryText({ ...query })}`)),
    run: (schedule) => json("POST", path(schedule, "/run")),
    pause: (schedule) => json("POST", path(schedule, "/pause"), { isRepeatable: true }),
    resume: (schedule, options = {}) =>
      json("POST", path(schedule, "/resume"), { json: options, isRepeatable: true }),
    backfill: (schedule, period) => json("POST", path(schedule, "/backfill"), { json: period }),
    repeat: (schedule, at, what) =>
      json("POST", path(schedule, `/firings/${encodeURIComponent(at)}/repeat`), { json: what }),
  };
};

export interface SetUploadOptions {
  readonly change?: SetChange;
  /** For a new set: members that a row is known by. */
  readonly key?: readonly string[];
  readonly client?: string;
  readonly format?: "ndjson" | "csv";
}

/** What can be done with input sets; changes are for operators. */
export interface InputSetCalls {
  list(query?: PageQuery): Promise<Page<InputSet>>;
  get(set: string): Promise<InputSet>;
  /** Makes the next version: the rows replace the set, or are added to it or removed from it. It may be repeated. */
  upload(set: string, rows: InputStream, options?: SetUploadOptions): Promise<UploadedSet>;
  diff(set: string, query?: SetDiffQuery): Promise<SetDiff>;
  /** JSON lines. */
  read(set: string, version: number): Promise<ReadableStream<Uint8Array>>;
  remove(set: string): Promise<InputSet>;
}

export const inputSetCalls = (json: Json, stream: Stream): InputSetCalls => {
  const path = (set: string, part = ""): string => `/v1/input-sets/${encodeURIComponent(set)}${part}`;
  return {
    list: (query = {}) => json("GET", `/v1/input-sets${queryText({ ...query })}`),
    get: (set) => json("GET", path(set)),
    upload: (set, rows, { format = "ndjson", key, ...options } = {}) =>
      json("PUT", path(set, queryText({ ...options, ...(key && { key: key.join(",") }) })), {
        stream: rows,
        headers: { "content-type": format === "csv" ? "text/csv" : "application/x-ndjson" },
      }),
    diff: (set, query = {}) => json("GET", path(set, `/diff${queryText({ ...query })}`)),
    read: (set, version) => stream(path(set, `/versions/${version}`)),
    remove: (set) => json("DELETE", path(set)),
  };
};
