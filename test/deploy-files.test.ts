import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { parseAllDocuments } from "yaml";
import { z } from "zod";
import { openApiKit } from "../src/api/testing/api-kit.ts";
import { buildProgram } from "../src/cli/program.ts";
import { scaleSchema } from "../src/schemas/operations.ts";

const ROOT = resolve(import.meta.dirname, "..");
const DEPLOY = join(ROOT, "deploy");

const documentsOf = (file: string): unknown[] =>
  parseAllDocuments(readFileSync(file, "utf8"), { merge: true }).map((document) => {
    assert.deepEqual([...document.errors, ...document.warnings], [], file);
    return document.toJS() as unknown;
  });

const resources = z.object({ cpu: z.string(), memory: z.string() });
const envEntry = z.strictObject({
  name: z.string(),
  value: z.string().optional(),
  valueFrom: z
    .strictObject({
      secretKeyRef: z.strictObject({ name: z.string(), key: z.string(), optional: z.boolean().optional() }),
    })
    .optional(),
});
const probe = z.looseObject({ httpGet: z.strictObject({ path: z.string(), port: z.literal("http") }) });
const container = z.strictObject({
  name: z.string(),
  image: z.enum(["sluice", "sluice-browser"]),
  args: z.array(z.string()),
  ports: z.array(z.strictObject({ name: z.literal("http"), containerPort: z.literal(7070) })).optional(),
  env: z.array(envEntry),
  startupProbe: probe.optional(),
  readinessProbe: probe.optional(),
  livenessProbe: probe.optional(),
  resources: z.strictObject({ requests: resources, limits: resources }),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal("ALL")]) }),
  }),
  volumeMounts: z.array(z.strictObject({ name: z.string(), mountPath: z.string() })),
});
const labels = z.record(z.string(), z.string());
const deployment = z.object({
  kind: z.literal("Deployment"),
  apiVersion: z.literal("apps/v1"),
  metadata: z.object({ name: z.string() }),
  spec: z.strictObject({
    replicas: z.int().optional(),
    selector: z.strictObject({ matchLabels: labels }),
    template: z.object({
      metadata: z.object({ labels }),
      spec: z.strictObject({
        terminationGracePeriodSeconds: z.literal(120),
        automountServiceAccountToken: z.literal(false),
        securityContext: z.looseObject({ runAsNonRoot: z.literal(true) }),
        containers: z.tuple([container]),
        volumes: z.array(z.looseObject({ name: z.string() })),
      }),
    }),
  }),
});
const scaledObject = z.object({
  kind: z.literal("ScaledObject"),
  apiVersion: z.literal("keda.sh/v1alpha1"),
  spec: z.object({
    scaleTargetRef: z.object({ name: z.string() }),
    minReplicaCount: z.literal(0),
    maxReplicaCount: z.int(),
    cooldownPeriod: z.int(),
    triggers: z.tuple([
      z.strictObject({
        type: z.literal("metrics-api"),
        metricType: z.literal("AverageValue"),
        metadata: z.strictObject({
          url: z.url(),
          valueLocation: z.string(),
          targetValue: z.literal("1"),
          activationTargetValue: z.literal("0"),
          authMode: z.literal("bearer"),
        }),
        authenticationRef: z.object({ name: z.string() }),
      }),
    ]),
  }),
});
const budget = z.object({
  kind: z.literal("PodDisruptionBudget"),
  apiVersion: z.literal("policy/v1"),
  spec: z.object({ selector: z.object({ matchLabels: labels }) }),
});
const service = z.object({
  kind: z.literal("Service"),
  apiVersion: z.literal("v1"),
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    selector: labels,
    ports: z.tuple([z.looseObject({ port: z.int(), targetPort: z.literal("http") })]),
  }),
});
const authentication = z.object({
  kind: z.literal("TriggerAuthentication"),
  apiVersion: z.literal("keda.sh/v1alpha1"),
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    secretTargetRef: z.tuple([
      z.strictObject({ parameter: z.literal("token"), name: z.string(), key: z.string() }),
    ]),
  }),
});
const manifest = z.discriminatedUnion("kind", [deployment, scaledObject, budget, service, authentication]);
type Kind = z.infer<typeof manifest>["kind"];

