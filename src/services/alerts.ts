import { type AlertBook, type AlertRules, DEFAULT_ALERT_RULES, isNotice } from "../domain/alert-rules.ts";
import { isoTime } from "../domain/iso-time.ts";
import { withoutPlaces } from "../domain/record.ts";
import type { Registry } from "../ports/registry.ts";
import type { Alerts } from "../schemas/alert.ts";

/** The registry's name for the state of alerts. */
const BOOK = "book";

export const readAlertBook = async (registry: Pick<Registry, "readAlert">): Promise<AlertBook> =>
  JSON.parse((await registry.readAlert(BOOK)) ?? "{}") as AlertBook;

export const saveAlertBook = async (registry: Pick<Registry, "saveAlert">, book: AlertBook): Promise<void> =>
  await registry.saveAlert(BOOK, Object.keys(book).length === 0 ? null : JSON.stringify(book));

/** How alerts are configured. */
export interface AlertSettings {
  /** Names of channels. */
  readonly channels: readonly string[];
  readonly rules?: Partial<AlertRules>;
}

/** Everything that is wrong now, the oldest first. */
export const readAlerts = async (
  registry: Pick<Registry, "readAlert">,
  { channels, rules }: AlertSettings,
): Promise<Alerts> => {
  const book = await readAlertBook(registry);
  const data = Object.entries(book).map(([id, { text, sinceAt, told, over }]) => {
    const [rule = "", job = ""] = id.split(" ");
    return {
      id,
      rule,
      ...(!isNotice(id) && { job }),
      text: withoutPlaces(text),
      since: isoTime(sinceAt),
      told: [...told],
      ...(over !== undefined && { over }),
    };
  });
  return {
    data: data.toSorted((a, b) => (a.since < b.since ? -1 : 1)),
    channels: [...channels],
    rules: { ...DEFAULT_ALERT_RULES, ...rules },
  };
};
