// SPDX-License-Identifier: Apache-2.0
import { booleanOf, fieldOf, isObject, listOf, textOf } from "../fields.ts";
import { type Columns, type KindColumn, setColumn } from "../kind.ts";

/** `GitRepository/flux-system/fleet`: kind, namespace and name of what a reference points to; without a namespace it is the object's own. */
export function referenceText(object: unknown, ...path: readonly string[]): string | undefined {
  const reference = fieldOf(object, ...path);
  const [kind, name] = [textOf(reference, "kind"), textOf(reference, "name")];
  if (!isObject(reference) || kind === undefined || name === undefined) return undefined;
  return `${kind}/${textOf(reference, "namespace") ?? ownNamespace(object)}/${name}`;
}

/** What an object waits for, each as `namespace/name`, in its own order. */
export function dependenciesOf(object: unknown): readonly string[] {
  return listOf(object, "spec", "dependsOn").flatMap((each) => {
    const name = textOf(each, "name");
    return name === undefined ? [] : [`${textOf(each, "namespace") ?? ownNamespace(object)}/${name}`];
  });
}

/** Columns of every kind of Flux: how often it is looked at, and whether it is switched off. */
export const scheduleColumns: readonly KindColumn[] = [
  { name: "interval", type: "string" },
  { name: "suspend", type: "boolean", isMain: true },
];

/** Sets the columns of `scheduleColumns`. */
export function setSchedule(columns: Columns, object: unknown): void {
  setColumn(columns, "interval", textOf(object, "spec", "interval"));
  setColumn(columns, "suspend", booleanOf(object, "spec", "suspend"));
}

function ownNamespace(object: unknown): string {
  return textOf(object, "metadata", "namespace") ?? "";
}
