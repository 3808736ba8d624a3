import { loadOptional } from "../../domain/missing-package.ts";
import { type Channel, ChannelError } from "../../ports/channel.ts";

interface EmailOptions {
  readonly name: string;
  /** `smtp://user:password@host:587` or `smtps://…`. */
  readonly smtp: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly timeoutMs?: number;
}

export const emailChannel = (options: EmailOptions): Channel => {
  const { name, smtp, from, to, timeoutMs = 15_000 } = options;
  // Refused when the service starts, not when the first alert is due.
  loadOptional("nodemailer", "An email channel", () => import.meta.resolve("nodemailer"));
  return {
    name,
    async notify({ title, lines }, signal) {
      if (signal.aborted) throw new ChannelError("stopped", "stopped before the message was sent");
      const { createTransport } = await import("nodemailer");
      const transport = createTransport({
        url: smtp,
        connectionTimeout: timeoutMs,
        greetingTimeout: timeoutMs,
        socketTimeout: timeoutMs,
        // A message is text of this storage: nothing in it may name a file or a URL to be attached.
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      const stop = (): void => transport.close();
      signal.addEventListener("abort", stop);
      try {
        await transport.sendMail({ from, to: [...to], subject: title, text: `${lines.join("\n")}\n` });
      } catch (error) {
        throw explain(error);
      } finally {
        signal.removeEventListener("abort", stop);
        transport.close();
      }
    },
  };
};

/** The mail server's answer may quote the login: its code is enough. */
const explain = (error: unknown): ChannelError => {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  const status = error instanceof Error && "responseCode" in error ? ` ${String(error.responseCode)}` : "";
  switch (code) {
    case "EAUTH":
    case "EENVELOPE":
    case "EMESSAGE":
      return new ChannelError("refused", `the mail server refused the message: ${code}${status}`);
    case "ETIMEDOUT":
      return new ChannelError("timeout", "the mail server did not answer in time");
    default:
      return new ChannelError("unreachable", `no mail server at this address: ${code}${status}`);
  }
};
