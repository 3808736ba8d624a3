import { once } from "node:events";
import { PassThrough } from "node:stream";
import { z } from "zod";
import { isoTime } from "../../domain/iso-time.ts";
import type { JobView } from "../../domain/job.ts";
import { hidePlaces } from "../../domain/record.ts";
import { eventQuery } from "../../schemas/webhook.ts";
import { isAtLeast } from "../../services/context.ts";
import { listOf, problems, stream } from "../answers.ts";
import type { Api } from "../api.ts";
import { aboutJob, type EventFeed, type LiveEvent } from "../event-feed.ts";
import { whenClosed } from "../open-streams.ts";
import type { RouteContext } from "../route-context.ts";

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
        summary: "Stream live events",
        description: `Server-sent events: changes of job states, failed items, lanes held and released. The data of each event is JSON as in webhooks, with the job's state and counts at that time: \`{ type, timestamp, data: { job, client, scraper, state, counts, … } }\`.

Events are kept for a week. A listener that reconnects with \`Last-Event-ID\` gets the events it has missed, even after a restart or from another controller. If that event is no longer stored, the first event is \`reset\`: read the jobs again. \`job.progress\` is sent while a job's counts change, at most once a second. It has no id and is not kept.`,
        tags: ["events"],
        headers: z.object({ "last-event-id": z.string().max(100).optional() }),
        querystring: eventQuery,
        response: {
          200: stream("The events, until the connection is closed.", z.string(), "text/event-stream"),
          ...problems(),
        },
      },
    },
    async (request, reply) => {
      const { query, headers, actor } = request;
      const types = listOf(query.type);
      const mayHear = (client: string): boolean =>
        client === actor.client || isAtLeast(actor.role, "operator");
      const pipe = new PassThrough();
      streams.open("listener", request, reply, () => pipe.end());
      open.add(pipe);
      const closed = new AbortController();
      const ends: (() => void)[] = [() => open.delete(pipe), () => closed.abort()];
      const finish = (): void => ends.forEach((end) => end());
      pipe.once("close", finish).once("error", finish);
      whenClosed(reply.raw, () => pipe.destroy());
      const wanted = { types, ...(query.job !== undefined && { job: query.job }) };
      const { at, isLost } = await feed.begin(headers["last-event-id"], query.last, wanted);
      const send = (text: string): void => void (pipe.writable && pipe.write(text));
      send(isLost ? `id: ${at}\nevent: reset\ndata: {}\n\n` : `: hello\nid: ${at}\n\n`);
      const heartbeat = setInterval(() => send(": beat\n\n"), service.heartbeatMs ?? HEARTBEAT_MS);
      ends.push(() => clearInterval(heartbeat));
      const tellProgress = (view: JobView): void => {
        const isWanted = (query.job ?? view.spec.id) === view.spec.id && mayHear(view.spec.client);
        // A slow listener gets the next one.
        if (isWanted && !pipe.writableNeedDrain)
          send(eventText({ type: "job.progress", at: now(), ...aboutJob(view) }));
      };
      if (types?.includes("job.progress") ?? true) ends.push(watch.listen(tellProgress));
      // The client may have disconnected meanwhile.
      if (pipe.destroyed) finish();
      void sendEvents(pipe, feed, at, wanted, ({ client }) => mayHear(client), closed.signal).catch(
        (error: unknown) => {
          // The server may be closing.
          if (pipe.writable)
            service.log.warn("events.failed", { client: actor.client, error: String(error) });
          pipe.end();
        },
      );
      service.log.debug("events.listening", { client: actor.client });
      return await reply
        .type("text/event-stream")
        // The connection ends with the events: a closing server must not wait for another request on it.
        .headers({ connection: "close", "x-accel-buffering": "no" })
        .send(pipe);
    },
  );
};

/** At the listener's speed, until the pipe is closed. */
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
