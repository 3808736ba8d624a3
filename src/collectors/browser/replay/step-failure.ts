import { FailureError, type FailureKind } from "../../../domain/failure.ts";
import type { Selector, Step } from "../../../recordings/recording.ts";

const MOST_SHOWN = 6;
const MOST_CHARACTERS = 100;

const shortened = (text: string): string =>
  text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;

export const stepName = ({ number, type }: Step): string => `Step ${number} (${type})`;

export const stepFailure = (
  step: Step,
  kind: FailureKind,
  detail: string,
  url?: string,
  cause?: unknown,
): FailureError =>
  new FailureError(
    { kind, detail: `${stepName(step)}: ${detail}`, ...(url === undefined ? {} : { url }) },
    cause === undefined ? undefined : { cause },
  );

/** The alternatives as written in the recording, each with the reason why it cannot be used. */
export const describeSelectors = (selectors: readonly Selector[], notes: readonly string[] = []): string => {
  const shown = selectors
    .slice(0, MOST_SHOWN)
    .map((chain, at) => `${shortened(chain.join(" >> "))}${notes[at] ? ` (${notes[at]})` : ""}`);
  const more = selectors.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
};

/** The first line of an error of Playwright, which shows a call log below it. */
export const firstLine = (error: unknown): string =>
  shortened((error instanceof Error ? error.message : String(error)).split("\n")[0]!);
