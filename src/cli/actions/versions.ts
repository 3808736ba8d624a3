import type { Gate, Version } from "../../client.ts";
import type { CanaryOptions, VersionOptions } from "../commands/versions.ts";
import { EXIT, UsageError } from "../exit.ts";
import { given, type PlaceOptions } from "../options.ts";
import { openVerbs } from "../service/open-verbs.ts";
import { print, printWidth } from "../terminal.ts";
import { counted, countText, fitText, plainText, textTable } from "../text.ts";

export const listCommand = async (scraper: string, options: PlaceOptions): Promise<number> => {
  await using verbs = await openVerbs(options);
  const versions = await verbs.listVersions(scraper);
  if (options.json) print([JSON.stringify(versions)]);
  else if (versions.data.length === 0)
    print([
      `${versions.scraper} has no stored versions. Deploy it: sluice deploy ${versions.scraper}${verbs.flag}`,
    ]);
  else
    print(
      textTable(
        ["version", "", "deployed", "by", "commit", "gate"],
        versions.data.map(({ version, pointers, at, by, commit, gate, canary }) => [
          version,
          pointers.join(", "),
          at.slice(0, 16).replace("T", " "),
          by,
          commit?.slice(0, 9) ?? "",
          canary ? `canary: ${canary.state}` : gate ? (gate.isRefused ? "refused" : "passed") : "",
        ]),
        printWidth(),
      ),
    );
  return EXIT.ok;
};

export const showCommand = async (
  scraper: string,
  version: string | undefined,
  options: PlaceOptions,
): Promise<number> => {
  await using verbs = await openVerbs(options);
  const shown = await verbs.showVersion(scraper, version);
  print(options.json ? [JSON.stringify(shown)] : versionLines(shown));
  return EXIT.ok;
};

const versionLines = ({
  version,
  pointers,
  at,
  by,
  commit,
  difference,
  activations,
  gate,
  canary,
}: Version): string[] => [
  `${version}${pointers.length > 0 ? `  ${pointers.join(", ")}` : ""}`,
  `deployed ${at} by ${by}${commit === undefined ? "" : `, commit ${commit.slice(0, 12)}`}`,
  ...(difference
    ? [
        `differs from ${difference.from} in ${difference.files.join(", ") || "nothing"}`,
        ...(difference.fields.length > 0 ? [`  fields: ${difference.fields.join(", ")}`] : []),
        ...(difference.unjudged.length > 0
          ? [` not tested by stored pages: ${difference.unjudged.join(", ")}`]
          : []),
      ]
    : []),
  ...activations.map(
    (one) =>
      `${one.how} ${one.at} by ${one.by}${one.accepted === undefined ? "" : `: ${plainText(one.accepted)}`}`,
  ),
  ...(gate
    ? [
        `compared ${gate.at} on ${counted(gate.items, "item")}${gate.against === undefined ? "" : ` against ${gate.against}`}: ${gate.isRefused ? "refused" : "passed"}`,
        ...gate.reasons.map((reason) => `  ${plainText(reason)}`),
      ]
    : []),
  ...(canary
    ? [
        `canary ${canary.state} since ${canary.endedAt ?? canary.startedAt}: ${counted(canary.items, "item")}${canary.reason === undefined ? "" : `; ${plainText(canary.reason)}`}`,
        ...canary.fields.map(
          ({ field, canary: own, control }) =>
            `  ${field}: bad in ${countText(own.bad)} of ${countText(own.items)}, others ${countText(control.bad)} of ${countText(control.items)}`,
        ),
        ...(canary.unread.length > 0 ? [`  not extracted again yet: ${canary.unread.join(", ")}`] : []),
      ]
    : []),
];

export const gateCommand = async (
  scraper: string,
  version: string | undefined,
  options: PlaceOptions,
): Promise<number> => {
  await using verbs = await openVerbs(options);
  const gate = await verbs.gateVersion(scraper, version);
  print(options.json ? [JSON.stringify(gate)] : gateLines(gate, printWidth()));
  return gate.isRefused ? EXIT.someFailed : EXIT.ok;
};

