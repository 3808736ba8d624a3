import type { Database } from "./database.ts";

/** Less is no matter: nothing is kept waiting noticeably longer by it. */
const SMALLEST_MS = 2000;
/** How often the time is written down. */
const NOTE_MS = 1000;

/**
 * Inside a claim. A machine's clock may be set back: what was to be ready, or to end, in a moment would then wait for as long as that was.
 * Lanes keep their rhythm and are looked at again, and who is not heard of is given up no later than otherwise. An item that waits for its next try keeps its time.
 */
export const noticeSetBack = (db: Database): void => {
  const now = db.now();
  const { latest_at: latest } = db.get<{ latest_at: number }>("SELECT latest_at FROM service WHERE id = 1")!;
  const byMs = latest - now;
  if (byMs > -NOTE_MS && byMs < SMALLEST_MS) return;
  db.run("UPDATE service SET latest_at = ? WHERE id = 1", now);
  if (byMs < SMALLEST_MS) return;
  db.run("UPDATE turns SET ready_at = ?1 WHERE ready_at > ?1", now);
  db.run("UPDATE workers SET until = min(until, ?)", now + db.leaseMs);
  db.run("UPDATE lanes SET tat = tat - ?1, spare = '[]' WHERE tat > ?2", byMs, now);
  db.run("UPDATE lanes SET hold_until = hold_until - ?1 WHERE hold_until > ?2", byMs, now);
  db.run("UPDATE queues SET probe_at = probe_at - ?1 WHERE probe_at > ?2", byMs, now);
  db.run("UPDATE suspects SET due_at = due_at - ?1 WHERE due_at > ?2", byMs, now);
};
