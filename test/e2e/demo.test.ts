import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { SluiceClient } from "../../src/client.ts";
import { ROOT, sluice, SluiceProcess } from "./sluice-process.ts";

test("the demo runs locally and through the service, with correct results, and leaves no process behind", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-demo-"));
  const program = join(ROOT, "examples/county/demo.ts");
  const demo = spawn(process.execPath, [program, "--parcels", "60", "--data", folder], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed = Promise.all([text(demo.stdout), text(demo.stderr)]);
  const [code] = (await once(demo, "exit")) as [number | null];
  // They end when no process holds the pipes, so neither workers nor the service are left.
  const [output, said] = await printed;
  assert.equal(code, 0, output + said);
  assert.equal(output.match(/^60 of 60 parcels ended as the site/gm)?.length, 2, output);
  const keys = readFileSync(join(folder, "demo/config/sluice/servers.json"), "utf8");
  const [key] = /sluice_\w+/.exec(keys)!;
  assert.ok(!(output + said).includes(key), "the key is not shown");
  const [, left = ""] = output.split("What they left can be looked at:");
  const hints = [...left.matchAll(/^ {2}npx sluice (.*)$/gm)].map(([, args]) => args!.split(" "));
  assert.ok(hints.length > 2, output);
  for (const args of hints.filter(([command]) => command !== "serve")) {
    const { code: ended, stdout, stderr } = await sluice(args);
    assert.deepEqual([ended, stdout !== ""], [0, true], `${args.join(" ")}: ${stderr}`);
  }
  // Without keys, the dashboard just opens.
  const serve = hints.find(([command]) => command === "serve")!;
  const service = new SluiceProcess([...serve, "--port", "0", "--json"]);
  const { url } = JSON.parse(await service.line()) as { readonly url: string };
  assert.match(await (await fetch(url)).text(), /<title>Sluice/);
  assert.equal((await new SluiceClient({ server: url }).listJobs()).data.length, 1);
  service.child.kill("SIGTERM");
  assert.equal((await service.ended).code, 0);
  rmSync(folder, { recursive: true, force: true });
});
