import { PassThrough } from "node:stream";
import { z } from "zod";
import { hidePlaces } from "../../model/without-places.ts";
import { problems, stream } from "../answers.ts";
import type { Api } from "../api.ts";
import { isAtLeast } from "../auth.ts";
import type { Desk } from "../desk.ts";
import { LIVE_TYPES, type LiveEvent } from "../event-ring.ts";
import { isoTime } from "../iso-time.ts";
import { listOf, many } from "../many.ts";

/** Under the idle timeouts of common proxies. */
const HEARTBEAT_MS = 15_000;
/** A listener that does not read is let go: it comes back with its last event's id. */
const MOST_UNREAD = 1024 * 1024;

export const addEventRoutes = (app: Api, { house, watch, streams }: Desk): void => {
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
        description: `What happens to jobs, found by looking at them every second: changes of state, progress, lanes held and released. Each event's data is JSON as in webhooks: \`{ type, timestamp, data: { job, client, scraper, state, counts, … } }\`.

The last 2,000 events are kept in memory. Who comes back with \`Last-Event-ID\` gets what it has missed; where that is not known any more (a restart, another controller, too long ago), the first event is \`reset\`: ask for the jobs anew. Webhooks are the way to miss nothing.`,
        tags: ["events"],
        headers: z.object({ "last-event-id": z.string().max(100).optional() }),
        querystring: z.strictObject({
          job: z.string().max(100).optional(),
          type: many(z.enum(LIVE_TYPES)).optional(),
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
      const isWanted = ({ client, job, type }: LiveEvent): boolean =>
        (client === who.client || isAtLeast(who.role, "operator")) &&
        (query.job === undefined || query.job === job) &&
        (types === undefined || types.includes(type));
      const pipe = new PassThrough();
      streams.open("listener", request, reply, () => pipe.end());
      const send = (event: LiveEvent): void => {
        if (!isWanted(event)) return;
        if (pipe.writableLength > MOST_UNREAD) pipe.destroy();
        else pipe.write(eventText(event));
      };
      const last = headers["last-event-id"];
      const missed = last === undefined ? [] : watch.events.since(last);
      pipe.write(missed ? ": hello\n\n" : "event: reset\ndata: {}\n\n");
      for (const event of missed ?? []) send(event);
      const stopListening = watch.events.listen(send);
      const heartbeat = setInterval(() => void pipe.write(": beat\n\n"), house.heartbeatMs ?? HEARTBEAT_MS);
      open.add(pipe);
      const finish = (): void => {
        stopListening();
        clearInterval(heartbeat);
        open.delete(pipe);
      };
      pipe.once("close", finish).once("error", finish);
      raw.once("close", () => pipe.destroy());
      watch.start();
      house.log.debug("events.listening", { client: who.client });
      return await reply
        .type("text/event-stream")
        // Where the events end the connection does: a server that closes must not wait for its next request.
        .headers({ connection: "close", "x-accel-buffering": "no" })
        .send(pipe);
    },
  );
};

const eventText = ({ id, type, at, data }: LiveEvent): string =>
  `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ type, timestamp: isoTime(at), data }, hidePlaces)}\n\n`;
