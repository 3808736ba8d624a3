import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { api, may } from "../api.ts";
import { EVENT_TYPES } from "../event-types.ts";
import { number, textOf } from "../format.ts";
import { useEvery } from "../live.ts";
import { useLoad } from "../load.ts";
import { FilterForm } from "../parts/filter-form.tsx";
import { Action } from "../parts/action.tsx";
import { Secret, type ShownSecret } from "../parts/secret.tsx";
import { State } from "../parts/state.tsx";
import { Chips, type Column, Problem, Rows, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { search, value, values } from "../router.ts";
import type { Delivery, DeliveryState, NewWebhook, Webhook } from "../../../src/client.ts";

const STATES: readonly DeliveryState[] = ["due", "delivered", "parked"];
const LOOKS: Readonly<Record<DeliveryState, VNode>> = {
  due: <State of="waiting" label="due" />,
  delivered: <State of="done" label="delivered" />,
  parked: <State of="failed" label="given up" />,
};

const Webhooks = (): VNode => {
  const client = value("client");
  const owner = client === undefined ? {} : { client };
  const [secret, setSecret] = useState<ShownSecret | undefined>(undefined);
  const hooks = useLoad(`webhooks ${client ?? ""}`, () => api.listWebhooks(owner));
  const deliveries = useDeliveries();
  const reload = (): void => {
    hooks.reload();
    deliveries.reload();
  };
  const create = async (form: FormData): Promise<string> => {
    const events = form.getAll("events") as NonNullable<NewWebhook["events"]>;
    const url = textOf(form, "url");
    const made = await api.createWebhook({ url, ...(events.length > 0 && { events }) }, owner);
    setSecret({ label: `Secret of ${url}`, text: made.secret ?? "" });
    reload();
    return "The webhook is created.";
  };
  return (
    <>
      <div class="head">
        <h1>Webhooks</h1>
        <div class="buttons">
          <Action label="New webhook" confirm="Create" title="New webhook" run={create}>
            <label>
              URL
              <input name="url" type="url" required placeholder="https://example.com/hook" />
            </label>
            <fieldset class="choices">
              <legend>Events (all if none is selected)</legend>
              {EVENT_TYPES.map((one) => (
                <label key={one}>
                  <input type="checkbox" name="events" value={one} /> {one}
                </label>
              ))}
            </fieldset>
          </Action>
        </div>
      </div>
      {may("admin") && <OwnerForm />}
      {secret && <Secret secret={secret} close={() => setSecret(undefined)} />}
      <section>
        {hooks.error !== undefined && <Problem error={hooks.error} retry={hooks.reload} />}
        {hooks.data &&
          (hooks.data.data.length === 0 ? (
            <p class="empty">
              No webhook. A webhook receives the events of all jobs of {client ?? "your client"}, signed. “New
              webhook” creates one.
            </p>
          ) : (
            <Rows
              label="Webhooks"
              rows={hooks.data.data}
              keyOf={({ id }) => id}
              columns={webhookColumns(owner, setSecret, reload)}
            />
          ))}
      </section>
      <section>
        <h2>Deliveries</h2>
        <div class="filters">
          <Chips
            name="state"
            label="State"
            options={STATES.map((one) => ({ value: one, label: LOOKS[one] }))}
          />
          <FilterForm filters={[{ name: "job", label: "Job" }]} submit="Filter" />
        </div>
        <Table
          label="Deliveries"
          columns={deliveryColumns(deliveries.reload)}
          list={deliveries}
          keyOf={({ id }) => id}
          empty={<p>No delivery matches. Deliveries are listed here for 30 days after they have ended.</p>}
        />
      </section>
    </>
  );
};

const useDeliveries = () => {
  const state = values("state") as readonly DeliveryState[];
  const [job, client, cursor] = ["job", "client", "cursor"].map((name) => value(name));
  const list = useLoad(`deliveries?${search.value.toString()}`, () =>
    api.listDeliveries({
      limit: 50,
      ...(state.length > 0 && { state }),
      ...(job !== undefined && { job }),
      ...(client !== undefined && { client }),
      ...(cursor !== undefined && { cursor }),
    }),
  );
  useEvery(list.reload);
  return list;
};

const OwnerForm = (): VNode => (
  <div class="filters">
    <FilterForm filters={[{ name: "client", label: "Client" }]} submit="Show" />
  </div>
);

const webhookColumns = (
  owner: { readonly client?: string },
  show: (secret: ShownSecret) => void,
  reload: () => void,
): readonly Column<Webhook>[] => [
  { name: "URL", cell: ({ url }) => <span class="wrap">{url}</span> },
  { name: "Events", cell: ({ events }) => events?.join(", ") ?? "all", isMinor: true },
  { name: "Secrets", isNumber: true, isMinor: true, cell: ({ secrets }) => number(secrets) },
  {
    name: "Actions",
    cell: ({ id, url }) => (
      <div class="buttons">
        <Action
          label="Test"
          confirm="Send"
          title={`Send a test event to ${url}?`}
          run={async () => {
            await api.testWebhook(id, owner);
            reload();
            return "The test event is due. It is listed under deliveries.";
          }}
        >
          <p>
            An event of type <code>webhook.test</code>, signed like any other.
          </p>
        </Action>
        <Action
          label="Rotate"
          title={`Create a new secret for ${url}?`}
          run={async () => {
            const { secret = "" } = await api.rotateWebhook(id, owner);
            show({ label: `New secret of ${url}`, text: secret });
            reload();
            return "Deliveries are signed with the new secret and the previous one.";
          }}
        >
          <p>The previous secret stays valid until the next rotation.</p>
        </Action>
        <Action
          label="Remove"
          isDangerous
          title={`Remove the webhook ${url}?`}
          run={async () => {
            await api.removeWebhook(id, owner);
            reload();
            return "The webhook is removed.";
          }}
        />
      </div>
    ),
  },
];

const deliveryColumns = (reload: () => void): readonly Column<Delivery>[] => [
  { name: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: "Event", cell: ({ type }) => type },
  { name: "State", cell: ({ state }) => LOOKS[state] },
  {
    name: "Job",
    isMinor: true,
    cell: ({ job }) =>
      job === undefined ? (
        "–"
      ) : (
        <a href={`/jobs/${job}`} class="id">
          {job}
        </a>
      ),
  },
  { name: "To", isMinor: true, cell: ({ url }) => <span class="wrap">{url}</span> },
  {
    name: "Answer",
    cell: ({ lastStatus, lastError, attempts, dueAt }) => (
      <>
        {lastError ?? lastStatus ?? "–"}
        <span class="quiet">
          {attempts > 1 && ` · ${number(attempts)} attempts`}
          {attempts > 0 && dueAt !== undefined && (
            <>
              {" · "}again <Time at={dueAt} isRelative />
            </>
          )}
        </span>
      </>
    ),
  },
  {
    name: "Actions",
    cell: ({ id, type, url }) => (
      <Action
        label="Replay"
        title={`Send ${type} to ${url} again?`}
        run={async () => {
          await api.replayDelivery(id);
          reload();
          return "It is being sent again.";
        }}
      >
        <p>
          With the same <code>webhook-id</code>, so that the receiver recognizes the event.
        </p>
      </Action>
    ),
  },
];

export default Webhooks;
