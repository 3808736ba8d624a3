import { z } from "zod";
import { InputError } from "../../inputs/input-format.ts";
import { described, pageOf } from "../../schemas/describe.ts";
import {
  inputSetSchema,
  setDiffQuery,
  setDiffSchema,
  setParams,
  setQuery,
  setUploadQuery,
  setVersionParams,
  uploadedSetSchema,
} from "../../schemas/inputs.ts";
import { isAtLeast } from "../../services/context.ts";
import { diffSet, findVersion, listSets, removeSet, showSet, uploadSet } from "../../services/input-sets.ts";
import { Problem } from "../../services/problem.ts";
import { fromCursor, json, page, problems, stream } from "../answers.ts";
import type { Api } from "../api.ts";
import { actorName } from "../audit.ts";
import type { RouteContext } from "../route-context.ts";
import { INPUT_TYPES, rowsOf } from "./job-inputs.ts";

const tags = ["input-sets"];

export const addInputSetRoutes = (app: Api, context: RouteContext): void => {
  const { service } = context;
  app.put(
    "/v1/input-sets/:set",
    {
      config: { role: "operator", isStreamed: true },
      schema: {
        operationId: "uploadInputSet",
        summary: "Upload an input set",
        description:
          "NDJSON (one object per line) or CSV (with a header), optionally gzipped. The rows replace the set, or are added to it or removed from it; each upload makes a new version. " +
          "If a row cannot be read, nothing is stored. If nothing changes, no version is made.",
        tags,
        consumes: INPUT_TYPES,
        params: setParams,
        querystring: setUploadQuery,
        body: described("The rows: text, or gzipped text.", z.any()),
        response: {
          200: json("The set, unchanged or with a new version.", uploadedSetSchema),
          ...problems(404, 409, 413, 415, 422),
        },
      },
    },
    async (request, reply) => {
      const { params, query, actor } = request;
      const { change, key, client } = query;
      if (client !== undefined && client !== actor.client && !isAtLeast(actor.role, "operator"))
        throw new Problem("forbidden", "Only operators can create sets for other clients.");
      const rows = rowsOf(context, request, reply);
      try {
        return await uploadSet(service, actor, params.set, {
          rows: rows(),
          change,
          key: key?.split(",").map((name) => name.trim()),
          client,
          by: actorName(actor),
        });
      } catch (error) {
        if (error instanceof InputError) throw new Problem("bad-inputs", error.message, {}, { cause: error });
        throw error;
      }
    },
  );

  app.get(
    "/v1/input-sets",
    {
      schema: {
        operationId: "listInputSets",
        summary: "List input sets",
        description: "By name.",
        tags,
        querystring: setQuery,
        response: { 200: json("A page of sets.", pageOf(inputSetSchema)), ...problems() },
      },
    },
    async ({ query: { cursor, limit }, actor }) => {
      const { sets, next } = await listSets(service, actor, { after: fromCursor(cursor, z.string()), limit });
      return page(sets, next);
    },
  );

  app.get(
    "/v1/input-sets/:set",
    {
      schema: {
        operationId: "getInputSet",
        summary: "Get an input set",
        tags,
        params: setParams,
        response: { 200: json("The set.", inputSetSchema), ...problems(404) },
      },
    },
    async ({ params, actor }) => await showSet(service, actor, params.set),
  );

  app.get(
    "/v1/input-sets/:set/diff",
    {
      schema: {
        operationId: "diffInputSet",
        summary: "Compare two versions of an input set",
        tags,
        params: setParams,
        querystring: setDiffQuery,
        response: { 200: json("How they differ.", setDiffSchema), ...problems(404) },
      },
    },
    async ({ params, query, actor }) => await diffSet(service, actor, params.set, query),
  );

  app.get(
    "/v1/input-sets/:set/versions/:version",
    {
      schema: {
        operationId: "readInputSet",
        summary: "Download a version of an input set",
        tags,
        params: setVersionParams,
        response: {
          200: stream("The rows as JSON lines, gzipped.", z.any(), "application/x-ndjson"),
          ...problems(404),
        },
      },
    },
    async ({ params, actor }, reply) => {
      const { blob } = await findVersion(service, actor, params.set, params.version);
      const { Readable } = await import("node:stream");
      return await reply
        .type("application/x-ndjson")
        .header("content-encoding", "gzip")
        .send(Readable.from(service.blobs.stream(blob)));
    },
  );

  app.delete(
    "/v1/input-sets/:set",
    {
      config: { role: "operator" },
      schema: {
        operationId: "removeInputSet",
        summary: "Remove an input set",
        description: "With all of its versions. A set that a schedule uses cannot be removed.",
        tags,
        params: setParams,
        response: { 200: json("The removed set.", inputSetSchema), ...problems(404, 409, 413, 415) },
      },
    },
    async ({ params, actor }) => await removeSet(service, actor, params.set),
  );
};
