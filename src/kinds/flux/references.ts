// SPDX-License-Identifier: Apache-2.0
import { conditionsOf, findCondition } from "../conditions.ts";
import { booleanOf, fieldOf, isObject, listOf, textOf } from "../fields.ts";
import { type Columns, type KindColumn, setColumn } from "../kind.ts";
import { sourceMessage } from "../strip-url-credentials.ts";

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

/**
 * Columns of every Flux kind: the reconcile interval, whether it is suspended, and the condition `Ready`, which kubectl
 * prints also where another condition decides the status.
 */
export const fluxColumns: readonly KindColumn[] = [
  { name: "interval", type: "string" },
  { name: "suspend", type: "boolean", isMain: true },
  { name: "ready", type: "string" },
  { name: "readyMessage", type: "string" },
];

/** Sets the columns of `fluxColumns`. */
export function setFluxColumns(columns: Columns, object: unknown): void {
  setColumn(columns, "interval", textOf(object, "spec", "interval"));
  setColumn(columns, "suspend", booleanOf(object, "spec", "suspend"));
  const ready = findCondition(conditionsOf(object), "Ready");
  setColumn(columns, "ready", ready?.status);
  // Messages quote addresses, which may hold credentials (L18).
  setColumn(columns, "readyMessage", ready === undefined ? undefined : sourceMessage(ready.message));
}

function ownNamespace(object: unknown): string {
  return textOf(object, "metadata", "namespace") ?? "";
}
