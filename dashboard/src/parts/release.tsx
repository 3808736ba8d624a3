import type { VNode } from "preact";
import type { ReleaseView } from "../../../src/client.ts";
import { State } from "./state.tsx";

const LOOKS: Readonly<Record<string, string>> = {
  written: "queued",
  audited: "waiting",
  published: "done",
  held: "failed",
  withdrawn: "cancelled",
};

export const ReleaseState = ({ of: { state, isCurrent } }: { readonly of: ReleaseView }): VNode => (
  <State of={LOOKS[state] ?? "queued"} label={isCurrent ? "current" : state} />
);

/** How many checks of the audit said what. */
export const Verdicts = ({ of: { audit } }: { readonly of: ReleaseView }): VNode => {
  if (!audit) return <span class="quiet">not audited</span>;
  const count = (verdict: string): number => audit.checks.filter((one) => one.verdict === verdict).length;
  return (
    <span class="verdicts">
      <Verdict of="pass" label={`${count("pass")} pass`} />
      {count("warn") > 0 && <Verdict of="warn" label={`${count("warn")} warn`} />}
      {count("fail") > 0 && <Verdict of="fail" label={`${count("fail")} fail`} />}
    </span>
  );
};

export const Verdict = ({ of, label = of }: { readonly of: string; readonly label?: string }): VNode => (
  <State of={of === "pass" ? "done" : of === "warn" ? "waiting" : "failed"} label={label} />
);
