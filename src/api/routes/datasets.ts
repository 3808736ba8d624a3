import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { z } from "zod";
import type { Dataset, Release } from "../../domain/release.ts";
import { sha256Stream } from "../../releases/release-files.ts";
import {
  datasetParams,
  datasetSchema,
  datasetSpecSchema,
  latestSchema,
  publishSchema,
  releaseDiffQuery,
  releaseDiffSchema,
  releaseParams,
  releaseSchema,
  rollbackSchema,
  writeSchema,
} from "../../schemas/dataset.ts";
import { described, pageOf, pageQuery } from "../../schemas/describe.ts";
import type { Actor } from "../../services/context.ts";
import { datasetView, latestView, releaseView } from "../../services/dataset-view.ts";
import {
  findDataset,
  findFile,
  findRelease,
  listDatasets,
  listReleases,
  mustBeCurrent,
  saveDataset,
} from "../../services/datasets.ts";
import {
  auditRelease,
  diffOfReleases,
  publishRelease,
  rollbackRelease,
  writeRelease,
} from "../../services/releases.ts";
import { fromCursor, json, page, problems, stream } from "../answers.ts";
import type { Api } from "../api.ts";
import type { RouteContext } from "../route-context.ts";

const file = described(
  "For example data.parquet, data.csv, data.jsonl, schema.json or manifest.json.",
  z.string().min(1).max(100),
);
const TYPES = ["application/vnd.apache.parquet", "text/csv", "application/x-ndjson", "application/json"];

