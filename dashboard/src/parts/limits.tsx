/** What a client may use, and what it has used today. */
import type { VNode } from "preact";
import { bytes, money, number, percent } from "../format.ts";
import type { Client, ClientChange } from "../../../src/client.ts";
import { Rows } from "./table.tsx";

/** Of today (UTC), as far as it is known. */
type Used = Partial<NonNullable<Client["today"]>> & { readonly items?: number };

interface Limit {
  readonly name: keyof ClientChange;
  readonly label: string;
  readonly show: (value: number) => string;
  /** Applies where nothing is set. */
  readonly usual?: number;
  readonly used?: keyof Used;
}

export const LIMITS: readonly Limit[] = [
  { name: "weight", label: "Weight relative to other clients", show: String, usual: 1 },
  { name: "itemsPerDay", label: "Items a day", show: number, used: "items" },
  { name: "requestsPerDay", label: "Requests a day", show: number, used: "requests" },
  { name: "bytesPerDay", label: "Bytes a day", show: bytes, used: "bytes" },
  { name: "costPerDay", label: "Cost of proxies a day", show: money, used: "cost" },
  { name: "maxRunning", label: "Items running at once", show: number },
  { name: "maxOpenJobs", label: "Open jobs", show: number, usual: 1000 },
  { name: "maxStoredBytes", label: "Stored bytes", show: bytes },
  { name: "requestsPerMinute", label: "API requests a minute, for each key", show: number },
];

export const LimitRows = ({ of, used }: { readonly of: ClientChange; readonly used: Used }): VNode => (
  <Rows
    label="Limits"
    rows={LIMITS}
    keyOf={({ name }) => name}
    columns={[
      { name: "Limit", cell: ({ label }) => label },
      {
        name: "Allowed",
        isNumber: true,
        cell: ({ name, show, usual = null }) => {
          const value = of[name] ?? usual;
          return value === null ? <span class="quiet">no limit</span> : show(value);
        },
      },
      {
        name: "Used today",
        isNumber: true,
        cell: ({ name, show, used: what }) => {
          const value = what && used[what];
          if (value === undefined) return "–";
          const most = of[name] ?? null;
          return (
            <>
              {show(value)}
              {most !== null && <span class="quiet"> {percent(value / most)}</span>}
            </>
          );
        },
      },
    ]}
  />
);