const KUBERNETES = join(DEPLOY, "kubernetes");
const kustomization = documentsOf(join(KUBERNETES, "kustomization.yaml"))[0] as {
  readonly resources: readonly string[];
  readonly images: readonly { readonly name: string }[];
};
const manifests = kustomization.resources.flatMap((file) =>
  documentsOf(join(KUBERNETES, file)).map((document) => manifest.parse(document)),
);
const ofKind = <K extends Kind>(kind: K) =>
  manifests.filter((one): one is Extract<z.infer<typeof manifest>, { kind: K }> => one.kind === kind);
const pods = ofKind("Deployment").map(({ metadata, spec }) => ({
  ...spec.template.spec.containers[0],
  name: metadata.name,
  labels: spec.template.metadata.labels,
  selector: spec.selector.matchLabels,
  volumes: spec.template.spec.volumes.map(({ name }) => name),
}));

const compose = z
  .object({
    services: z.record(
      z.string(),
      z.looseObject({
        image: z.string(),
        build: z.object({ args: z.record(z.string(), z.string()) }).optional(),
        command: z.array(z.string()).optional(),
        environment: z.record(z.string(), z.string()).optional(),
        depends_on: z.record(z.string(), z.object({ condition: z.string() })).optional(),
        stop_grace_period: z.string().optional(),
        volumes: z.array(z.string()).optional(),
      }),
    ),
    volumes: z.record(z.string(), z.null()),
  })
  .parse(documentsOf(join(DEPLOY, "compose.yaml"))[0]);
const own = Object.entries(compose.services).filter(([, { image }]) => image.startsWith("sluice"));
const commands: readonly (readonly string[])[] = [
  ...pods.map(({ args }) => args),
  ...own.map(([, { command }]) => command ?? []),
];

test("the manifests are complete, and name each other", () => {
  const files = globSync("*.yaml", { cwd: KUBERNETES }).toSorted();
  assert.deepEqual(files, [...kustomization.resources, "kustomization.yaml"].toSorted());
  assert.deepEqual(
    pods.map(({ name }) => name),
    ["controller", "worker", "browser-worker"],
  );
  for (const { name, labels: marks, selector, image, volumes, volumeMounts } of pods) {
    assert.deepEqual(marks, selector, name);
    assert.ok(kustomization.images.some((one) => one.name === image));
    assert.deepEqual(volumeMounts.map((mount) => mount.name).toSorted(), volumes.toSorted(), name);
    assert.ok(
      ofKind("PodDisruptionBudget").some(({ spec }) => spec.selector.matchLabels["app"] === marks["app"]),
      name,
    );
  }
  const scaled = ofKind("ScaledObject").map(({ spec }) => spec.scaleTargetRef.name);
  assert.deepEqual(scaled, ["worker", "browser-worker"]);
  const [secret] = ofKind("TriggerAuthentication");
  for (const { spec } of ofKind("ScaledObject"))
    assert.equal(spec.triggers[0].authenticationRef.name, secret?.metadata.name);
  const [controller] = ofKind("Service");
  assert.deepEqual(controller?.spec.selector, pods[0]?.labels);
});