export const addDatasetRoutes = (app: Api, { service, now }: RouteContext): void => {
  const { linkTo } = service;
  const shown = async (release: Release, actor: Actor) => {
    const { body } = await findDataset(service, actor, release.dataset);
    return await releaseView(release, body, linkTo);
  };
  const currentOf = async (actor: Actor, name: string): Promise<{ dataset: Dataset; release: Release }> => {
    const { body: dataset } = await findDataset(service, actor, name);
    return { dataset, release: await mustBeCurrent(service, dataset) };
  };
  const send = async (reply: FastifyReply, release: Release, name: string): Promise<FastifyReply> => {
    const found = findFile(release, name);
    const etag = `"${found.digest}"`;
    if (reply.request.headers["if-none-match"] === etag)
      return await reply.code(304).header("etag", etag).send();
    return await reply
      .type(found.mediaType)
      .headers({
        etag,
        "content-length": String(found.bytes),
        "x-release": String(release.number),
        "content-disposition": `attachment; filename="${release.dataset}-${release.number}-${name}"`,
      })
      .send(Readable.from(sha256Stream(service.blobs.stream(found.blob), found)));
  };

  app.get(
    "/v1/datasets",
    {
      schema: {
        operationId: "listDatasets",
        summary: "List datasets",
        description: "By name.",
        tags: ["datasets"],
        response: { 200: json("The datasets.", z.object({ data: z.array(datasetSchema) })), ...problems() },
      },
    },
    async ({ actor }) => ({
      data: (await listDatasets(service, actor)).map((one) => datasetView(one, now())),
    }),
  );

  app.get(
    "/v1/datasets/:dataset",
    {
      schema: {
        operationId: "getDataset",
        summary: "Get a dataset",
        tags: ["datasets"],
        params: datasetParams,
        response: { 200: json("The dataset.", datasetSchema), ...problems(404) },
      },
    },
    async ({ params, actor }) => datasetView((await findDataset(service, actor, params.dataset)).body, now()),
  );

  app.put(
    "/v1/datasets/:dataset",
    {
      config: { role: "operator" },
      schema: {
        operationId: "saveDataset",
        summary: "Create or change a dataset",
        description: "Existing releases do not change.",
        tags: ["datasets"],
        params: datasetParams,
        body: datasetSpecSchema,
        response: { 200: json("The dataset.", datasetSchema), ...problems(404, 413, 415, 422) },
      },
    },
    async ({ params, body, actor }) =>
      datasetView(await saveDataset(service, actor, params.dataset, body), now()),
  );

  app.get(
    "/v1/datasets/:dataset/releases",
    {
      schema: {
        operationId: "listReleases",
        summary: "List the releases of a dataset",
        description: "Newest first.",
        tags: ["datasets"],
        params: datasetParams,
        querystring: z.strictObject(pageQuery(100, 20)),
        response: { 200: json("A page of releases.", pageOf(releaseSchema)), ...problems(404) },
      },
    },
    async ({ params, query: { cursor, limit }, actor }) => {
      const before = fromCursor(cursor, z.int());
      const { body } = await findDataset(service, actor, params.dataset);
      const found = await listReleases(service, body.name, {
        limit,
        ...(before !== undefined && { before }),
      });
      const data = await Promise.all(found.map((release) => releaseView(release, body)));
      return page(data, found.length < limit ? undefined : found.at(-1)?.number);
    },
  );

  app.post(
    "/v1/datasets/:dataset/releases",
    {
      config: { role: "operator" },
      schema: {
        operationId: "writeRelease",
        summary: "Write a release",
        description:
          "Writes the current records of the dataset's sources as Parquet, CSV and JSON lines. Responds when all files are stored. Readers do not see the release until it is audited and published.",
        tags: ["datasets"],
        params: datasetParams,
        body: writeSchema,
        response: { 201: json("The release.", releaseSchema), ...problems(404, 409, 413, 415, 422) },
      },
    },
    async ({ params, body: { jobs }, actor }, reply) => {
      const release = await writeRelease(service, actor, params.dataset, { ...(jobs && { jobs }) });
      return await reply.code(201).send(await shown(release, actor));
    },
  );

  app.get(
    "/v1/datasets/:dataset/releases/:release",
    {
      schema: {
        operationId: "getRelease",
        summary: "Get a release",
        description: "With its files, counts, checks and sources.",
        tags: ["datasets"],
        params: releaseParams,
        response: { 200: json("The release.", releaseSchema), ...problems(404) },
      },
    },
    async ({ params, actor }) => {
      const { body } = await findDataset(service, actor, params.dataset);
      return await releaseView((await findRelease(service, body, params.release)).body, body, linkTo);
    },
  );

  app.post(
    "/v1/datasets/:dataset/releases/:release/audit",
    {
      config: { role: "operator" },
      schema: {
        operationId: "auditRelease",
        summary: "Audit a release",
        description: "The release passes, or is held with the reasons. Readers keep the last good release.",
        tags: ["datasets"],
        params: releaseParams,
        response: { 200: json("The release.", releaseSchema), ...problems(404, 409, 413, 415) },
      },
    },
    async ({ params, actor }) =>
      await shown(await auditRelease(service, actor, params.dataset, params.release), actor),
  );

  app.post(
    "/v1/datasets/:dataset/releases/:release/publish",
    {
      config: { role: "operator" },
      schema: {
        operationId: "publishRelease",
        summary: "Publish a release",
        description:
          "The release must have passed its audit; a held release needs a reason. If two requests publish at the same time, one succeeds and the other gets `release-changed`.",
        tags: ["datasets"],
        params: releaseParams,
        body: publishSchema,
        response: { 200: json("The release.", releaseSchema), ...problems(404, 409, 413, 415) },
      },
    },
    async ({ params, body: { reason }, actor }) =>
      await shown(
        await publishRelease(service, actor, params.dataset, params.release, {
          ...(reason !== undefined && { reason }),
        }),
        actor,
      ),
  );

  app.post(
    "/v1/datasets/:dataset/rollback",
    {
      config: { role: "operator" },
      schema: {
        operationId: "rollbackRelease",
        summary: "Go back to an earlier release",
        description: "Readers get the earlier release with their next request.",
        tags: ["datasets"],
        params: datasetParams,
        body: rollbackSchema,
        response: {
          200: json("The release that is current now.", releaseSchema),
          ...problems(404, 409, 413, 415),
        },
      },
    },
    async ({ params, body: { to }, actor }) =>
      await shown(await rollbackRelease(service, actor, params.dataset, to), actor),
  );

  app.get(
    "/v1/datasets/:dataset/diff",
    {
      schema: {
        operationId: "diffReleases",
        summary: "Compare two releases",
        description: "By key: new, changed by field, unchanged and gone.",
        tags: ["datasets"],
        params: datasetParams,
        querystring: releaseDiffQuery,
        response: { 200: json("The difference.", releaseDiffSchema), ...problems(404) },
      },
    },
    async ({ params, query: { before, after, examples }, actor }) => ({
      dataset: params.dataset,
      ...(await diffOfReleases(service, actor, params.dataset, {
        most: examples,
        ...(before !== undefined && { before }),
        ...(after !== undefined && { after }),
      })),
    }),
  );

  app.get(
    "/v1/datasets/:dataset/latest.json",
    {
      schema: {
        operationId: "getLatest",
        summary: "Get the current release",
        description:
          "The number of the current release and its files, with links if the store supports them.",
        tags: ["datasets"],
        params: datasetParams,
        response: { 200: json("The current release.", latestSchema), ...problems(404) },
      },
    },
    async ({ params, actor }) => {
      const { dataset, release } = await currentOf(actor, params.dataset);
      return await latestView(dataset, release, linkTo);
    },
  );

  app.get(
    "/v1/datasets/:dataset/current/:file",
    {
      schema: {
        operationId: "getCurrentFile",
        summary: "Download a file of the current release",
        description: "Each response is a file of one complete, published release; `x-release` names it.",
        tags: ["datasets"],
        params: datasetParams.extend({ file }),
        response: { 200: stream("The file.", z.string(), ...TYPES), ...problems(404) },
      },
    },
    async ({ params, actor }, reply) =>
      await send(reply, (await currentOf(actor, params.dataset)).release, params.file),
  );

  app.get(
    "/v1/datasets/:dataset/releases/:release/files/:file",
    {
      schema: {
        operationId: "getReleaseFile",
        summary: "Download a file of a release",
        tags: ["datasets"],
        params: releaseParams.extend({ file }),
        response: { 200: stream("The file.", z.string(), ...TYPES), ...problems(404) },
      },
    },
    async ({ params, actor }, reply) => {
      const { body } = await findDataset(service, actor, params.dataset);
      return await send(reply, (await findRelease(service, body, params.release)).body, params.file);
    },
  );
};
