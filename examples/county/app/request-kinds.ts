import type { ServerResponse } from "node:http";
import { reply } from "../reply.ts";
import { shell } from "./app-pages.ts";

/** Every way in which a page can make a request, each to `/kinds/NAME`. All but the last are HTTP and can be held back by a gate. */
export const REQUEST_KINDS = [
  "document",
  "script",
  "style",
  "image",
  "font",
  "fetch",
  "xhr",
  "event-source",
  "beacon",
  "frame-fetch",
  "popup-fetch",
  "worker-fetch",
  "shared-worker-fetch",
  "service-worker-fetch",
  "form",
  "download",
  "websocket",
] as const;

const SCRIPT = { "content-type": "text/javascript; charset=utf-8" };
const NO_CONTENT: readonly string[] = ["beacon", "font", "websocket", "image"];

/** Answers `/kinds/…`, and `/kinds-in/…` and `/kinds-script/…`: a page and a script that make one such request. */
export function replyToKind(path: string, res: ServerResponse, otherOrigin: string): void {
  const [, place = "", name = ""] = path.split("/");
  if (place === "kinds-in") return reply(res, 200, `<!DOCTYPE html><script>fetch("/kinds/${name}")</script>`);
  if (place === "kinds-script") {
    return reply(res, 200, `fetch("/kinds/${name}").catch(function () {});`, {
      ...SCRIPT,
      "service-worker-allowed": "/",
    });
  }
  if (name === "document") {
    return reply(
      res,
      200,
      shell({ title: "Kinds", settings: { other: otherOrigin }, script: "request-kinds" }),
    );
  }
  if (name === "script") return reply(res, 200, "", SCRIPT);
  if (name === "style") return reply(res, 200, "", { "content-type": "text/css" });
  if (name === "event-source") {
    return reply(res, 200, "data: one\n\n", { "content-type": "text/event-stream" });
  }
  if (name === "download") {
    return reply(res, 200, "a,b\n", { "content-type": "text/csv", "content-disposition": "attachment" });
  }
  reply(res, NO_CONTENT.includes(name) ? 204 : 200, "");
}
