import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { api, me } from "../api.ts";
import { number, textOf } from "../format.ts";
import { useEvery } from "../live.ts";
import { useLoad } from "../load.ts";
import type { PageProps } from "../pages.ts";
import { Action } from "../parts/action.tsx";
import { LimitRows, LIMITS } from "../parts/limits.tsx";
import { Secret, type ShownSecret } from "../parts/secret.tsx";
import { State } from "../parts/state.tsx";
import { type Column, Crumbs, Problem, Rows } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { href } from "../router.ts";
import type { Client, Key, Role } from "../../../src/client.ts";

const ROLES: readonly Role[] = ["client", "operator", "admin", "worker"];

const ClientPage = ({ params }: PageProps): VNode => {
  const name = params["client"]!;
  const { data, error, reload } = useLoad(`client ${name}`, async () => ({
    client: await api.getClient(name),
    keys: (await api.listKeys(name)).data,
  }));
  const [secret, setSecret] = useState<ShownSecret | undefined>(undefined);
  useEvery(reload, 10_000);
  const addKey = async (form: FormData): Promise<string> => {
    const role = textOf(form, "role") as Role;
    const { key = "" } = await api.createKey(name, role);
    setSecret({ label: `New ${role} key of ${name}`, text: key });
    reload();
    return "The key is valid from now on.";
  };
  return (
    <>
      <Crumbs steps={[["Clients and keys", "/clients"]]} />
      <div class="head">
        <h1>{name}</h1>
        {data && (
          <div class="buttons">
            <a class="button" href={href("/jobs", { client: name })}>
              Its jobs
            </a>
            <a class="button" href={href("/webhooks", { client: name })}>
              Its webhooks
            </a>
            <Action label="New key" confirm="Create" title={`A new key for ${name}`} run={addKey}>
              <label>
                Role
                <select name="role">
                  {ROLES.map((role) => (
                    <option key={role}>{role}</option>
                  ))}
                </select>
              </label>
              <p class="quiet">
                <b>client</b> sees its own jobs, <b>operator</b> all jobs and lanes, <b>admin</b> also clients
                and keys; <b>worker</b> is for worker processes.
              </p>
            </Action>
          </div>
        )}
      </div>
      {secret && <Secret secret={secret} close={() => setSecret(undefined)} />}
      {error !== undefined && <Problem error={error} retry={reload} />}
      {data && (
        <>
          <Limits client={data.client} reload={reload} />
          <section>
            <h2>Keys</h2>
            {data.keys.length === 0 ? (
              <p class="empty">No keys. “New key” creates one.</p>
            ) : (
              <Rows
                label="Keys"
                rows={data.keys}
                keyOf={({ id }) => id}
                columns={keyColumns(name, setSecret, reload)}
              />
            )}
          </section>
        </>
      )}
    </>
  );
};

const Limits = ({ client, reload }: { readonly client: Client; readonly reload: () => void }): VNode => {
  const change = async (form: FormData): Promise<string> => {
    const to = Object.fromEntries(
      LIMITS.map(({ name }) => {
        const given = textOf(form, name);
        return [name, given === "" ? (name === "weight" ? 1 : null) : Number(given)];
      }),
    );
    await api.changeClient(client.name, to);
    reload();
    return "The limits are changed.";
  };
  return (
    <section>
      <h2>Limits and use today (UTC)</h2>
      <LimitRows of={client} used={client.today ?? {}} />
      <p class="buttons after">
        <Action label="Change limits" confirm="Change" title={`Limits of ${client.name}`} run={change}>
          <p class="quiet">An empty field means no limit, unless it says otherwise.</p>
          {LIMITS.map(({ name, label, usual }) => (
            <label key={name}>
              {label}
              {usual !== undefined && <span class="quiet"> ({number(usual)} if empty)</span>}
              <input
                name={name}
                inputMode="decimal"
                pattern="[0-9]*\.?[0-9]+"
                title="A number"
                defaultValue={String(client[name] ?? "")}
              />
            </label>
          ))}
        </Action>
      </p>
    </section>
  );
};

const keyColumns = (
  client: string,
  show: (secret: ShownSecret) => void,
  reload: () => void,
): readonly Column<Key>[] => [
  { name: "Key", cell: ({ prefix }) => <span class="id">{prefix}…</span> },
  { name: "Role", cell: ({ role }) => role },
  {
    name: "State",
    cell: ({ revokedAt, id }) =>
      revokedAt === undefined ? (
        <State of="done" label={id === me.value?.key ? "valid, yours" : "valid"} />
      ) : (
        <>
          <State of="cancelled" label="revoked" /> <Time at={revokedAt} />
        </>
      ),
  },
  { name: "Last used", cell: ({ usedAt }) => <Time at={usedAt} isRelative /> },
  { name: "Created", isMinor: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    name: "Actions",
    cell: ({ id, prefix, role, revokedAt }) =>
      revokedAt === undefined && (
        <div class="buttons">
          <Action
            label="Rotate"
            title={`Replace ${prefix}… with a new ${role} key?`}
            run={async (form) => {
              const { key = "" } = await api.rotateKey(client, id, Number(textOf(form, "minutes")) * 60);
              show({ label: `New ${role} key of ${client}`, text: key });
              reload();
              return "The new key is valid from now on.";
            }}
          >
            <label>
              The old key stays valid for
              <select name="minutes">
                <option value="0">no time</option>
                <option value="60">an hour</option>
                <option value="1440">a day</option>
              </select>
            </label>
          </Action>
          <Action
            label="Revoke"
            isDangerous
            title={`Revoke ${prefix}…?`}
            run={async () => {
              await api.revokeKey(client, id);
              reload();
              return "The key is revoked.";
            }}
          >
            <p>
              Requests with this key are refused at once.
              {id === me.value?.key && " It is the key that you are signed in with."}
            </p>
          </Action>
        </div>
      ),
  },
];

export default ClientPage;
