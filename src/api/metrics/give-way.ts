import { setImmediate } from "node:timers/promises";

/** The ledger answers without leaving the event loop: between its pages, requests of clients get their turn. */
export const giveWay = async (): Promise<void> => {
  await setImmediate();
};
