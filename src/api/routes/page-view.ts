import { z } from "zod";
import { readCapture } from "../../archive/read-capture.ts";
import { BlobError } from "../../ports/blobs.ts";
import { described } from "../../schemas/describe.ts";
import { itemParams } from "../../schemas/job.ts";
import { tellDamage } from "../../services/item-view.ts";
import { findItem, readItemRecords } from "../../services/items.ts";
import { Problem } from "../../services/problem.ts";
import { problems, stream } from "../answers.ts";
import type { Api } from "../api.ts";
import type { ControllerContext } from "../controller-context.ts";
import type { RouteContext } from "../route-context.ts";

/** A stored page has no rights at all: not even its own origin. */
const VIEW_POLICY =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/** Stored bytes of a capture that is shown; larger ones can be downloaded. */
const MOST_BYTES = 16 * 1024 * 1024;

const viewParams = itemParams.extend({ number: z.coerce.number().int().min(0) });
const viewQuery = z.strictObject({
  as: described("`page` as a browser shows it, or its text.", z.enum(["page", "source"])).default("page"),
  record: described("Index of the record whose fields are marked.", z.coerce.number().int().min(0)).default(
    0,
  ),
  field: described("The field to scroll to: add `#sluice-mark` to the URL.", z.string().max(200)).optional(),
});

type Marks = Parameters<NonNullable<ControllerContext["viewPage"]>>[2]["marks"];

export const addPageViewRoutes = (app: Api, { service }: RouteContext): void => {
  const { viewPage, blobs } = service;
  if (!viewPage) return;

  app.get(
    "/v1/jobs/:job/items/:item/captures/:number/view",
    {
      schema: {
        operationId: "viewCapture",
        summary: "Show a stored page in a browser",
        description:
          "The page, in which the elements of the record's fields are marked. It comes from a third party: the response's content security policy blocks all scripts and requests. Put it into a frame with an empty `sandbox`.",
        tags: ["items"],
        params: viewParams,
        querystring: viewQuery,
        response: { 200: stream("The page.", z.string(), "text/html"), ...problems(404) },
      },
    },
    async ({ params, query, actor }, reply) => {
      const item = await findItem(service, actor, params.job, params.item);
      const ref = item.captures[params.number];
      if (!ref) throw new Problem("not-found", `The item has no capture ${params.number}.`);
      if (ref.length > MOST_BYTES)
        throw new Problem("too-large", "This capture is too large to be shown. Download it instead.");
      const capture = await readCapture(blobs, ref).catch((error: unknown) => {
        if (!(error instanceof BlobError) || error.code !== "not-found") return tellDamage(error, params.job);
        throw new Problem("not-found", "The capture is no longer in the archive.", {}, { cause: error });
      });
      const { data: records } = await readItemRecords(service, params.job, item);
      const record = records[query.record];
      const marks: Marks = Object.entries(record?.from === ref.name ? record.fields : {}).flatMap(
        ([field, { at, raw = "" }], index) =>
          at === undefined
            ? []
            : [{ number: index + 1, field, at, length: raw.length, isChosen: field === query.field }],
      );
      return await reply
        .type("text/html; charset=utf-8")
        .headers({
          "content-security-policy": VIEW_POLICY,
          "cross-origin-resource-policy": "same-origin",
          "referrer-policy": "no-referrer",
          "x-dns-prefetch-control": "off",
        })
        .send(viewPage(ref.name, capture, { as: query.as, marks }));
    },
  );
};
