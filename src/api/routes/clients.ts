import { z } from "zod";
import { changeShare } from "../../domain/change-share.ts";
import type { ClientInfo } from "../../ports/registry.ts";
import { json, problems } from "../answers.ts";
import type { Api } from "../api.ts";
import { says } from "../api-registry.ts";
import { type RouteContext, shown } from "../route-context.ts";
import { Problem } from "../problem.ts";
import { clientName, clientSchema, clientView, newClientSchema, shareSchema } from "../schemas/client.ts";
import { newSecret } from "../webhooks/webhook-secrets.ts";

const patchSchema = z.strictObject(shareSchema).partial();

export const clientParams = z.object({ client: says("The client's name.", z.string().min(1).max(100)) });

export const addClientRoutes = (app: Api, context: RouteContext): void => {
  const { registry, ledger } = context.service;

  const share = async (card: ClientInfo): Promise<ClientInfo> => {
    await ledger.setShare(card.name, card);
    context.keys.forget();
    return card;
  };

  app.post(
    "/v1/clients",
    {
      config: { role: "admin", isOnce: true, secrets: ["webhookSecret"] },
      schema: {
        operationId: "createClient",
        summary: "Add a client",
        description: "With a secret that signs what goes to the webhooks that its jobs name themselves.",
        tags: ["clients"],
        body: patchSchema.extend({ name: clientName }),
        response: {
          201: json("The client, with its secret.", newClientSchema),
          ...problems(409, 413, 415, 422),
        },
      },
    },
    async ({ body: { name, ...asked }, once }, reply) => {
      const webhookSecret = newSecret();
      const bare: ClientInfo = { name, weight: 1, webhooks: [], createdAt: context.now() };
      const fresh = changeShare(bare, asked);
      const made = { ...fresh, secrets: [webhookSecret], madeAs: once!.name };
      const card = await registry.changeClient(name, (known) =>
        known === undefined || known.madeAs === once!.name ? made : undefined,
      );
      if (card !== made) throw new Problem("client-exists", `${name}: there is a client of that name.`);
      return await reply.code(201).send({ ...clientView(await share(card)), webhookSecret });
    },
  );

  app.get(
    "/v1/clients",
    {
      config: { role: "admin" },
      schema: {
        operationId: "listClients",
        summary: "List the clients",
        tags: ["clients"],
        response: { 200: json("All of them.", z.object({ data: z.array(clientSchema) })), ...problems() },
      },
    },
    async () => ({ data: (await registry.listClients()).map(clientView) }),
  );

  app.get(
    "/v1/clients/:client",
    {
      config: { role: "admin" },
      schema: {
        operationId: "getClient",
        summary: "One client",
        tags: ["clients"],
        params: clientParams,
        response: { 200: json("The client.", clientSchema), ...problems(404) },
      },
    },
    async ({ params }) => clientView(await findClient(context, params.client)),
  );

  app.patch(
    "/v1/clients/:client",
    {
      config: { role: "admin" },
      schema: {
        operationId: "changeClient",
        summary: "Change a client's weight and quotas",
        tags: ["clients"],
        params: clientParams,
        body: patchSchema,
        response: { 200: json("The client.", clientSchema), ...problems(404, 413, 415) },
      },
    },
    async ({ params, body }) => {
      const card = await registry.changeClient(params.client, (known) => known && changeShare(known, body));
      return clientView(await share(card ?? (await findClient(context, params.client))));
    },
  );
};

export const findClient = async (context: RouteContext, name: string): Promise<ClientInfo> => {
  const card = await context.service.registry.readClient(name);
  if (!card) throw new Problem("not-found", `${shown(name)}: no such client.`);
  return card;
};