test("every secret comes by reference", () => {
  const secrets = /LEDGER|BLOBS|SECRET|KEY|PASSWORD|TOKEN/;
  for (const { env, name } of pods)
    for (const { name: variable, value } of env)
      assert.ok(!secrets.test(variable) || value === undefined, `${name}: ${variable}`);
  for (const [name, { environment = {} }] of Object.entries(compose.services))
    for (const [variable, value] of Object.entries(environment))
      assert.ok(!/SECRET|KEY|PASSWORD/.test(variable) || /^\$\{\w+:\?/.test(value), `${name}: ${variable}`);
});

test("every command and option exists, with a value that is taken", async () => {
  const program = await buildProgram("0", () => undefined);
  for (const args of commands) {
    const command = program.commands.find((one) => one.name() === args[0])!;
    assert.ok(command, args.join(" "));
    command.exitOverride().configureOutput({ writeErr: () => undefined });
    const { operands, unknown } = command.parseOptions(args.slice(1));
    assert.deepEqual([operands, unknown], [[], []], args.join(" "));
  }
});

test("every variable is one that Sluice or the SDK reads", () => {
  const source = globSync("src/**/*.ts", { cwd: ROOT }).map((file) => readFileSync(join(ROOT, file), "utf8"));
  const known = new Set(source.flatMap((text) => text.match(/SLUICE_[A-Z_]+/g) ?? []));
  const image = readFileSync(join(DEPLOY, "Dockerfile"), "utf8").match(/SLUICE_[A-Z_]+/g) ?? [];
  const variables = [
    ...image,
    ...pods.flatMap(({ env }) => env.map(({ name }) => name)),
    ...own.flatMap(([, { environment = {} }]) => Object.keys(environment)),
  ];
  for (const name of new Set(variables)) assert.ok(known.has(name) || name.startsWith("AWS_"), name);
});

test("probes ask routes that exist, and the autoscaler a number that the API has", async () => {
  await using kit = await openApiKit();
  for (const { startupProbe, readinessProbe, livenessProbe } of pods)
    for (const asked of [startupProbe, readinessProbe, livenessProbe])
      if (asked) assert.equal((await kit.ask("GET", asked.httpGet.path)).status, 200, asked.httpGet.path);
  const key = await kit.addClient("scaler", "worker");
  const [controller] = ofKind("Service");
  for (const { spec } of ofKind("ScaledObject")) {
    const { url, valueLocation } = spec.triggers[0].metadata;
    const { hostname, port, pathname } = new URL(url);
    assert.deepEqual(
      [hostname.split(".")[0], Number(port)],
      [controller?.metadata.name, controller?.spec.ports[0].port],
    );
    const { status, body } = await kit.ask("GET", pathname, { key });
    assert.equal(status, 200);
    const value = valueLocation
      .split(".")
      .reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], scaleSchema.parse(body));
    assert.equal(value, 0, valueLocation);
  }
});

test("whoever stops a process waits longer than it drains", () => {
  const drains = (args: readonly string[]): number =>
    Number(/^(\d+)s$/.exec(args[args.indexOf("--drain") + 1]!)![1]);
  for (const args of commands) assert.ok(drains(args) <= 90, args.join(" "));
  for (const [name, { stop_grace_period }] of own) assert.equal(stop_grace_period, "120s", name);
});

test("the services of compose.yaml name each other, and packages that were tested", () => {
  assert.deepEqual(Object.keys(compose.services), [
    "controller",
    "worker",
    "browser-worker",
    "postgres",
    "store",
    "bucket",
  ]);
  for (const [name, { depends_on = {}, volumes = [] }] of Object.entries(compose.services)) {
    for (const other of Object.keys(depends_on)) assert.ok(other in compose.services, `${name}: ${other}`);
    for (const [volume = ""] of volumes.map((text) => text.split(":")))
      assert.ok(volume.startsWith(".") || volume in compose.volumes, `${name}: ${volume}`);
  }
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    devDependencies: Record<string, string>;
  };
  const packages = own.flatMap(([, { build }]) => build?.args["PACKAGES"]?.split(" ") ?? []);
  for (const name of packages) assert.ok(name in devDependencies, name);
  const settings = readFileSync(join(DEPLOY, "compose.env"), "utf8").match(/^\w+(?==)/gm);
  const asked = readFileSync(join(DEPLOY, "compose.yaml"), "utf8").matchAll(/\$\{(\w+):\?/g);
  assert.deepEqual(new Set([...asked].map(([, name]) => name)), new Set(settings));
});
