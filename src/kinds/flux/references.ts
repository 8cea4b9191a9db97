// SPDX-License-Identifier: Apache-2.0
import { booleanOf, fieldOf, isObject, listOf, textOf } from "../fields.ts";
import { type Columns, type KindColumn, setColumn } from "../kind.ts";

/**
 * `GitRepository/flux-system/fleet`: kind, namespace and name of a reference. The namespace defaults to the object's
 * own.
 */
export function referenceText(object: unknown, ...path: readonly string[]): string | undefined {
  const reference = fieldOf(object, ...path);
  const [kind, name] = [textOf(reference, "kind"), textOf(reference, "name")];
  if (!isObject(reference) || kind === undefined || name === undefined) return undefined;
  return `${kind}/${textOf(reference, "namespace") ?? ownNamespace(object)}/${name}`;
}

/** The objects in `dependsOn`, each as `namespace/name`, in their order. */
export function dependenciesOf(object: unknown): readonly string[] {
  return listOf(object, "spec", "dependsOn").flatMap((each) => {
    const name = textOf(each, "name");
    return name === undefined ? [] : [`${textOf(each, "namespace") ?? ownNamespace(object)}/${name}`];
  });
}

/** Columns of every Flux kind: the reconcile interval, and whether it is suspended. */
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
