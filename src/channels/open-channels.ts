import {
  type Channel,
  type ChannelConfig,
  type ChannelConfigOf,
  ChannelError,
  type ChannelKind,
} from "../ports/channel.ts";
import { emailChannel } from "./email/email-channel.ts";
import { slackChannel } from "./slack/slack-channel.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A kind that is configured but not in this table does not compile. */
const CHANNELS: {
  readonly [Kind in ChannelKind]: (
    name: string,
    config: ChannelConfigOf<Kind>,
    environment: Environment,
  ) => Channel;
} = {
  slack: (name, { urlFrom }, environment) =>
    slackChannel({ name, url: secretUrl(name, urlFrom, ["https:", "http:"], environment) }),
  email: (name, { smtpFrom, from, to }, environment) => {
    const smtp = secretUrl(name, smtpFrom, ["smtp:", "smtps:"], environment);
    if (to.length === 0) throw new ChannelError("bad-config", `channel ${name}: \`to\` has no addresses.`);
    return emailChannel({ name, smtp, from, to });
  },
};

/** The channels of a configuration, with their secrets from the environment. */
export const openChannels = (configs: readonly ChannelConfig[], environment: Environment): Channel[] => {
  const channels = configs.map((config) => openChannel(config, environment));
  const twice = channels.find(({ name }, at) => channels.findIndex((one) => one.name === name) < at);
  if (twice)
    throw new ChannelError("bad-config", `Two channels are named ${twice.name}. Give each its own \`name\`.`);
  return channels;
};

const openChannel = <Kind extends ChannelKind>(
  config: ChannelConfigOf<Kind>,
  environment: Environment,
): Channel => CHANNELS[config.kind](config.name ?? config.kind, config, environment);

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
      `channel ${name}: the environment variable ${variable} is not set. Set it, or remove the channel from the configuration.`,
    );
  if (!protocols.includes(URL.parse(value)?.protocol ?? ""))
    throw new ChannelError(
      "bad-config",
      `channel ${name}: ${variable} must be a URL that starts with ${protocols.map((one) => `${one}//`).join(" or ")}.`,
    );
  return value;
};
