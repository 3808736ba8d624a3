import { once } from "node:events";
import { PassThrough } from "node:stream";
import { z } from "zod";
import type { JobView } from "../../domain/job.ts";
import { hidePlaces } from "../../domain/record.ts";
import { EVENT_TYPES } from "../../ports/event-log.ts";
import { problems, stream } from "../answers.ts";
import type { Api } from "../api.ts";
import { isAtLeast } from "../auth.ts";
import type { RouteContext } from "../route-context.ts";
import { aboutJob, type EventFeed, type LiveEvent } from "../event-feed.ts";
import { isoTime } from "../iso-time.ts";
import { listOf, many } from "../many.ts";

/** Under the idle timeouts of common proxies. */
const HEARTBEAT_MS = 15_000;

export const addEventRoutes = (app: Api, { service, watch, feed, streams, now }: RouteContext): void => {
  const open = new Set<PassThrough>();
  app.addHook("preClose", async () => {
    for (const pipe of open) pipe.end();
  });

  app.get(
    "/v1/events",
    {
      schema: {
        operationId: "listenToEvents",
        summary: "Live events, as server-sent events",
        description: `What happens to jobs: changes of state, failed items, lanes held and released. Each event's data is JSON as in webhooks, with the job's state and counts at the time it is sent: \`{ type, timestamp, data: { job, client, scraper, state, counts, … } }\`.

Events are kept for a week. Who comes back with \`Last-Event-ID\` gets what it has missed, also after a restart and from another controller. Where that is not known any more, the first event is \`reset\`: ask for the jobs anew. \`job.progress\` is sent while a job's counts change, at most once a second. It has no id and is not kept.`,
        tags: ["events"],
        headers: z.object({ "last-event-id": z.string().max(100).optional() }),
        querystring: z.strictObject({
          job: z.string().max(100).optional(),
          type: many(z.enum(EVENT_TYPES)).optional(),
        }),
        response: {
          200: stream("The events, for as long as the connection lasts.", z.string(), "text/event-stream"),
          ...problems(),
        },
      },
    },
    async (request, reply) => {
      const { query, headers, who, raw } = request;
      const types = listOf(query.type);
      const mayHear = (client: string): boolean => client === who.client || isAtLeast(who.role, "operator");
      const pipe = new PassThrough();
      streams.open("listener", request, reply, () => pipe.end());
      open.add(pipe);
      const closed = new AbortController();
      const ends: (() => void)[] = [() => open.delete(pipe), () => closed.abort()];
      const finish = (): void => ends.forEach((end) => end());
      pipe.once("close", finish).once("error", finish);
      raw.once("close", () => pipe.destroy());
      const { at, isLost } = await feed.begin(headers["last-event-id"]);
      const send = (text: string): void => void (pipe.writable && pipe.write(text));
      send(isLost ? `id: ${at}\nevent: reset\ndata: {}\n\n` : `: hello\nid: ${at}\n\n`);
      const heartbeat = setInterval(() => send(": beat\n\n"), service.heartbeatMs ?? HEARTBEAT_MS);
      ends.push(() => clearInterval(heartbeat));
      const tellProgress = (view: JobView): void => {
        const isWanted = (query.job ?? view.spec.id) === view.spec.id && mayHear(view.spec.client);
        // Who does not keep up hears of it the next time.
        if (isWanted && !pipe.writableNeedDrain)
          send(eventText({ type: "job.progress", at: now(), ...aboutJob(view) }));
      };
      if (types?.includes("job.progress") ?? true) ends.push(watch.listen(tellProgress));
      // Its client may have gone meanwhile.
      if (pipe.destroyed) finish();
      const wanted = { types, ...(query.job !== undefined && { job: query.job }) };
      void sendEvents(pipe, feed, at, wanted, ({ client }) => mayHear(client), closed.signal).catch(
        (error: unknown) => {
          // A server that closes does not wait for it.
          if (pipe.writable) service.log.warn("events.failed", { client: who.client, error: String(error) });
          pipe.end();
        },
      );
      service.log.debug("events.listening", { client: who.client });
      return await reply
        .type("text/event-stream")
        // Where the events end the connection does: a server that closes must not wait for its next request.
        .headers({ connection: "close", "x-accel-buffering": "no" })
        .send(pipe);
    },
  );
};

/** As fast as its listener reads, until the pipe is closed. */
const sendEvents = async (
  pipe: PassThrough,
  feed: EventFeed,
  begin: number,
  wanted: Parameters<EventFeed["next"]>[1],
  isHeard: (event: LiveEvent) => boolean,
  closed: AbortSignal,
): Promise<void> => {
  let at = begin;
  while (pipe.writable) {
    const page = await feed.next(at, wanted);
    for (const event of page.events) {
      if (!pipe.writable) return;
      if (isHeard(event) && !pipe.write(eventText(event)))
        await once(pipe, "drain", { signal: closed }).catch(() => undefined);
    }
    at = page.at;
  }
};

const eventText = ({ id, type, at, data }: LiveEvent): string =>
  `${id === undefined ? "" : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify({ type, timestamp: isoTime(at), data }, hidePlaces)}\n\n`;
