import { type Channel, type ChannelConfig, ChannelError } from "../ports/channel.ts";
import { emailChannel } from "./email/email-channel.ts";
import { slackChannel } from "./slack/slack-channel.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The channels of a configuration, with their secrets from the environment. */
export const openChannels = (configs: readonly ChannelConfig[], environment: Environment): Channel[] => {
  const channels = configs.map((config) => openChannel(config, environment));
  const twice = channels.find(({ name }, at) => channels.findIndex((one) => one.name === name) < at);
  if (twice)
    throw new ChannelError("bad-config", `channel ${twice.name} is there twice: give each a name of its own`);
  return channels;
};

const openChannel = (config: ChannelConfig, environment: Environment): Channel => {
  const name = config.name ?? config.kind;
  switch (config.kind) {
    case "slack":
      return slackChannel({ name, url: secretUrl(name, config.urlFrom, ["https:", "http:"], environment) });
    case "email": {
      const smtp = secretUrl(name, config.smtpFrom, ["smtp:", "smtps:"], environment);
      if (config.to.length === 0)
        throw new ChannelError("bad-config", `channel ${name}: nobody to write to. Fill \`to\`.`);
      return emailChannel({ name, smtp, from: config.from, to: config.to });
    }
    default:
      return config satisfies never;
  }
};

const secretUrl = (
  name: string,
  variable: string,
  protocols: readonly string[],
  environment: Environment,
): string => {
  const value = environment[variable]?.trim();
  if (!value)
    throw new ChannelError(
      "bad-config",
      `channel ${name}: the environment variable ${variable} is not set. Set it, or take the channel out of the configuration.`,
    );
  if (!protocols.includes(URL.parse(value)?.protocol ?? ""))
    throw new ChannelError(
      "bad-config",
      `channel ${name}: ${variable} does not hold a URL that begins with ${protocols.map((one) => `${one}//`).join(" or ")}.`,
    );
  return value;
};