const VALUE = 40;
const value = (of: unknown): string =>
  fitText(plainText(typeof of === "string" ? of : JSON.stringify(of)), VALUE);

const gateLines = (gate: Gate, width: number): string[] => {
  if (gate.against === undefined)
    return [
      `${gate.version}: there is no other version with stored pages to compare it with.`,
      ...gate.reasons,
    ];
  const { items, newest, incomplete, months } = gate.pages;
  return [
    `${gate.version} against ${gate.against}, by the stored pages of ${counted(items, "item")} (newest ${newest}, incomplete ${incomplete}, of ${counted(Object.keys(months).length, "older month")})`,
    ...textTable(
      ["field", { right: "same" }, { right: "gained" }, { right: "lost" }, { right: "changed" }, ""],
      gate.fields.map(({ name, same, gained, lost, changed, refused }) => [
        name,
        ...[same, gained, lost, changed].map(countText),
        refused === undefined ? "" : "refused",
      ]),
      width,
    ),
    ...gate.fields.flatMap(({ name, lost, lostExamples, groups }) => [
      ...(lost > 0 && lostExamples.some(({ before }) => before !== null)
        ? [`${name}, lost:`, ...lostExamples.map(({ key, before }) => `  ${value(key)}: ${value(before)}`)]
        : []),
      ...groups.flatMap(({ change, count, examples }) => [
        `${name}, ${counted(count, "value")}: ${change}`,
        ...examples.map(({ key, before, after }) => `  ${value(key)}: ${value(before)} → ${value(after)}`),
      ]),
    ]),
    ...(gate.isRefused
      ? ["Refused:", ...gate.reasons.map((reason) => `  ${plainText(reason)}`)]
      : ["Passed."]),
  ];
};

const movedLines = (moved: readonly string[]): string[] =>
  moved.length > 0 ? [`${counted(moved.length, "job")} changed with it: ${moved.join(", ")}`] : [];

export const activateCommand = async (
  scraper: string,
  version: string | undefined,
  { accept, move, ...options }: VersionOptions,
): Promise<number> => {
  await using verbs = await openVerbs(options);
  const { gate, moved, ...now } = await verbs.activateVersion(scraper, version, {
    ...given({ accept }),
    move,
  });
  print(
    options.json
      ? [JSON.stringify({ ...now, gate, moved })]
      : [
          ...gateLines(gate, printWidth()),
          `${now.version.version} is active: new jobs use it.`,
          ...movedLines(moved),
        ],
  );
  return EXIT.ok;
};

export const rollbackCommand = async (
  scraper: string,
  { move, ...options }: VersionOptions,
): Promise<number> => {
  await using verbs = await openVerbs(options);
  const { version, moved } = await verbs.rollBackVersion(scraper, { move });
  print(
    options.json
      ? [JSON.stringify({ version, moved })]
      : [`${version.version} is active again: new jobs use it.`, ...movedLines(moved)],
  );
  return EXIT.ok;
};

export const canaryCommand = async (
  scraper: string,
  version: string | undefined,
  { share, tolerance, move, promote, rollBack, reason, ...options }: CanaryOptions,
): Promise<number> => {
  if (promote && rollBack) throw new UsageError("--promote and --roll-back cannot both be given.");
  await using verbs = await openVerbs(options);
  if (promote || rollBack) {
    const ended = await verbs.endCanary(scraper, {
      to: promote ? "promote" : "roll-back",
      ...given({ reason }),
    });
    print(options.json ? [JSON.stringify(ended)] : versionLines(ended));
    return EXIT.ok;
  }
  const started = await verbs.startCanary(scraper, version, { ...given({ share, tolerance }), move });
  print(
    options.json
      ? [JSON.stringify(started)]
      : [`${started.version.version} is the canary of new jobs.`, ...movedLines(started.moved)],
  );
  return EXIT.ok;
};
