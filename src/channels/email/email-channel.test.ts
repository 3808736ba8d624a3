import assert from "node:assert/strict";
import { once } from "node:events";
import { test, type TestContext } from "node:test";
import { SMTPServer } from "smtp-server";
import { portOf } from "../../collectors/http/testing/test-site.ts";
import { ChannelError } from "../../ports/channel.ts";
import { emailChannel } from "./email-channel.ts";

const never = new AbortController().signal;
const MESSAGE = { title: "Sluice: 1 alert", lines: ["job a: held", "größer als gedacht"] };

interface Mail {
  readonly to: readonly string[];
  readonly from: string | undefined;
  readonly text: string;
}

/** A real mail server on loopback that lets one user in. */
const openMailServer = async (t: TestContext) => {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    onAuth: ({ username, password }, _session, done) =>
      username === "sluice" && password === "hunter2"
        ? done(null, { user: username })
        : done(new Error(`no ${password}`)),
    onData: (stream, { envelope }, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const from = envelope.mailFrom === false ? undefined : envelope.mailFrom.address;
        mails.push({
          from,
          to: envelope.rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString(),
        });
        done();
      });
    },
  });
  server.on("error", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  t.after(() => new Promise<void>((resolve) => server.close(resolve)));
  return { mails, port: portOf(server.server) };
};

const channelAt = (port: number, password: string) =>
  emailChannel({
    name: "mail",
    smtp: `smtp://sluice:${password}@127.0.0.1:${port}`,
    from: "sluice@house.test",
    to: ["a@team.test", "b@team.test"],
    timeoutMs: 5000,
  });

test("a message reaches all recipients completely", async (t) => {
  const { mails, port } = await openMailServer(t);
  await channelAt(port, "hunter2").notify(MESSAGE, never);
  const [mail, ...more] = mails;
  assert.deepEqual([mail?.from, mail?.to, more], ["sluice@house.test", ["a@team.test", "b@team.test"], []]);
  assert.match(mail?.text ?? "", /^Subject: Sluice: 1 alert\r$/m);
  assert.match(mail?.text ?? "", /job a: held/);
});

test("reports refused with a wrong password, unreachable without a server, and never shows the password", async (t) => {
  const { mails, port } = await openMailServer(t);
  const fails = (code: string) => (error: unknown) =>
    error instanceof ChannelError &&
    error.code === code &&
    !/hunter3/.test(`${error.message} ${error.stack}`);
  await assert.rejects(() => channelAt(port, "hunter3").notify(MESSAGE, never), fails("refused"));
  await assert.rejects(() => channelAt(1, "hunter3").notify(MESSAGE, never), fails("unreachable"));
  assert.deepEqual(mails, []);
});
