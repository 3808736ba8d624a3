import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestSite } from "../../collectors/http/testing/test-site.ts";
import { ChannelError } from "../../ports/channel.ts";
import { slackChannel } from "./slack-channel.ts";

const never = new AbortController().signal;
const MESSAGE = { title: "2 alerts", lines: ["job <!channel> & co", "second"] };

test("writes to the incoming webhook, and job names cannot mention anyone", async () => {
  await using slack = await openTestSite((_, response) => response.end("ok"));
  const channel = slackChannel({ name: "ops", url: `${slack.url}/services/T0/B0/x` });
  await channel.notify(MESSAGE, never);
  const [request] = slack.seen;
  assert.deepEqual(
    [request?.method, request?.url, request?.headers["content-type"]],
    ["POST", "/services/T0/B0/x", "application/json"],
  );
  const { text } = JSON.parse(Buffer.from(request?.body ?? "", "latin1").toString()) as { text: string };
  assert.equal(text, "*2 alerts*\n• job &lt;!channel&gt; &amp; co\n• second");
});

test("reports refused if Slack refuses, unreachable if it is down, and never shows its URL", async () => {
  await using slack = await openTestSite((_, response) => response.writeHead(403).end("invalid_token"));
  const notify = (url: string) => () => slackChannel({ name: "ops", url }).notify(MESSAGE, never);
  const fails = (code: string) => (error: unknown) =>
    error instanceof ChannelError && error.code === code && !error.message.includes("hunter2");
  await assert.rejects(notify(`${slack.url}/hunter2`), fails("refused"));
  await assert.rejects(notify("http://127.0.0.1:1/hunter2"), fails("unreachable"));
});
