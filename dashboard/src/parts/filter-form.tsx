import type { VNode } from "preact";
import { textOf } from "../format.ts";
import { hrefWith, navigate, value } from "../router.ts";

/** Puts the named fields of a form into the URL. */
const toUrl =
  (names: readonly string[]) =>
  (event: SubmitEvent): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    navigate(hrefWith(Object.fromEntries(names.map((name) => [name, textOf(form, name)]))));
  };

interface TextFilter {
  readonly name: string;
  readonly label: string;
  readonly placeholder?: string;
  readonly pattern?: string;
}

/** Text filters of a list, kept in the URL. A list that reloads leaves alone what is being typed, so the fields have a default and no value. */
export const FilterForm = ({
  filters,
  submit,
}: {
  readonly filters: readonly TextFilter[];
  readonly submit?: string;
}): VNode => (
  <form onSubmit={toUrl(filters.map(({ name }) => name))}>
    {filters.map(({ name, label, placeholder = label, pattern }) => (
      <input
        key={`${name} ${value(name) ?? ""}`}
        type="search"
        name={name}
        aria-label={label}
        placeholder={placeholder}
        defaultValue={value(name) ?? ""}
        {...(pattern !== undefined && { pattern })}
      />
    ))}
    {submit !== undefined && <button type="submit">{submit}</button>}
  </form>
);

interface Choice {
  readonly value: string;
  readonly label: string;
}

/** Two of the choices, newest first, to be compared: kept in the URL as `before` and `after`. */
export const CompareForm = ({ choices }: { readonly choices: readonly Choice[] }): VNode => {
  const select = (name: string, usual: string | undefined): VNode => (
    <select name={name}>
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value} selected={choice.value === (value(name) ?? usual)}>
          {choice.label}
        </option>
      ))}
    </select>
  );
  return (
    <form class="filters" onSubmit={toUrl(["before", "after"])}>
      <label class="inline">From {select("before", choices[1]?.value)}</label>
      <label class="inline">to {select("after", choices[0]?.value)}</label>
      <button type="submit">Compare</button>
    </form>
  );
};
