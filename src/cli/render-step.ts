import type { Colors } from "picocolors/types.js";
import type { Step } from "../devtools/watch-collector.ts";
import { fitText, padText, plainText } from "./fit-text.ts";
import { bytesText } from "./number-text.ts";
import { redactSecrets } from "../domain/redact-secrets.ts";

/** Below this a wait is the clock's own grain. */
const WORTH_SAYING_MS = 20;
const FACTS = 40;

/** `GET   /search                      200   3.1 kB    12 ms   waited 0.4 s`. */
export const renderStep = (step: Step, home: string, width: number, colors: Colors): string => {
  const { method, url, status, bytes, ms, waitedMs, redirectsTo } = step;
  const room = Math.max(20, Math.min(width, 120) - FACTS - 8);
  const where = padText(fitText(shortUrl(url, home), room), room);
  const size = padText(bytes === undefined ? "file" : bytesText(bytes), 9, "left");
  const facts = [
    `  ${colors.bold(padText(method, 5))} ${where}`,
    statusText(status, colors),
    colors.dim(size),
    colors.dim(padText(`${Math.round(ms)} ms`, 8, "left")),
    ...(waitedMs >= WORTH_SAYING_MS ? [colors.dim(`waited ${secondsText(waitedMs)}`)] : []),
  ];
  const line = facts.join("  ");
  return redirectsTo === undefined
    ? line
    : `${line}\n        ${colors.dim(`→ ${shortUrl(redirectsTo, home)}`)}`;
};

/** Without the origin, where it is the scraper's own: that is said once, at the top. */
export const shortUrl = (url: string, home: string): string => {
  const shown = plainText(redactSecrets(url));
  return home !== "" && shown.startsWith(`${home}/`) ? shown.slice(home.length) : shown;
};

const statusText = (status: number, colors: Colors): string =>
  status < 300
    ? colors.green(String(status))
    : status < 400
      ? colors.cyan(String(status))
      : colors.red(String(status));

const secondsText = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
