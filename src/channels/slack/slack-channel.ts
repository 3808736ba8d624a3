import { type Channel, ChannelError, type ChannelMessage } from "../../ports/channel.ts";
import { post } from "../post.ts";

interface SlackOptions {
  readonly name: string;
  /** URL of an incoming webhook: anyone who knows it can write. */
  readonly url: string;
  readonly timeoutMs?: number;
}

/** Slack cuts texts at 40,000 characters; people read far less. */
const LONGEST_TEXT = 4000;

export const slackChannel = ({ name, url, timeoutMs = 15_000 }: SlackOptions): Channel => ({
  name,
  async notify(message, signal) {
    const body = JSON.stringify({ text: slackText(message) });
    const { status } = await post({ url, headers: {}, body, timeoutMs, signal, dispatcher: undefined });
    if (status < 200 || status >= 300)
      throw new ChannelError("refused", `Slack answered ${status}: check the incoming webhook's URL`);
  },
});

const slackText = ({ title, lines }: ChannelMessage): string =>
  [`*${plain(title)}*`, ...lines.map((line) => `• ${plain(line)}`)].join("\n").slice(0, LONGEST_TEXT);

/** Nothing from a page or a job becomes a link or a mention. */
const plain = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
