// SPDX-License-Identifier: Apache-2.0
// Istio's mesh configuration, which is a text in a ConfigMap. One field of it is ever read: the root namespace (KI2, KI21).
import { isDnsLabel } from "../../model/dns-name.ts";
import { textOf } from "../fields.ts";

/** What Istio takes for the root namespace where its mesh configuration does not say. */
export const defaultRootNamespace = "istio-system";

/** A longer text is not looked at: 1 MiB is the most that a ConfigMap holds. */
const longestMeshText = 1_048_576;

/** The ConfigMap that a control plane of the revision reads, in its own namespace: `istio`, and `istio-canary` for the revision `canary`. */
export function meshConfigName(revision: string): string {
  return revision === "" || revision === "default" ? "istio" : `istio-${revision}`;
}

function isMeshConfigName(name: string | undefined): boolean {
  return name === "istio" || name?.startsWith("istio-") === true;
}

/**
 * The root namespace that the ConfigMap names, "" where it names none; undefined for one that holds no mesh configuration: it is not called
 * `istio` or `istio-…`, or has no text under `mesh`. Pure and total.
 */
export function meshConfigRoot(object: unknown): string | undefined {
  if (!isMeshConfigName(textOf(object, "metadata", "name"))) return undefined;
  const text = textOf(object, "data", "mesh");
  if (text === undefined || text.length > longestMeshText) return undefined;
  const name = text.trimStart().startsWith("{") ? fieldOfFlow(text) : fieldOfBlock(text);
  return name !== undefined && isDnsLabel(name) ? name : "";
}

/** A key at the very beginning of a line is one of the whole document: YAML indents everything below it. */
function fieldOfBlock(text: string): string | undefined {
  const found = /^rootNamespace[ \t]*:[ \t]+(?:"([^"\n]*)"|'([^'\n]*)'|([^\s"'#][^\s#]*))[ \t]*(?:#[^\n]*)?$/m.exec(
    text.replaceAll("\r\n", "\n"),
  );
  return found?.[1] ?? found?.[2] ?? found?.[3];
}

/** Some installers write JSON, which is YAML too. */
function fieldOfFlow(text: string): string | undefined {
  try {
    return textOf(JSON.parse(text), "rootNamespace");
  } catch (reason) {
    if (reason instanceof SyntaxError) return undefined;
    throw reason;
  }
}
