import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

const guard = new URL("./guard-against-stall.ts", import.meta.url).href;
const run = (code: string) =>
  spawnSync(
    process.execPath,
    ["--input-type=module", "-e", `import { guardAgainstStall } from ${JSON.stringify(guard)};\n${code}`],
    { encoding: "utf8", timeout: 30_000, killSignal: "SIGTERM" },
  );

test("a process that loops for ever is ended, and says why", () => {
  const { signal, stderr } = run('using guard = guardAgainstStall(500, "it loops\\n"); for (;;);');
  assert.equal(signal, "SIGKILL");
  assert.match(stderr, /it loops/);
});

test("a process that is only slow, and one that is done, are let be", () => {
  const slow = run(`
    using guard = guardAgainstStall(500, "it loops");
    for (let turn = 0; turn < 10; turn++) await new Promise((done) => setTimeout(done, 100));
    console.log("done");`);
  assert.deepEqual([slow.status, slow.stdout], [0, "done\n"]);
});
