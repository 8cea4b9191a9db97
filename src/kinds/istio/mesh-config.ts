// SPDX-License-Identifier: Apache-2.0
// Istio's mesh configuration, a text in a ConfigMap. Only its root namespace is ever read (KI2, KI21).
import { isDnsLabel } from "../../model/dns-name.ts";
import { textOf } from "../fields.ts";

/** Istio's root namespace if the mesh configuration does not set one. */
export const defaultRootNamespace = "istio-system";

/** Longer texts are ignored: a ConfigMap holds at most 1 MiB. */
const longestMeshText = 1_048_576;

/**
 * The ConfigMap that a control plane of the revision reads in its own namespace: `istio`, or `istio-canary` for the
 * revision `canary`.
 */
export function meshConfigName(revision: string): string {
  return revision === "" || revision === "default" ? "istio" : `istio-${revision}`;
}

function isMeshConfigName(name: string | undefined): boolean {
  return name === "istio" || name?.startsWith("istio-") === true;
}

/**
 * The root namespace that the ConfigMap sets; "" if it sets none. Undefined if the ConfigMap is not a mesh
 * configuration: it is not named `istio` or `istio-…`, or has no text under `mesh`. Pure; never throws.
 */
export function meshConfigRoot(object: unknown): string | undefined {
  if (!isMeshConfigName(textOf(object, "metadata", "name"))) return undefined;
  const text = textOf(object, "data", "mesh");
  if (text === undefined || text.length > longestMeshText) return undefined;
  const name = text.trimStart().startsWith("{") ? fieldOfFlow(text) : fieldOfBlock(text);
  return name !== undefined && isDnsLabel(name) ? name : "";
}

/** A key at the start of a line belongs to the top level: YAML indents everything below. */
function fieldOfBlock(text: string): string | undefined {
  const found = /^rootNamespace[ \t]*:[ \t]+(?:"([^"\n]*)"|'([^'\n]*)'|([^\s"'#][^\s#]*))[ \t]*(?:#[^\n]*)?$/m.exec(
    text.replaceAll("\r\n", "\n"),
  );
  return found?.[1] ?? found?.[2] ?? found?.[3];
}

/** Some installers write JSON, which is valid YAML. */
function fieldOfFlow(text: string): string | undefined {
  try {
    return textOf(JSON.parse(text), "rootNamespace");
  } catch (reason) {
    if (reason instanceof SyntaxError) return undefined;
    throw reason;
  }
}
