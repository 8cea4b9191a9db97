// SPDX-License-Identifier: Apache-2.0

/** Values by name. */
export type Variables = ReadonlyMap<string, string>;

/** The text with every `${name}` replaced. Throws for a name without a value: the scenario is wrong. */
function substituteText(text: string, variables: Variables): string {
  return text.replaceAll(/\$\{([A-Za-z][A-Za-z0-9]*)\}/g, (_all, name: string) => {
    const value = variables.get(name);
    if (value === undefined) throw new Error(`no value for \${${name}}`);
    return value;
  });
}

/** A copy of the value with every text in it substituted, keys included. */
export function substituteDeep(value: unknown, variables: Variables): unknown {
  if (typeof value === "string") return substituteText(value, variables);
  if (Array.isArray(value)) return value.map((item) => substituteDeep(item, variables));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [substituteText(key, variables), substituteDeep(part, variables)]),
  );
}
