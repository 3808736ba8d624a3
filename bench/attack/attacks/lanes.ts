import { setTimeout as delay } from "node:timers/promises";
import { type Attack, unexpected, times } from "../attack.ts";
import { type AttackKit, NAMES, type Reply } from "../attack-kit.ts";
import { steadyNow } from "../neighbour.ts";

const paths = (name: string, count: number): { readonly path: string }[] =>
  Array.from({ length: count }, (_, n) => ({ path: `/${name}/${n}` }));

const tinyPace: Attack = {
  name: "the least pace in a shared lane, then cancelled",
  async run(kit) {
    const refused = await times(4, (n) =>
      kit.post(kit.attacker, "/v1/jobs", {
        scraper: "shared",
        inputs: paths("tiny", 3),
        pace: { perSecond: [1e-300, 5e-324, 0, -1][n] },
      }),
    );
    const wrong = unexpected(refused, 400, 422);
    if (wrong) return wrong;
    const job = await kit.makeJob({
      scraper: "shared",
      inputs: paths("tiny", 20),
      pace: { perSecond: 1 / 86_400, concurrency: 1 },
    });
    await delay(1_000);
    return unexpected([await kit.post(kit.attacker, `/v1/jobs/${job}/cancel`)], 200, 202);
  },
};

const fullPace: Attack = {
  name: "5,000 items of high priority in a shared lane",
  share: 0.5,
  async run(kit) {
    const job = await kit.makeJob({ scraper: "shared", inputs: paths("greedy", 5_000), priority: 100 });
    await delay(5_000);
    return unexpected([await kit.post(kit.attacker, `/v1/jobs/${job}/cancel`)], 200, 202);
  },
};

interface LaneView {
  readonly heldUntil?: string;
}

const retryAfter: Attack = {
  name: "a site that answers Retry-After: 10^12",
  async run(kit) {
    const site = kit.neighbour.siteAt("127.0.0.21");
    const lane = new URL(site).host;
    const inputs = [{ url: `${site}/later/1000000000000/${Math.random()}` }];
    const job = await kit.makeJob({ inputs });
    const look = () => kit.read<LaneView>(kit.admin, `/v1/lanes/${lane}`).catch(() => undefined);
    let heldUntil: string | undefined;
    while ((heldUntil = (await look())?.heldUntil) === undefined) await delay(100);
    const heldMs = Date.parse(heldUntil) - Date.now();
    const freed = await kit.post(kit.admin, `/v1/lanes/${lane}`, { isHeld: false }, "PATCH");
    const after = (await look())?.heldUntil;
    await kit.post(kit.attacker, `/v1/jobs/${job}/cancel`);
    if (heldMs > 3_660_000) return `the lane is held for ${heldMs} ms`;
    return unexpected([freed], 200) ?? (after === undefined ? undefined : "an operator cannot lift it");
  },
};

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
}
interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Numbers of a body by the API's own document, such as [["pace", "perSecond"], ["priority"]]. */
const numbersIn = (schema: Schema, document: Document): string[][] => {
  const known =
    schema.$ref === undefined ? schema : document.components.schemas[schema.$ref.split("/").at(-1)!]!;
  const types = [known.type ?? []].flat();
  if (types.includes("number") || types.includes("integer")) return [[]];
  if (known.anyOf) return known.anyOf.flatMap((one) => numbersIn(one, document));
  return Object.entries(known.properties ?? {}).flatMap(([name, one]) =>
    numbersIn(one, document).map((path) => [name, ...path]),
  );
};

const EXTREMES = [1e-300, 5e-324, 1e300, Number.MAX_SAFE_INTEGER, -1, -1e300, 0, 0.1, 1e12];

/** What else these bodies must have. */
const BODIES: Readonly<Record<string, () => Readonly<Record<string, unknown>>>> = {
  "/v1/jobs": () => ({ scraper: "shared", inputs: paths("extreme", 2) }),
  "/v1/batches": () => ({ urls: ["https://extreme.invalid/"] }),
};

