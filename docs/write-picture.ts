/**
 * `npm run docs:picture`: runs the county example and writes what `sluice run` prints as `docs/run.svg`, the picture in the README.
 * Colours come from the terminal codes of the real output.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { parcelsCsv } from "../examples/county/inputs.ts";
import { startCounty } from "../examples/county/site.ts";

const ROOT = resolve(import.meta.dirname, "..");
const PARCELS = 400;
const LINE = 17;
const COLORS: Readonly<Record<string, string>> = {
  "31": "#f47067",
  "32": "#57ab5a",
  "33": "#c69026",
  "36": "#39c5cf",
  "90": "#768390",
};

/** Words with one style each. */
interface Run {
  readonly text: string;
  readonly style: string;
}

const runsOf = (line: string): Run[] => {
  const runs: Run[] = [];
  let style = "";
  // oxlint-disable-next-line no-control-regex -- terminal codes start with the escape character
  for (const part of line.split(/(\u001B\[[\d;]*m)/)) {
    // oxlint-disable-next-line no-control-regex -- see above
    const code = /^\u001B\[([\d;]*)m$/.exec(part)?.[1];
    if (code === undefined) {
      if (part !== "") runs.push({ text: part, style });
    } else if (code === "1") style += ' font-weight="bold"';
    else if (code === "2") style += ' opacity="0.6"';
    else if (COLORS[code]) style += ` fill="${COLORS[code]}"`;
    else style = "";
  }
  return runs;
};

const escape = (text: string): string =>
  text.replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign]!);

const svg = (lines: readonly string[]): string => {
  const height = (lines.length + 2) * LINE;
  const rows = lines.map((line, at) => {
    const spans = runsOf(line).map(({ text, style }) => `<tspan${style}>${escape(text)}</tspan>`);
    return `<text x="16" y="${(at + 1.7) * LINE}" xml:space="preserve">${spans.join("")}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="880" height="${height}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13" fill="#adbac7">`,
    '<rect width="100%" height="100%" rx="8" fill="#22272e"/>',
    ...rows,
    "</svg>\n",
  ].join("\n");
};

const folder = mkdtempSync(join(tmpdir(), "sluice-picture-"));
try {
  const input = join(folder, "parcels.csv");
  writeFileSync(input, [...parcelsCsv(PARCELS)].join(""));
  await using county = await startCounty({ parcels: PARCELS, troubles: "all", keepsArrivals: false });
  const args = [
    "run",
    "examples/county/county.scraper.ts",
    "--input",
    input,
    "--output",
    join(folder, "bills.csv"),
  ];
  // The site answers in this process: it must not be blocked. Some items fail, so the exit code is 3.
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [join(ROOT, "bin/sluice.js"), ...args, "--data", folder],
    { cwd: ROOT, env: { ...process.env, FORCE_COLOR: "1", COUNTY_URL: county.url } },
  ).catch((error: { stdout: string; stderr: string }) => error);
  const shown = `${stdout}${stderr}`.split("\n").map((line) => line.replaceAll(folder, "."));
  const end = shown.findIndex((line) => line.includes("Next"));
  const report = shown.slice(
    shown.findIndex((line) => line.includes("Job ")),
    end < 0 ? undefined : end,
  );
  const command = "$ npx sluice run county --input parcels.csv --output bills.csv";
  writeFileSync(join(ROOT, "docs/run.svg"), svg([command, "", ...report]));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
