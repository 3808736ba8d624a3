import type { FindingView, QualityView } from "../../client.ts";
import { EXIT, UsageError } from "../exit.ts";
import type { PlaceOptions } from "../options.ts";
import { openDatasets } from "../service/open-datasets.ts";
import { print, printWidth } from "../terminal.ts";
import { countText, counted, percentText, plainText, textTable } from "../text.ts";

interface DriftOptions extends PlaceOptions {
  readonly all: boolean;
  readonly limit: number;
  readonly accept?: string;
  readonly reason?: string;
}

export const driftCommand = async (scraper: string, options: DriftOptions): Promise<number> => {
  const { all, limit, accept, reason, json } = options;
  await using datasets = await openDatasets(options);
  if (accept !== undefined) {
    if (reason === undefined) throw new UsageError("--accept needs --reason: why the finding is acceptable.");
    const finding = await datasets.acceptFinding(scraper, accept, { reason });
    print([json ? JSON.stringify(finding) : `${accept}: accepted. ${plainText(finding.text)}.`]);
    return EXIT.ok;
  }
  const { data: runs } = await datasets.listQuality(scraper, { limit });
  const { data: findings } = await datasets.listDrift(scraper, { limit, open: all ? "false" : "true" });
  if (json) print([JSON.stringify({ scraper, runs, findings })]);
  else print([...runTable(scraper, runs), "", ...findingLines(findings)]);
  return findings.some(({ level, accepted }) => level === "block" && !accepted) ? EXIT.held : EXIT.ok;
};

const runTable = (scraper: string, runs: readonly QualityView[]): string[] => {
  if (runs.length === 0) return [`No run of ${plainText(scraper)} has ended yet.`];
  return textTable(
    [
      "run",
      "ended",
      { right: "records" },
      { right: "absent" },
      { right: "failed" },
      { right: "values" },
      "judged by",
    ],
    runs.map(({ job, endedAt, records, items, fields, drift }) => {
      const total = items.done + items.absent + items.failed + items.skipped;
      const counts = Object.values(fields);
      const present = counts.reduce((sum, one) => sum + one.present, 0);
      const all = counts.reduce((sum, one) => sum + one.present + one.empty + one.missing + one.malformed, 0);
      return [
        job,
        endedAt.slice(0, "2026-11-17T06:00".length).replace("T", " "),
        countText(records),
        percentText(items.absent, total),
        percentText(items.failed, total),
        percentText(present, all),
        drift ? `${counted(drift.history, "earlier run")}${drift.canBlock ? "" : ", warns only"}` : "",
      ];
    }),
    printWidth(),
  );
};

const findingLines = (findings: readonly FindingView[]): string[] => {
  if (findings.length === 0) return ["No open findings."];
  return findings.flatMap(({ id, text, level, examples, accepted, probability }) => [
    `${id}  ${level === "block" ? "holds releases" : "warning"}${accepted ? `, accepted by ${plainText(accepted.by)}: ${plainText(accepted.reason)}` : ""}`,
    `  ${plainText(text)} (probability ${probability.toExponential(1)})`,
    ...(examples.length > 0 ? [`  such as ${plainText(examples.join(", "))}`] : []),
  ]);
};
