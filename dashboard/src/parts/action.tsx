/** Buttons that change something: they first say what they will do, and keep the typed text if it fails. */
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { problemText } from "../api.ts";
import { tell } from "./toasts.tsx";

interface ActionProps {
  readonly label: string;
  /** The question, with the number of affected items. */
  readonly title: string;
  /** Details and form fields. Named fields are passed to `run`. */
  readonly children?: ComponentChildren;
  readonly confirm?: string;
  readonly isDangerous?: boolean;
  readonly isDisabled?: boolean;
  /** What it did, in words. What it acts on is fixed when the dialog opens. */
  readonly run: (form: FormData) => Promise<string>;
}

/** A button that asks before it acts. */
export const Action = (props: ActionProps): VNode => {
  const [asked, setAsked] = useState<ActionProps | undefined>(undefined);
  return (
    <>
      <button
        type="button"
        class={props.isDangerous ? "danger" : ""}
        disabled={props.isDisabled}
        onClick={() => setAsked(props)}
      >
        {props.label}
      </button>
      {/* The question stays as it was asked, even if the page behind it changes. */}
      {asked && <Question {...asked} close={() => setAsked(undefined)} />}
    </>
  );
};

const Question = ({
  title,
  label,
  children,
  confirm = label,
  isDangerous,
  run,
  close,
}: ActionProps & { readonly close: () => void }): VNode => {
  const dialog = useRef<HTMLDialogElement>(null);
  const [error, setError] = useState<string | undefined>(undefined);
  const [isRunning, setRunning] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setRunning(true);
    setError(undefined);
    try {
      tell(await run(new FormData(event.target as HTMLFormElement)));
      close();
    } catch (problem) {
      setError(problemText(problem));
      setRunning(false);
    }
  };
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="question">
      <form onSubmit={(event) => void submit(event)}>
        <h2 id="question">{title}</h2>
        {children}
        {error !== undefined && (
          <p class="problem" role="alert">
            {error}
          </p>
        )}
        <div class="buttons">
          <button type="button" onClick={close}>
            Back
          </button>
          <button type="submit" class={isDangerous ? "danger main" : "main"} disabled={isRunning}>
            {isRunning ? "Working…" : confirm}
          </button>
        </div>
      </form>
    </dialog>
  );
};
