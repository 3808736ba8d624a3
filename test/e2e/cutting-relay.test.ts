import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";

const ASKED = 200;
const SHARE = 0.1;

test("the relay loses a share of the answers after the server has acted", async (t) => {
  let done = 0;
  const server = createServer((_, response) => response.end(`${++done}`));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const args = [join(import.meta.dirname, "cutting-relay.ts"), `http://127.0.0.1:${port}`, `${SHARE}`, "7"];
  const relay = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => {
    relay.kill();
    agent.destroy();
    server.close();
  });
  const [url] = (await once(createInterface(relay.stdout), "line")) as [string];

  const ask = async (): Promise<number> =>
    await new Promise((resolve, reject) => {
      request(url, { agent }, (response) => {
        response.setEncoding("utf8").on("data", (text: string) => resolve(Number(text)));
      })
        .on("error", reject)
        .end();
    });
  const answers: number[] = [];
  let lost = 0;
  for (let i = 0; i < ASKED; i++)
    await ask().then(
      (answer) => answers.push(answer),
      () => lost++,
    );
  assert.equal(done, ASKED, "every request was carried out once");
  assert.equal(answers.length + lost, ASKED);
  assert.ok(lost > 0 && lost < ASKED / 2, `${lost} answers lost`);
  assert.deepEqual(new Set(answers).size, answers.length, "what was heard was heard once");
});
