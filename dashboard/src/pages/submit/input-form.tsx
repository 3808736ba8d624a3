/** A form for one input, by the JSON Schema of the scraper. What is typed is kept as text, and sent as the schema wants it. */
import type { VNode } from "preact";

interface Property {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly pattern?: string;
  readonly default?: unknown;
}

export interface InputSchema {
  readonly properties?: Readonly<Record<string, Property>>;
  readonly required?: readonly string[];
}

export type Typed = Readonly<Record<string, string>>;

/** Empty fields are left out. What cannot be read as its type is sent as it is: the server says what is wrong with it. */
export const inputOf = ({ properties = {} }: InputSchema, typed: Typed): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([name, property]) => {
      const text = typed[name] ?? "";
      return text === "" ? [] : [[name, valueOf(property, text)] as const];
    }),
  );

const valueOf = ({ type, enum: choices }: Property, text: string): unknown => {
  if (choices) return choices.find((choice) => String(choice) === text) ?? text;
  if (type === undefined || type === "string") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

export const InputForm = ({
  schema: { properties = {}, required = [] },
  typed,
  onType,
}: {
  readonly schema: InputSchema;
  readonly typed: Typed;
  readonly onType: (typed: Typed) => void;
}): VNode => (
  <div class="grid2">
    {Object.entries(properties).map(([name, property]) => (
      <label key={name}>
        {property.title ?? name}
        {!required.includes(name) && <span class="quiet"> optional</span>}
        <Field
          name={name}
          property={property}
          value={typed[name] ?? ""}
          onType={(text) => onType({ ...typed, [name]: text })}
        />
        {property.description !== undefined && <span class="quiet">{property.description}</span>}
      </label>
    ))}
  </div>
);

const Field = ({
  name,
  property: { enum: choices, type, format, pattern },
  value,
  onType,
}: {
  readonly name: string;
  readonly property: Property;
  readonly value: string;
  readonly onType: (text: string) => void;
}): VNode => {
  const options = choices?.map(String) ?? (type === "boolean" ? ["true", "false"] : undefined);
  if (options)
    return (
      <select name={name} value={value} onChange={(event) => onType(event.currentTarget.value)}>
        <option value="" />
        {options.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    );
  const isNumber = type === "number" || type === "integer";
  return (
    <input
      name={name}
      value={value}
      inputMode={isNumber ? "decimal" : format === "uri" ? "url" : undefined}
      title={pattern === undefined ? undefined : `Must match ${pattern}`}
      placeholder={type === "object" || type === "array" ? "JSON" : undefined}
      autoComplete="off"
      onInput={(event) => onType(event.currentTarget.value)}
    />
  );
};
