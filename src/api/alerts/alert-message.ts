import type { AlertBook, DueAlerts } from "../../domain/alert-rules.ts";
import type { ChannelMessage } from "../../ports/channel.ts";

const MOST_LINES = 20;

/** One message for all that is due. */
export const alertMessage = (book: AlertBook, { raised, over }: DueAlerts): ChannelMessage => {
  const alerts = `${raised.length} alert${raised.length === 1 ? "" : "s"}`;
  const parts = [...(raised.length > 0 ? [alerts] : []), ...(over.length > 0 ? [`${over.length} over`] : [])];
  const lines = [
    ...raised.map((id) => book[id]?.text ?? id),
    ...over.map((id) => `over: ${book[id]?.over ?? id}`),
  ];
  const left = lines.length - MOST_LINES;
  return {
    title: `Sluice: ${parts.join(", ")}`,
    lines: left > 0 ? [...lines.slice(0, MOST_LINES), `and ${left} more`] : lines,
  };
};
