/** How often an item's process has died while it ran alone: with a cause in the scraper's own code, and with none that is known. */
export interface Deaths {
  readonly blamed: number;
  readonly unexplained: number;
}

/** A process that was ended from outside says little about its item: a machine in trouble, or an operator, may be at it for a while. */
const BLAMED_CAP = 2;
const UNEXPLAINED_CAP = 6;
/** Doubled with each death: a machine in trouble gets time to recover. */
const FIRST_WAIT_MS = 250;

/** What becomes of an item after a death alone: another try alone, after a wait, or none. */
export const afterDeathAlone = ({ blamed, unexplained }: Deaths): { readonly waitMs: number } | "give-up" =>
  blamed >= BLAMED_CAP || unexplained >= UNEXPLAINED_CAP
    ? "give-up"
    : { waitMs: FIRST_WAIT_MS * 2 ** Math.max(0, blamed + unexplained - 1) };
