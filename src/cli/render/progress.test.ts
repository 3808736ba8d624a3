import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openProgress, type ProgressMode, progressMode } from "./progress.ts";
import { sampleView } from "../testing/sample-view.ts";

/** Escape sequences, line ends, and text between them. */
const SEQUENCES = new RegExp(String.raw`\x1b\[[?\d;]*([A-Za-z])|\r|\n|[^\x1b\r\n]+`, "g");

/** What a terminal shows after these bytes, and whether its cursor is visible. */
const showOn = (written: string): { readonly screen: readonly string[]; readonly hasCursor: boolean } => {
  const screen: string[] = [];
  let row = 0;
  let column = 0;
  let hasCursor = true;
  for (const [text, command] of written.matchAll(SEQUENCES)) {
    const line = screen[row] ?? "";
    if (text === "\x1b[?25l" || text === "\x1b[?25h") hasCursor = text.endsWith("h");
    else if (command === "A") row -= Number(text.slice(2, -1));
    else if (command === "K") screen[row] = line.slice(0, column);
    else if (command === "J") screen.splice(row, Infinity, line.slice(0, column));
    else if (text === "\r") column = 0;
    else if (text === "\n") [row, column] = [row + 1, 0];
    else if (command === undefined) {
      screen[row] = line.padEnd(column).slice(0, column) + text + line.slice(column + text.length);
      column += text.length;
    }
  }
  return { screen: screen.map((line) => line ?? "").filter((line) => line !== ""), hasCursor };
};

const opened = (
  mode: ProgressMode,
  size: { readonly columns: number; readonly rows: number } = { columns: 80, rows: 24 },
) => {
  const shown: string[] = [];
  const lines: string[] = [];
  let nowMs = 0;
  const progress = openProgress({
    mode,
    stream: { write: (text) => shown.push(text), ...size },
    out: { write: (text) => lines.push(text) },
    now: () => nowMs,
  });
  return { progress, shown, lines, pass: (ms: number) => (nowMs += ms) };
};

const extra = { processes: 1 };
const running = sampleView({
  states: { done: 1, failed: 1, queued: 8 },
  failures: [{ kind: "timeout", count: 1, exampleKey: "7", exampleDetail: "no answer" }],
});
const done = sampleView({ state: "done", states: { done: 10 } });

describe("on a terminal", () => {
  test("a terminal of unknown size counts as 80 columns wide", () => {
    const shownOn = (size: { readonly columns: number; readonly rows: number }) => {
      const { progress, shown } = opened("live", size);
      progress.update(running, [], extra);
      return showOn(shown.join("")).screen;
    };
    assert.deepEqual(shownOn({ columns: 0, rows: 0 }), shownOn({ columns: 80, rows: 24 }));
  });

  test("the display is redrawn in place, and notes stay above it", () => {
    const { progress, shown } = opened("live");
    progress.note("Job k3f9: county");
    progress.update(running, [], extra);
    progress.note("Held: lane\x1b[2J a");
    progress.update(done, [], extra);
    const { screen, hasCursor } = showOn(shown.join(""));
    assert.deepEqual(screen.slice(0, 3), [
      "Job k3f9: county",
      "Held: lane a",
      "county  20261115-203412-k3f9  done",
    ]);
    assert.deepEqual(screen.slice(4), ["done 10"]);
    assert.equal(hasCursor, false);
    progress[Symbol.dispose]();
  });

  test("the report takes the place of the display, and the cursor is back", () => {
    const { progress, shown } = opened("live");
    progress.update(running, [], extra);
    progress.end(done, ["All is done"]);
    progress[Symbol.dispose]();
    assert.deepEqual(showOn(shown.join("")), { screen: ["All is done"], hasCursor: true });
  });

  test("each drawing is one write, so that nothing flickers", () => {
    const { progress, shown } = opened("live");
    progress.update(running, [], extra);
    progress.update(done, [], extra);
    assert.equal(shown.length, 2);
    progress[Symbol.dispose]();
  });

  test("the cursor comes back when the process ends in the middle", () => {
    const before = process.listenerCount("exit");
    const { progress, shown } = opened("live");
    progress.update(running, [], extra);
    const restore = process.listeners("exit").at(-1) as () => void;
    restore();
    assert.equal(showOn(shown.join("")).hasCursor, true);
    assert.equal(process.listenerCount("exit"), before);
  });
});

describe("elsewhere", () => {
  test("a plain line appears every five seconds and when the phase changes", () => {
    const { progress, shown, pass } = opened("lines");
    progress.update(running, [], extra);
    pass(4000);
    progress.update(sampleView({ states: { done: 5, queued: 5 } }), [], extra);
    pass(1000);
    progress.update(sampleView({ states: { done: 6, queued: 4 } }), [], extra);
    progress.update(done, [], extra);
    progress.end(done, ["All is done"]);
    assert.deepEqual(shown, [
      "running  2 of 10  done 1, failed 1, queued 8\n",
      "running  6 of 10  0.8/s  ETA 5.0s  done 6, queued 4\n",
      "done  10 of 10  1.6/s  done 10\n",
      "All is done\n",
    ]);
  });

  test("a line without news is omitted", () => {
    const { progress, shown, pass } = opened("lines");
    for (let n = 0; n < 3; n++) {
      progress.update(sampleView({ state: "paused", states: { queued: 4 } }), [], extra);
      pass(6000);
    }
    assert.deepEqual(shown, [
      "paused  0 of 4  done 0, queued 4\n",
      "paused  0 of 4  0/s  done 0, queued 4\n",
    ]);
  });
});

test("in JSON mode every line is an object, and the last one is the full report", () => {
  const { progress, shown, lines, pass } = opened("json");
  progress.note("Job k3f9");
  progress.update(running, [], { processes: 2, loaded: 10 });
  progress.update(running, [], extra);
  pass(1000);
  progress.update(running, [], extra);
  progress.end(done, ["All is done"]);
  assert.deepEqual(shown, []);
  const objects = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    objects.map(({ type }) => type),
    ["note", "progress", "progress", "end"],
  );
  assert.deepEqual(objects[1]?.["failures"], { timeout: 1 });
  assert.equal(objects[1]?.["loaded"], 10);
  assert.deepEqual(objects[3]?.["counts"], done.counts);
});

test("quiet is quiet", () => {
  const { progress, shown, lines } = opened("quiet");
  progress.update(running, [], extra);
  progress.note("x");
  progress.end(done, ["All is done"]);
  assert.deepEqual([...shown, ...lines], []);
});

test("a closed stream does not end the job", () => {
  const heard: string[] = [];
  const stream = { write: () => true, on: (event: string) => heard.push(event) };
  openProgress({ mode: "lines", stream, out: stream });
  assert.deepEqual(heard, ["error", "error"]);
});

test("options, then the terminal, determine the progress mode", () => {
  const mode = (json: boolean, quiet: boolean, isTTY: boolean) =>
    progressMode({ json, quiet }, { isTTY }, "xterm");
  assert.equal(mode(true, true, true), "json");
  assert.equal(mode(false, true, true), "quiet");
  assert.equal(mode(false, false, true), "live");
  assert.equal(mode(false, false, false), "lines");
  assert.equal(progressMode({ json: false, quiet: false }, { isTTY: true }, "dumb"), "lines");
});
