import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { api, me } from "../api.ts";
import { bytes, number, textOf } from "../format.ts";
import { useLoad } from "../load.ts";
import { Action } from "../parts/action.tsx";
import { Secret, type ShownSecret } from "../parts/secret.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import type { Client } from "../../../src/client.ts";

const limit = (value: number | null, show: (value: number) => string = number): VNode | string =>
  value === null ? <span class="quiet">no limit</span> : show(value);

const COLUMNS: readonly Column<Client>[] = [
  { name: "Client", cell: ({ name }) => <a href={`/clients/${encodeURIComponent(name)}`}>{name}</a> },
  { name: "Weight", isNumber: true, cell: ({ weight }) => String(weight) },
  { name: "Items a day", isNumber: true, cell: ({ itemsPerDay }) => limit(itemsPerDay) },
  {
    name: "Requests a day",
    isNumber: true,
    isMinor: true,
    cell: ({ requestsPerDay }) => limit(requestsPerDay),
  },
  { name: "Running at once", isNumber: true, isMinor: true, cell: ({ maxRunning }) => limit(maxRunning) },
  {
    name: "Stored bytes",
    isNumber: true,
    isMinor: true,
    cell: ({ maxStoredBytes }) => limit(maxStoredBytes, bytes),
  },
  { name: "Created", isMinor: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
];

const Clients = (): VNode => {
  const list = useLoad("clients", () => api.listClients());
  const [secret, setSecret] = useState<ShownSecret | undefined>(undefined);
  const create = async (form: FormData): Promise<string> => {
    const name = textOf(form, "name");
    await api.createClient({ name });
    const { key = "" } = await api.createKey(name, "client");
    setSecret({ label: `Key of ${name}`, text: key });
    list.reload();
    return `The client ${name} has a key.`;
  };
  return (
    <>
      <div class="head">
        <h1>Clients and keys</h1>
        <div class="buttons">
          <Action label="New client" confirm="Create" title="A new client with a key" run={create}>
            <label>
              Name
              <input
                name="name"
                required
                autoComplete="off"
                pattern="[a-z0-9._\-]{1,64}"
                title="1 to 64 lower-case letters, digits, dots, - and _"
              />
            </label>
            <p class="quiet">It sees only its own jobs. Limits are set on its page.</p>
          </Action>
        </div>
      </div>
      <p class="quiet lead">
        Signed in as client <b>{me.value?.client}</b>, role {me.value?.role}.
      </p>
      {secret && <Secret secret={secret} close={() => setSecret(undefined)} />}
      <Table
        label="Clients"
        columns={COLUMNS}
        list={list}
        keyOf={({ name }) => name}
        empty={<p>No clients yet. “New client” creates one with a key.</p>}
      />
    </>
  );
};

export default Clients;
