import type { Recording, Step } from "./recording.ts";

type JsonObject = Record<string, unknown>;

/** The recording as JSON for Chrome's Recorder: `parseRecording` of it gives the same recording. */
export const writeRecording = ({ title, timeout, steps, extra }: Recording): JsonObject => ({
  title,
  ...(timeout !== undefined && { timeout }),
  ...extra,
  steps: steps.flatMap(writeStep),
});

export const recordingText = (recording: Recording): string =>
  `${JSON.stringify(writeRecording(recording), null, 2)}\n`;

const COMMON = ["timeout", "target", "frame", "assertedEvents"];

/** One object; for a block its begin, its steps and its end. */
const writeStep = (step: Step): JsonObject[] => {
  const { type, number: _, extra, ...fields } = step;
  if (!type.startsWith("sluice.")) return [{ type, ...extra, ...fields }];
  const entries = Object.entries(fields);
  const common = { ...extra, ...Object.fromEntries(entries.filter(([name]) => COMMON.includes(name))) };
  const own = Object.fromEntries(entries.filter(([name]) => !COMMON.includes(name)));
  const custom = (parameters: JsonObject, more: JsonObject = {}): JsonObject => ({
    type: "customStep",
    name: type,
    parameters,
    ...more,
  });
  if (step.type === "sluice.set") return [custom({ selectors: step.selectors, ...step.to }, common)];
  if (!("steps" in step)) return [custom(own, common)];
  const { id, steps, otherwise, ...rest } = own as { id: string; steps: Step[]; otherwise?: Step[] };
  return [
    custom({ id, begin: true, ...rest }, common),
    ...steps.flatMap(writeStep),
    ...(otherwise ? [custom({ id, otherwise: true }), ...otherwise.flatMap(writeStep)] : []),
    custom({ id, end: true }),
  ];
};