const extremes: Attack = {
  name: "extreme numbers in every field of a client's",
  async run(kit) {
    const { key } = await kit.makeClient();
    const document = await kit.read<Document>(key, "/openapi.json");
    let tried = 0;
    for (const [path, body] of Object.entries(BODIES)) {
      const schema = document.paths[path]!["post"]!.requestBody!.content["application/json"]!.schema!;
      for (const field of numbersIn(schema, document)) {
        const replies = await times(EXTREMES.length, (n) =>
          kit.post(key, path, { ...body(), ...nested(field, EXTREMES[n]!) }),
        );
        const wrong = unexpected(replies, 201, 400, 422);
        if (wrong) return `${field.join(".")}: ${wrong}`;
        await cancelAll(kit, key, replies);
        tried += replies.length;
      }
    }
    return tried > 100 ? undefined : `only ${tried} numbers were tried`;
  },
};

const nested = (field: readonly string[], value: number): object =>
  field.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object;

const cancelAll = async (kit: AttackKit, key: string, replies: readonly Reply[]): Promise<void> => {
  for (const { status, body } of replies) {
    if (status !== 201) continue;
    const { job, batch } = JSON.parse(body.toString()) as { job?: { id: string }; batch?: { id: string } };
    await kit.post(key, `/v1/jobs/${(job ?? batch)!.id}/cancel`);
  }
};

const hanging: Attack = {
  name: "400 hosts that never answer",
  async run(kit) {
    const { key } = await kit.makeClient();
    const urls = Array.from(
      { length: 400 },
      (_, n) => `${kit.neighbour.siteAt(`127.1.${Math.floor(n / 200)}.${(n % 200) + 1}`)}/hang/${n}`,
    );
    const reply = await kit.post(key, "/v1/batches", { urls });
    await delay(5_000);
    await cancelAll(kit, key, [reply]);
    return unexpected([reply], 201);
  },
};

/** Requests a second that an operator lets one address have in this attack. */
const ADDRESS_CAP = 10;
const SETTLED_MS = 5_000;

const manyNames: Attack = {
  name: "60 names on one address, with a cap per address",
  async set(kit) {
    const setCap = (address: string, perSecond: number | null) =>
      kit.post(kit.admin, `/v1/lanes/address:${address}`, { perSecond }, "PATCH");
    // The neighbour's site is not limited.
    const wrong = unexpected([await setCap("127.0.0.1", 1_000), await setCap("*", ADDRESS_CAP)], 200);
    if (wrong) throw new Error(wrong);
    // Workers learn of it with their next pulse and use what was booked before.
    await delay(SETTLED_MS);
    return async () => {
      await setCap("*", null);
      await setCap("127.0.0.1", null);
      await delay(SETTLED_MS);
    };
  },
  async run(kit) {
    const { key } = await kit.makeClient();
    const begunAt = steadyNow();
    const { port } = kit.neighbour;
    const urls = NAMES.flatMap((name) =>
      [0, 1, 2].map((n) => `http://${name}:${port}/named/${n}/${begunAt}`),
    );
    const reply = await kit.post(key, "/v1/batches", { urls });
    const wrong = unexpected([reply], 201);
    if (wrong) return wrong;
    const arrived = () => kit.neighbour.arrivals("/named/", begunAt);
    while ((await arrived()).length === 0) await delay(50);
    await delay(5_000);
    await cancelAll(kit, key, [reply]);
    const seen = await arrived();
    const seconds = (steadyNow() - begunAt) / 1000;
    const allowed = ADDRESS_CAP * (seconds + 1);
    return seen.length > allowed ? `${seen.length} requests in ${seconds.toFixed(1)} s` : undefined;
  },
};

export const LANES: readonly Attack[] = [tinyPace, fullPace, retryAfter, extremes, hanging, manyNames];
