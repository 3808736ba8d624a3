import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { readInputs } from "../../inputs/read-inputs.ts";
import { LOCAL_ACTOR, type ServiceContext } from "../../services/context.ts";
import { diffSet, findVersion, listSets, removeSet, showSet, uploadSet } from "../../services/input-sets.ts";
import {
  backfillSchedule,
  changeSchedule,
  createSchedule,
  listFirings,
  listSchedules,
  pauseSchedule,
  previewTimes,
  removeSchedule,
  repeatStage,
  resumeSchedule,
  runSchedule,
  showSchedule,
} from "../../services/schedules.ts";
import { audited, localUser } from "./audit-local.ts";
import type { Verbs } from "./verbs.ts";

/** The use cases behind the server's routes, for a data folder. Anyone who can write to the folder may also read files of this machine. */
export const localSchedules = (
  open: () => Promise<ServiceContext>,
): Pick<Verbs, "schedules" | "inputSets"> => {
  /** Makes a change and notes it in the audit log. */
  const change = async <T>(
    action: string,
    target: string,
    work: (context: ServiceContext) => Promise<T>,
    detail: Readonly<Record<string, unknown>> = {},
  ): Promise<T> => {
    const context = await open();
    return await audited(
      async () => context.registry,
      { action, target, detail },
      () => work(context),
    );
  };
  const origin = { origin: "api", guardsTargets: false, by: localUser() } as const;
  const of = LOCAL_ACTOR;
  return {
    schedules: {
      list: async ({ cursor, limit = 200 } = {}) => {
        const { schedules, next } = await listSchedules(await open(), of, { after: cursor, limit });
        return { data: schedules, ...(next !== undefined && { next }) };
      },
      get: async (name) => await showSchedule(await open(), of, name),
      preview: async (wish) => ({ data: await previewTimes(await open(), wish) }),
      firings: async (name, { cursor, limit = 20 } = {}) => {
        const { firings, next } = await listFirings(await open(), of, name, { after: cursor, limit });
        return { data: firings, ...(next !== undefined && { next }) };
      },
      create: (made) =>
        change("createSchedule", made.name, (context) => createSchedule(context, of, made, origin), {
          ...made,
        }),
      change: (name, to) =>
        change("changeSchedule", name, (context) => changeSchedule(context, of, name, to, origin), { ...to }),
      remove: (name) => change("removeSchedule", name, (context) => removeSchedule(context, of, name)),
      run: (name) => change("runSchedule", name, (context) => runSchedule(context, of, name)),
      pause: (name) =>
        change("pauseSchedule", name, (context) => pauseSchedule(context, of, name, localUser())),
      resume: (name, { catchUp = false } = {}) =>
        change("resumeSchedule", name, (context) => resumeSchedule(context, of, name, catchUp), { catchUp }),
      backfill: (name, period) =>
        change("backfillSchedule", name, (context) => backfillSchedule(context, of, name, period), {
          ...period,
        }),
      repeat: (name, at, what) =>
        change(
          "repeatStage",
          `${name}/${at}`,
          (context) => repeatStage(context, of, name, Date.parse(at), what),
          {
            ...what,
          },
        ),
    },
    inputSets: {
      list: async ({ cursor, limit = 200 } = {}) => {
        const { sets, next } = await listSets(await open(), of, { after: cursor, limit });
        return { data: sets, ...(next !== undefined && { next }) };
      },
      get: async (name) => await showSet(await open(), of, name),
      upload: (name, bytes, { change: how = "replace", key, client, format = "ndjson" } = {}) => {
        const rows = readInputs(bytes as AsyncIterable<Uint8Array>, { format });
        const upload = { rows, change: how, key, client, by: localUser() };
        return change("uploadInputSet", name, (context) => uploadSet(context, of, name, upload), {
          change: how,
        });
      },
      diff: async (name, query = {}) => await diffSet(await open(), of, name, query),
      read: async (name, version) => {
        const context = await open();
        const { blob } = await findVersion(context, of, name, version);
        const text = Readable.from(context.blobs.stream(blob)).pipe(createGunzip());
        return Readable.toWeb(text) as ReadableStream<Uint8Array>;
      },
      remove: (name) => change("removeInputSet", name, (context) => removeSet(context, of, name)),
    },
  };
};
