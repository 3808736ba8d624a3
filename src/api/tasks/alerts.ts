import {
  type AlertRules,
  DEFAULT_ALERT_RULES,
  dropNotices,
  dueAlerts,
  type DueAlerts,
  judgeAlerts,
  keepChannels,
  markTold,
  raiseNotice,
} from "../../domain/alert-rules.ts";
import type { Channel } from "../../ports/channel.ts";
import { readAlertBook, saveAlertBook } from "../../services/alerts.ts";
import {
  alertMessage,
  AlertWatch,
  endedSubjects,
  noteEnded,
  noteVerdicts,
  type WatchedLedger,
} from "../alert-watch.ts";
import { runTask, type TaskTools } from "../run-task.ts";

interface AlertOptions extends TaskTools {
  readonly ledger: WatchedLedger;
  readonly channels: readonly Channel[];
  /** Defaults apply to rules that are left out. */
  readonly rules?: Partial<AlertRules>;
  readonly everyMs?: number;
  /** Called when a channel has accepted a message. */
  readonly onAlerts?: (channel: string, told: DueAlerts) => void;
}

/**
 * Sends alerts about jobs, and a second message when they are resolved: once each, in groups. A message is marked as sent after
 * its channel has accepted it: a crash in between repeats it, and none is lost. A failing channel is retried alone in the next
 * round.
 */
export const runAlerts = async (options: AlertOptions, signal: AbortSignal): Promise<void> => {
  const { ledger, registry, channels, report, everyMs = 10_000, now = Date.now } = options;
  const rules: AlertRules = { ...DEFAULT_ALERT_RULES, ...options.rules };
  const names = channels.map(({ name }) => name);
  const watch = new AlertWatch(ledger, rules, now());
  const run = async (stop: AbortSignal): Promise<void> => {
    const before = await readAlertBook(registry);
    let book = keepChannels(before, names);
    const jobs = await watch.look(now());
    for (const job of jobs) book = noteVerdicts(book, job.view, judgeAlerts(job, rules, now()), now());
    for (const event of watch.notices) book = raiseNotice(book, event, rules, now());
    const open = new Set(
      jobs.filter(({ view }) => view.endedAt === undefined).map(({ view }) => view.spec.id),
    );
    for (const job of endedSubjects(book, open))
      book = noteEnded(book, job, await ledger.readJob(job), now());
    if (book !== before) await saveAlertBook(registry, book);
    await watch.moveOn();
    for (const channel of channels) {
      const due = dueAlerts(book, channel.name, now());
      if (due.raised.length + due.over.length === 0) continue;
      try {
        await channel.notify(alertMessage(book, due), stop);
      } catch (error) {
        report(`alerts: ${channel.name}`, error);
        continue;
      }
      options.onAlerts?.(channel.name, due);
      book = markTold(book, channel.name, due);
      await saveAlertBook(registry, book);
    }
    const left = dropNotices(book, names, now());
    if (left !== book) await saveAlertBook(registry, left);
  };
  await runTask(options, { name: "alerts", everyMs, run }, signal);
};
