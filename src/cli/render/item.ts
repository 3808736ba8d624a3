import type { Colors } from "picocolors/types.js";
import type { ShownCapture, ShownItem } from "../service/verbs.ts";
import { bytesText, counted, durationText, fitText, plainText, textTable } from "../text.ts";
import { renderRecord } from "./record.ts";

interface ItemLook {
  readonly width: number;
  readonly colors: Colors;
  readonly required: readonly string[];
  /** Text of a stored page by its name, for lines and columns; undefined if it cannot be read. */
  readonly textOf: (page: string) => string | undefined;
}

const MOST_RECORDS = 20;
const MOST_INPUT = 500;

/** An item with its attempts, its captures, and its records with the place of each value. */
export const renderItem = (item: ShownItem, look: ItemLook): string[] =>
  [heading(item, look), attempts(item, look), captures(item, look), records(item, look)]
    .filter((lines) => lines.length > 0)
    .flatMap((lines) => ["", ...lines]);

const heading = (item: ShownItem, { colors }: ItemLook): string[] => {
  const { key, scraper, state, quality, failure, skipReason, source, dueAt, endedAt, parent, change } = item;
  const ended = quality === "partial" ? `${state}, partial` : state;
  const when = dueAt ?? endedAt;
  return [
    `Item ${colors.bold(plainText(key))} (${scraper}): ${ended}${when === undefined ? "" : `${dueAt === undefined ? " since" : ", due at"} ${timeText(when)}`}`,
    `  input   ${fitText(plainText(JSON.stringify(item.input) ?? ""), MOST_INPUT)}`,
    ...(parent === undefined ? [] : [`  found by ${plainText(parent)}`]),
    ...(change === undefined ? [] : [`  change  ${change}`]),
    ...(failure
      ? [
          `  failed  ${failure.kind}: ${plainText(failure.detail)}${failure.url === undefined ? "" : ` (${failure.url})`}`,
        ]
      : []),
    ...(skipReason === undefined ? [] : [`  skipped ${skipText(skipReason, source)}`]),
    ...(state === "absent"
      ? [`  absent  ${plainText(item.attempts.at(-1)?.detail ?? "the site has no such item")}`]
      : []),
  ];
};

const skipText = (reason: string, source: string | undefined): string =>
  (reason === "fresh" ? "fetched recently enough" : "not changed, according to the site") +
  (source === undefined ? "" : `; uses the captures and records of job ${source}`);

const attempts = ({ attempts: all, attemptCount, state }: ShownItem, { width }: ItemLook): string[] => {
  if (all.length === 0)
    return [attemptCount === 0 ? "Attempts: none" : `Attempts: ${attemptCount}; no details recorded`];
  const number = (value: number | undefined, text: (known: number) => string): string =>
    value === undefined ? "" : text(value);
  const sum = (name: "requests" | "bytes"): number => all.reduce((total, one) => total + (one[name] ?? 0), 0);
  const isProxied = all.some(({ proxied }) => proxied);
  return [
    `Attempts: ${all.length}, ${counted(sum("requests"), "request")}, ${bytesText(sum("bytes"))}`,
    ...textTable(
      [
        "when",
        { right: "took" },
        { right: "requests" },
        { right: "bytes" },
        ...(isProxied ? ["proxy"] : []),
        "ended",
        "worker",
        "detail",
      ],
      all.map(({ at, ms, requests, bytes, proxied = [], end, worker, detail }) => [
        timeText(at),
        durationText(ms),
        number(requests, String),
        number(bytes, bytesText),
        ...(isProxied ? [proxied.map(({ tier }) => tier).join(", ")] : []),
        end,
        worker ?? "",
        plainText(state === "absent" && end === "absent" ? "" : (detail ?? "")),
      ]),
      width,
    ),
  ];
};

const captures = ({ captures: all }: ShownItem, { width }: ItemLook): string[] => {
  if (all.length === 0) return ["Captures: none"];
  return [
    `Captures: ${all.length}`,
    ...all.flatMap((capture) =>
      captureLines(capture).map((line) => (width === Infinity ? line : fitText(line, Math.max(width, 60)))),
    ),
  ];
};

const captureLines = (capture: ShownCapture): string[] => {
  const { number, name, url, mediaType, digest, storedBytes, isFile, status, problem, path, offset } =
    capture;
  const facts = [
    isFile ? "file" : "page",
    ...(status === undefined ? [] : [`status ${status}`]),
    mediaType,
    `${bytesText(storedBytes)}${isFile ? "" : " stored"}`,
  ];
  const place = isFile ? path : `${path}, ${storedBytes} bytes from ${offset}`;
  return [
    `  ${number}  ${plainText(name)}  ${facts.join(", ")}`,
    `     ${plainText(url)}`,
    `     ${digest}`,
    ...(path === undefined ? [] : [`     in ${place}`]),
    ...(problem === undefined ? [] : [`     cannot be read: ${plainText(problem)}`]),
  ];
};

const records = ({ records: all, extraction, state }: ShownItem, look: ItemLook): string[] => {
  if (all.length === 0) return state === "done" ? ["Records: none"] : [];
  const shown = all.slice(0, MOST_RECORDS).flatMap((record, index) => {
    const { from = "" } = record;
    const text = from === "" ? undefined : look.textOf(from);
    const title = `  ${all.length === 1 ? "" : `${index + 1}: `}${record.quality}${from === "" ? "" : `, from ${plainText(from)}`}`;
    return [title, ...renderRecord({ ...record, from }, { ...look, ...(text !== undefined && { text }) })];
  });
  const rest = all.length - MOST_RECORDS;
  return [
    `Records: ${all.length}${extraction === "first" ? "" : ` (extraction ${extraction})`}`,
    ...shown,
    ...(rest > 0 ? [`  and ${counted(rest, "more record")}; --json prints all of them`] : []),
  ];
};

const timeText = (at: number): string => `${new Date(at).toISOString().replace("T", " ").slice(0, 19)}Z`;
