import { type AlertBook, type AlertVerdict, endAlert, raiseAlert } from "../../domain/alert-rules.ts";
import type { JobView } from "../../domain/job.ts";

const idOf = (rule: string, job: string): string => `${rule} ${job}`;
const jobIn = (id: string): string => id.slice(id.indexOf(" ") + 1);

const subjectOf = ({ spec }: JobView): string => `${spec.scraper}, job ${spec.id} of ${spec.client}`;

/** Writes into the book what a look at one job has shown. */
export const noteVerdicts = (
  book: AlertBook,
  view: JobView,
  verdicts: readonly AlertVerdict[],
  now: number,
): AlertBook => {
  let next = book;
  for (const verdict of verdicts) {
    const id = idOf(verdict.rule, view.spec.id);
    if (verdict.state === "bad") next = raiseAlert(next, id, `${subjectOf(view)}: ${verdict.text}`, now);
    else if (verdict.state === "good" && next[id]) next = endAlert(next, id, next[id].text);
  }
  return next;
};

/** Jobs that alerts are about, but which have ended. Nothing more will show that it is right again. */
export const endedSubjects = (book: AlertBook, openJobs: ReadonlySet<string>): string[] => [
  ...new Set(Object.keys(book).map(jobIn)).difference(openJobs),
];

/** So long it is tried to tell somebody of a job that has ended. */
const WORTH_TELLING_MS = 24 * 60 * 60_000;

/** What nobody has been told of yet is told first: a job that failed at its end is worth a message. One that was cancelled is not. */
export const noteEnded = (
  book: AlertBook,
  job: string,
  view: JobView | undefined,
  now: number,
): AlertBook => {
  let next = book;
  for (const [id, { told, sinceAt }] of Object.entries(book))
    if (jobIn(id) === job && (told.length > 0 || view?.state !== "done" || now - sinceAt > WORTH_TELLING_MS))
      next = endAlert(
        next,
        id,
        view ? `${subjectOf(view)} has ended: ${countsOf(view)}` : `job ${job} is gone`,
      );
  return next;
};

const countsOf = ({ counts: { states } }: JobView): string =>
  `${states.done} done, ${states.absent} absent, ${states.failed} failed, ${states.cancelled} cancelled`;
