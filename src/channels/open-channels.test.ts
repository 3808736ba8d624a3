import assert from "node:assert/strict";
import { test } from "node:test";
import { type ChannelConfig, ChannelError } from "../ports/channel.ts";
import { openChannels } from "./open-channels.ts";

const slack: ChannelConfig = { kind: "slack", urlFrom: "SLACK" };
const email: ChannelConfig = {
  kind: "email",
  name: "night",
  smtpFrom: "SMTP",
  from: "a@b.test",
  to: ["c@d.test"],
};
const environment = { SLACK: "https://hooks.test/hunter2", SMTP: "smtps://u:hunter2@mail.test" };

test("channels are opened with secrets from the environment, and named", () => {
  const names = openChannels([slack, email], environment).map(({ name }) => name);
  assert.deepEqual(names, ["slack", "night"]);
});

test("what is missing or wrong is named by its variable, not by its value", () => {
  const cases: [readonly ChannelConfig[], Record<string, string>, RegExp][] = [
    [[slack], {}, /SLACK/],
    [[slack], { SLACK: "hunter2" }, /SLACK/],
    [[email], { SMTP: "https://hunter2.test" }, /SMTP/],
    [[{ ...email, to: [] }], environment, /night/],
    [[slack, slack], environment, /slack/],
  ];
  for (const [configs, given, named] of cases)
    assert.throws(
      () => openChannels(configs, given),
      (error) =>
        error instanceof ChannelError &&
        error.code === "bad-config" &&
        named.test(error.message) &&
        !error.message.includes("hunter2"),
    );
});
