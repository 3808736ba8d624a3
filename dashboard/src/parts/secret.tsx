import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { tell, tellError } from "./toasts.tsx";

export interface ShownSecret {
  readonly label: string;
  readonly text: string;
}

/** A key or secret that the server shows only once. It is not stored: after closing it cannot be shown again. */
export const Secret = ({
  secret: { label, text },
  close,
}: {
  readonly secret: ShownSecret;
  readonly close: () => void;
}): VNode => {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), [text]);
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(() => tell("Copied."), tellError);
  };
  return (
    <div class="notice secret" role="region" aria-label={label}>
      <label>
        <b>{label}.</b> Copy it now. It is not shown again.
        <input ref={field} readOnly class="id" value={text} />
      </label>
      <div class="buttons">
        <button type="button" onClick={copy}>
          Copy
        </button>
        <button type="button" onClick={close}>
          I have it
        </button>
      </div>
    </div>
  );
};
